package vlpx

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
)

// The front door has what a cell calls, and nothing else: a new name is put here on purpose. What programs need besides is in package lab.
func TestNames(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				got = append(got, n.Name.Name)
				return false
			case *ast.TypeSpec:
				got = append(got, n.Name.Name)
			case *ast.ValueSpec:
				for _, name := range n.Names {
					got = append(got, name.Name)
				}
			}
			return true
		})
	}
	got = slices.DeleteFunc(got, func(name string) bool { return !ast.IsExported(name) })
	slices.Sort(got)
	listtest.Equal(t, "the exported names of vlpx", got, strings.Fields(`
		Audit Auditing Bench Benchmark Compare CompareRuns Embed Explore ExportRuns ImportRuns Main Map Mapping Measure Options PruneRuns Pruning Removal
		RemoveRuns Report Reproduce Run RunFilter Runs Save Score Search Show ShowRun ShowSpeed ShowStore Speed Sweep Sweeping Try Update
		VerifyStore View`))
}

// A library returns its errors: a program ends in must alone, which is a cell's, and nothing changes its folder.
func TestNothingElseEndsTheProgram(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || path == "must.go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, call := range []string{"os.Exit(", "os.Chdir(", "log.Fatal"} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s calls %s", path, call)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
