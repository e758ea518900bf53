package rules

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	sources "vlpx.internal"
	"vlpx.internal/internal/test/must"
)

var update = flag.Bool("update", false, "write testdata/exceptions.txt with the exceptions that are left")

// file is a Go file of the module that is no test.
type file struct {
	path    string // below the module
	syntax  *ast.File
	imports map[string]string // names of this module's packages in the file, and their paths below the module
}

// files are those of the module, tests apart.
func files(t *testing.T) []file {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	var all []file
	must.Do(t, filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != root || d.Name() == "testdata" || d.Name() == "build") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := file{path: filepath.ToSlash(below), syntax: syntax, imports: map[string]string{}}
		for _, i := range syntax.Imports {
			of, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			of, ours := strings.CutPrefix(of, sources.Folder)
			if !ours {
				continue
			}
			as := path.Base(of)
			if i.Name != nil {
				as = i.Name.Name
			}
			f.imports[as] = of
		}
		all = append(all, f)
		return nil
	}))
	return all
}

// in tells whether a file lies in a folder or below it.
func (f file) in(folders ...string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(f.path, folder+"/") })
}

// implementing are the exported types of a package with one of the methods.
func implementing(all []file, folder string, methods ...string) map[string]bool {
	types := map[string]bool{}
	for _, f := range all {
		if path.Dir(f.path) != folder {
			continue
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !slices.Contains(methods, fn.Name.Name) {
				continue
			}
			of := fn.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if name, ok := of.(*ast.Ident); ok && name.IsExported() {
				types[name.Name] = true
			}
		}
	}
	return types
}

// naming are the types of a package that files name, "FILE PACKAGE.TYPE" each.
func naming(all []file, folder string, types map[string]bool, homes ...string) map[string]bool {
	found := map[string]bool{}
	for _, f := range all {
		if f.in(homes...) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := sel.X.(*ast.Ident); ok && f.imports[of.Name] == folder && types[sel.Sel.Name] {
				found[fmt.Sprintf("%s %s.%s", f.path, path.Base(folder), sel.Sel.Name)] = true
			}
			return true
		})
	}
	return found
}

// exceptions are the breaches of the rules that still stand, one a line of testdata/exceptions.txt.
func exceptions(t *testing.T) map[string]bool {
	t.Helper()
	text := must.Get(os.Open(filepath.Join("testdata", "exceptions.txt")))(t)
	defer text.Close()
	all := map[string]bool{}
	for lines := bufio.NewScanner(text); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			all[line] = true
		}
	}
	return all
}

// TestHomes holds that frameworks, tasks and parts of methods are known by name in few places, so that one more touches nothing else. The
// exceptions are those of today. Their list may only shrink: one that is gone has to go from the list, too. The benchmark is a home: it
// tells PyTorch's twin of each framework and method what to build, and twins are written one by one.
func TestHomes(t *testing.T) {
	all := files(t)
	found := map[string]bool{}
	for _, f := range all {
		if f.in("vlpx/framework", "vlpx/papers", "cmd/bench") {
			continue
		}
		for _, of := range f.imports {
			if strings.HasPrefix(of, "vlpx/framework/") && of != "vlpx/framework/all" {
				found[f.path+" "+of] = true
			}
		}
	}
	maps.Copy(found, naming(all, "vlpx/eval", implementing(all, "vlpx/eval", "Measure"), "vlpx/eval", "vlpx/framework", "vlpx/papers",
		"notebooks"))
	parts := implementing(all, "vlpx/negative", "ITC", "Pairs", "Start", "Connect", "Find", "Write")
	homes := []string{"vlpx/negative", "vlpx/papers", "notebooks", "cmd/bench"}
	for _, f := range all {
		if folder := path.Dir(f.path); f.in("vlpx/framework") && path.Base(folder) == "preset" {
			homes = append(homes, folder) // a framework's paper, with the parts that its stages have
		}
	}
	maps.Copy(found, naming(all, "vlpx/negative", parts, homes...))
	if *update {
		head := "# Breaches of the rules of TestHomes that still stand: this list may only shrink.\n"
		lines := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
		must.Do(t, os.WriteFile(filepath.Join("testdata", "exceptions.txt"), []byte(head+lines), 0o644))
	}
	known := exceptions(t)
	for _, breach := range slices.Sorted(maps.Keys(found)) {
		if !known[breach] {
			t.Errorf("%s: go by an interface or a registry; concrete frameworks, tasks and parts are named at home and in papers alone",
				breach)
		}
	}
	for _, gone := range slices.Sorted(maps.Keys(known)) {
		if !found[gone] {
			t.Errorf("%s is gone: take it from testdata/exceptions.txt, too", gone)
		}
	}
}
