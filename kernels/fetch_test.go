package kernels

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// write makes the files under dir, and the folders that these need.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(content), 0o755))
	}
}

// runGo runs the go command in dir.
func runGo(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	must.Get(goCommand(t.Context(), dir, nil, arguments...))(t)
}

// publish makes a module proxy in a folder, with these modules' packages, and has the go command ask it alone and keep its
// modules in empty caches.
func publish(t *testing.T, modules map[string]string) {
	t.Helper()
	proxy := t.TempDir()
	for path, source := range modules {
		mod := "module " + path + "\n\ngo 1.26\n"
		var zipped bytes.Buffer
		archive := zip.NewWriter(&zipped)
		for name, content := range map[string]string{"go.mod": mod, "package.go": source} {
			file := must.Get(archive.Create(path + "@v1.0.0/" + name))(t)
			must.Get(file.Write([]byte(content)))(t)
		}
		must.Do(t, archive.Close())
		write(t, filepath.Join(proxy, path, "@v"), map[string]string{
			"list": "v1.0.0\n", "v1.0.0.info": `{"Version": "v1.0.0"}`, "v1.0.0.mod": mod, "v1.0.0.zip": zipped.String(),
		})
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOMODCACHE", t.TempDir())
}

// smallCheckout makes a checkout of a vlpx that imports one module on every system and another on Plan 9 alone, and has a
// test with a third. GOMODCACHE is then a new one, empty.
func smallCheckout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, map[string]string{
		"go.mod": "module vlpx.internal\n\ngo 1.26\n\nrequire (\n" +
			"\texample.com/common v1.0.0\n\texample.com/plan9 v1.0.0\n\texample.com/testing v1.0.0\n)\n",
		"vlpx/vlpx.go":              "package vlpx\n\nimport \"example.com/common\"\n\nconst Name = common.Name\n",
		"vlpx/vlpx_plan9.go":        "package vlpx\n\nimport _ \"example.com/plan9\"\n",
		"vlpx/vlpx_test.go":         "package vlpx\n\nimport _ \"example.com/testing\"\n",
		"kernels/cmd/probe/main.go": "package main\n\nimport _ \"vlpx.internal/vlpx\"\n\nfunc main() {}\n",
		"kernels/tools/go.mod":      "module tools\n\ngo 1.26\n",
		"kernels/tools/go.sum":      "",
	})
	runGo(t, root, "mod", "tidy")
	t.Setenv("GOMODCACHE", t.TempDir())
	return root
}

// withPrograms makes a kernelspec under prefix as one that a checkout installed, whose programs need not be built again.
func withPrograms(t *testing.T, prefix, root string) string {
	t.Helper()
	data := must.Get(dataDir(prefix))(t)
	tools := must.Get(toolsIdentity(t.Context(), root))(t)
	spec := specDir(data)
	must.Do(t, writeSpec(spec, installed{Checkout: root, Tools: tools}))
	for _, program := range programs {
		write(t, spec, map[string]string{"bin/" + program.name: ""})
	}
	return spec
}

// cellsFolder is what GoNB makes for the cells of a notebook: a module that has the checkout in its place, and a workspace.
func cellsFolder(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":  "module gonb_1\n\ngo 1.26\n\nreplace vlpx.internal => " + root + "\n",
		"go.work": "go 1.26\n\nuse (\n\t.\n\t" + root + "\n)\n",
		"main.go": "package main\n\nimport \"vlpx.internal/vlpx\"\n\nfunc main() { println(vlpx.Name) }\n",
	})
	return dir
}

// On a machine with empty caches the installation fetches what the go get before a cell wants without a network, which is
// more than building fetches.
func TestInstallFetchesWhatCellsNeed(t *testing.T) {
	publish(t, map[string]string{
		"example.com/common":  "package common\n\nconst Name = \"common\"\n",
		"example.com/plan9":   "package plan9\n",
		"example.com/testing": "package testing\n",
	})
	root, prefix := smallCheckout(t), t.TempDir()
	t.Chdir(root)
	spec := withPrograms(t, prefix, root)
	runGo(t, root, "build", "./vlpx")
	get := exec.Command(filepath.Join(spec, "bin", "go"), "get")
	get.Dir = cellsFolder(t, root)
	command := must.Get(exec.LookPath("go"))(t)
	get.Env = append(os.Environ(), "GOPROXY=off", "VLPX_GO="+command)
	complaint, err := get.CombinedOutput()
	if err == nil || strings.Count(string(complaint), "\n") != 1 || !strings.Contains(string(complaint), "example.com/plan9@v1.0.0") ||
		!strings.Contains(string(complaint), "vlpx notebook -install") {
		t.Fatalf("before the installation: %v, %q; want one line that names a module and says what to do", err, complaint)
	}
	must.Do(t, Install(t.Context(), prefix, t.Output()))
	again := exec.Command(get.Path, "get")
	again.Dir, again.Env = get.Dir, get.Env
	if complaint, err := again.CombinedOutput(); err != nil {
		t.Errorf("after the installation: %v, %s", err, complaint)
	}
}

// How a cell is linked does not hang on git, which refuses to read a checkout of another user's, as a container's often is.
func TestLinkFlagsWithoutGit(t *testing.T) {
	publish(t, map[string]string{"example.com/common": "package common\n\nconst Name = \"\"\n",
		"example.com/plan9": "package plan9\n", "example.com/testing": "package testing\n"})
	root := smallCheckout(t)
	want := must.Get(linkFlags(t.Context(), root))(t)
	write(t, root, map[string]string{".git/HEAD": "none"})
	if got, err := linkFlags(t.Context(), root); got != want || err != nil {
		t.Errorf("got %q (%v), want %q as without git", got, err, want)
	}
}

// Who installs from another checkout is told that the kernel was of the one before, once. What is only brought up to date from another
// checkout stays the one's, as long as that is there, and says so each time.
func TestInstallTellsOfAnotherCheckout(t *testing.T) {
	publish(t, map[string]string{"example.com/common": "package common\n\nconst Name = \"\"\n",
		"example.com/plan9": "package plan9\n", "example.com/testing": "package testing\n"})
	first, second, prefix := smallCheckout(t), smallCheckout(t), t.TempDir()
	spec := withPrograms(t, prefix, first)
	for _, test := range []struct {
		name    string
		bring   func(context.Context, string, io.Writer) error
		root    string
		gone    string
		of      string
		says    string
		imports string
	}{
		{"brought up to date", Update, first, "", first, "", first},
		{"from another one", Update, second, "", first, "the kernel is of another checkout, " + first, second},
		{"once more", Update, second, "", first, "vlpx notebook -install makes the kernel this one's", second},
		{"installed from the other one", Install, second, "", second, "the kernel was of the checkout " + first + "; from now on", second},
		{"once more", Install, second, "", second, "", second},
		{"brought up to date by the first", Update, first, "", second, "the kernel is of another checkout, " + second, first},
		{"which is alone now", Update, first, second, first, "the kernel was of the checkout " + second + ", which is gone", first},
	} {
		if test.gone != "" {
			must.Do(t, os.RemoveAll(test.gone))
		}
		t.Chdir(test.root)
		var progress strings.Builder
		must.Do(t, test.bring(t.Context(), prefix, &progress))
		if said := progress.String(); !strings.Contains(said, test.says) || test.says == "" && strings.Contains(said, "checkout") {
			t.Errorf("%s: it says %q, want %q", test.name, said, test.says)
		}
		if kernel, err := readSpec(spec); err != nil || kernel.Checkout != test.of {
			t.Errorf("%s: the kernel is of %s (%v), want %s", test.name, kernel.Checkout, err, test.of)
		}
		for notebook, want := range map[string]string{filepath.Join(t.TempDir(), "a.ipynb"): test.imports,
			filepath.Join(first, "vlpx", "a.ipynb"): first} {
			if from, installed, err := Imports(prefix, notebook); from != want || installed != test.of || err != nil {
				t.Errorf("%s: %s imports from %s (%v), want %s", test.name, notebook, from, err, want)
			}
		}
		if env := environment("data"); env[len(env)-1] != "VLPX_CHECKOUT="+test.root {
			t.Errorf("%s: a Jupyter gets %s, want %s", test.name, env[len(env)-1], test.root)
		}
	}
}

// The go command of GoNB's is the real one, but for what it says of a go get that fails.
func TestGoTellsWhatIsMissingInALine(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, writeSpec(dir, installed{}))
	var sixty strings.Builder
	for k := range 30 {
		fmt.Fprintf(&sixty,
			"go: gonb_1 imports\n\tvlpx.internal/vlpx imports\n\texample.com/p%d/sub: example.com/m%d@v1.2.3: module lookup disabled by GOPROXY=off\n", k, k%5)
	}
	for _, test := range []struct{ name, says, want string }{
		{"missing modules", sixty.String(),
			"cells need modules that are not on this machine: example.com/m0@v1.2.3, example.com/m1@v1.2.3, example.com/m2@v1.2.3 and 2 " +
				"more; vlpx notebook -install fetches them\n"},
		{"a package that no module has",
			"go: gonb_1 imports\n\tx.com/y: cannot find module providing package x.com/y: module lookup disabled by GOPROXY=off\n",
			"no module here has the package x.com/y; if the network has it, set %env GOPROXY= to your module proxy in a cell before\n"},
		{"anything else, but not without end", strings.Repeat("first\n", 50) + "last\n", strings.Repeat("first\n", 7) + "last\n"},
	} {
		write(t, dir, map[string]string{"real": "#!/bin/sh\nif [ \"$1\" = get ] && [ \"$3\" = '' ]; then cat <<'end' >&2\n" + test.says +
			"end\nexit 7\nfi\necho \"$@\"\n"})
		for _, arguments := range [][]string{{"get"}, {"get", "-t"}} {
			command := exec.Command(filepath.Join(dir, "bin", "go"), arguments...)
			command.Env = append(os.Environ(), "VLPX_GO="+filepath.Join(dir, "real"))
			told, _ := command.CombinedOutput()
			if string(told) != test.want || command.ProcessState.ExitCode() != 7 {
				t.Errorf("%s: go %s says %q with status %d, want %q with 7", test.name, arguments, told, command.ProcessState.ExitCode(),
					test.want)
			}
		}
	}
	command := exec.Command(filepath.Join(dir, "bin", "go"), "build", "-o", "a path", ".")
	command.Env = append(os.Environ(), "VLPX_GO="+filepath.Join(dir, "real"))
	if told, err := command.CombinedOutput(); string(told) != "build -o a path .\n" || err != nil {
		t.Errorf("go build says %q (%v), want what the real one says", told, err)
	}
}
