package docs

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

var update = flag.Bool("update", false, "write the examples into GOMLX.md")

// block is an example in the page: a mark with its name, and its code.
var block = regexp.MustCompile("(?s)<!-- (\\w+) -->\n```go\n(.*?)```\n")

// snippet is code within a line.
var snippet = regexp.MustCompile("`([^`]+)`")

// name is a function's alone.
var name = regexp.MustCompile(`^\w+$`)

// The page's examples are of those that compile and run, each once, and what its tables have of GoMLX is code of theirs.
func TestPage(t *testing.T) {
	source := must.Get(os.ReadFile("gomlx_test.go"))(t)
	want := bodies(t, source)
	page := must.Get(os.ReadFile("GOMLX.md"))(t)
	if *update {
		page = block.ReplaceAllFunc(page, func(of []byte) []byte {
			name := string(block.FindSubmatch(of)[1])
			return []byte("<!-- " + name + " -->\n```go\n" + want[name] + "```\n")
		})
		must.Do(t, os.WriteFile("GOMLX.md", page, 0o644))
	}
	shown := map[string]bool{}
	for _, of := range block.FindAllStringSubmatch(string(page), -1) {
		name, code := of[1], of[2]
		switch {
		case want[name] == "":
			t.Errorf("GOMLX.md shows %s, and gomlx_test.go has no such example", name)
		case shown[name]:
			t.Errorf("GOMLX.md shows %s twice", name)
		case code != want[name]:
			t.Errorf("GOMLX.md shows of %s\n%s\nwant, by go test ./docs -update,\n%s", name, code, want[name])
		}
		shown[name] = true
	}
	rows := 0
	for _, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") || len(cells) < 2 {
			continue
		}
		rows++
		for _, code := range snippet.FindAllStringSubmatch(cells[1], -1) {
			want := code[1]
			if name.MatchString(want) {
				want += "("
			}
			if !strings.Contains(string(source), want) {
				t.Errorf("the table has %q, which no example has", code[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("found %d rows in the table", rows)
	}
}

// bodies are the examples' by their names, without indentation, with what they print, and methods by their types.
func bodies(t *testing.T, source []byte) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file := must.Get(parser.ParseFile(files, "gomlx_test.go", source, parser.ParseComments))(t)
	all := map[string]string{}
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if is && f.Recv != nil { // a block by the name of a type shows its methods
			of := f.Recv.List[0].Type.(*ast.Ident).Name
			if all[of] != "" {
				all[of] += "\n"
			}
			all[of] += string(source[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset]) + "\n"
		}
		if !is || !strings.HasPrefix(f.Name.Name, "Example_") {
			continue
		}
		body := source[files.Position(f.Body.Lbrace).Offset+1 : files.Position(f.Body.Rbrace).Offset]
		var lines []string
		for _, line := range strings.Split(strings.Trim(string(body), "\n"), "\n") {
			lines = append(lines, strings.TrimPrefix(line, "\t"))
		}
		all[strings.TrimPrefix(f.Name.Name, "Example_")] = strings.Join(lines, "\n") + "\n"
	}
	if len(all) == 0 {
		t.Fatal("no examples")
	}
	return all
}
