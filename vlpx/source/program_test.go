package source

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// laboratory is a program of one's own that tells what its parts are identified by.
const laboratory = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	"vlpx.internal/vlpx/source"
)

type Pivot struct{ Step int }

func (p Pivot) Order(n int) []int { return every(n, p.Step) }

func every(n, step int) (all []int) {
	for i := 0; i < n; i += step {
		all = append(all, i)
	}
	return all
}

type Short struct{}

func (Short) Name() string { return short() }

func short() string { return "short" }

type Bare struct{ Pivot }

type At struct{ Step int }

func (a *At) Order(n int) []int { return every(n, start) }

var start = 3

func main() {
	if len(os.Args) > 1 { // which another program then writes
		source.ReadCaller()
		if err := os.WriteFile(os.Args[1], []byte("package main"), 0o644); err != nil {
			panic(err)
		}
	}
	start = 4
	for _, part := range []any{Pivot{2}, Short{}, &Pivot{2}, Bare{}, struct{ Pivot }{}, &At{}} {
		named, err := source.Named(part)
		if err != nil {
			panic(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(named); err != nil {
			panic(err)
		}
		fmt.Println(source.Vague(part))
	}
}
`

// told is what the program tells of a part.
type told struct{ Source, Executable, why string }

// compiled builds a program beside this checkout and returns where it lies.
func compiled(t *testing.T, source string, flags ...string) (dir, path string) {
	t.Helper()
	root := must.Get(filepath.Abs("../.."))(t)
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module mylab\n\ngo 1.26\n", "go.work": fmt.Sprintf("go 1.26.5\n\nuse (\n\t.\n\t%q\n)\n", root), "main.go": source,
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	path = filepath.Join(dir, "program")
	c := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", path}, flags...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=")
	if output, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return dir, path
}

// ask runs a program.
func ask(t *testing.T, path string, args ...string) (all []told) {
	t.Helper()
	return heard(t, exec.CommandContext(t.Context(), path, args...))
}

// heard is what a program tells.
func heard(t *testing.T, c *exec.Cmd) (all []told) {
	t.Helper()
	output := must.Get(c.Output())(t)
	lines := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	for k := 0; k+1 < len(lines); k += 2 {
		one := told{why: lines[k+1]}
		must.Do(t, json.Unmarshal([]byte(lines[k]), &one))
		all = append(all, one)
	}
	if len(all) != 6 {
		t.Fatalf("got %q, want six parts", output)
	}
	return all
}

// A program that is built again, elsewhere and with other code beside its parts, gives them the same identities; a changed part has
// another.
func TestPartsOfAProgram(t *testing.T) {
	dir, path := compiled(t, laboratory)
	first := ask(t, path)
	for k, why := range []string{"", "", "", "Bare is identified by the whole program, so it runs anew after any change: all its methods " +
		"are another type's",
		"A part without a name is identified by the whole program", "it uses the variable start, which main may change"} {
		one := first[k]
		if vague := why != ""; vague != (one.Source == "") || vague != (one.Executable != "") || vague != (one.why != "") ||
			!strings.Contains(one.why, why) {
			t.Errorf("part %d: got %+v, want %q", k, one, why)
		}
	}
	if first[0].Source == first[1].Source || first[0].Source != first[2].Source {
		t.Errorf("got %+v; a pointer is of the same source, another type is not", first)
	}
	_, other := compiled(t, strings.NewReplacer("start = 4", "start = 5", "// told", "", "&At{}", "&At{1}").Replace(laboratory),
		"-ldflags=-s -w")
	if again := ask(t, other); again[0].Source != first[0].Source || again[1].Source != first[1].Source ||
		again[5].Executable == first[5].Executable {
		t.Errorf("with another main: got %+v, want the sources of %+v and another program", again, first)
	}
	_, other = compiled(t, strings.Replace(laboratory, "i += step", "i += 2*step", 1))
	if again := ask(t, other); again[0].Source == first[0].Source || again[1].Source != first[1].Source {
		t.Errorf("with another function of Pivot's: got %+v, want another than %+v", again[:2], first[:2])
	}
	_, other = compiled(t, laboratory, "-trimpath")
	if again := ask(t, other); again[0].Source != "" || !strings.Contains(again[0].why, "build it without -trimpath") {
		t.Errorf("without its files' places: got %+v", again[0])
	}
	if again := ask(t, path, filepath.Join(dir, "main.go")); again[0].Source != first[0].Source {
		t.Errorf("its file is written anew while it runs: got %+v, want %+v", again[0], first[0])
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.Replace(laboratory, "i += step", "i += 3*step", 1)),
		0o644))
	if again := ask(t, path); again[0].Source != "" || again[0].Executable == "" ||
		!strings.Contains(again[0].why, "has changed since the program was built") {
		t.Errorf("an edited file: got %+v", again[0])
	}
	must.Do(t, os.Remove(filepath.Join(dir, "main.go")))
	if again := ask(t, path); again[0].Source != "" || again[0].why == "" {
		t.Errorf("a file that is gone: got %+v", again[0])
	}
}

// go run takes a program again that it has built of the same files before, wherever its cache is: an edit that is taken back gives the part
// its identity again.
func TestPartsOfGoRun(t *testing.T) {
	dir, _ := compiled(t, laboratory)
	cache := t.TempDir() // of no name that go run gives
	var sums []string
	for _, change := range []string{"i += step", "i += 2*step", "i += step"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.Replace(laboratory, "i += step", change, 1)),
			0o644))
		c := exec.CommandContext(t.Context(), "go", "run", "main.go")
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOCACHE="+cache)
		sums = append(sums, heard(t, c)[0].Source)
	}
	if sums[0] == "" || sums[1] == "" || sums[0] == sums[1] || sums[0] != sums[2] {
		t.Errorf("got %q, want the first again, and another between", sums)
	}
}
