package vlpx

import (
	"go/ast"
	"go/parser"
	"go/token"
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
		Bench Benchmark Compare CompareRuns Explore ExportRuns ImportRuns Measure Options PruneRuns Pruning Removal RemoveRuns Report Reproduce
		Run RunFilter Runs Save Show ShowRun ShowSpeed ShowStore Speed Sweep Sweeping Update VerifyStore View`))
}
