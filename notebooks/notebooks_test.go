package notebooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
)

func TestCommittedFilesAreTheGenerated(t *testing.T) {
	files := must.Get(Files())(t)
	var names []string
	for name, notebook := range files {
		names = append(names, name)
		want, err := notebook.Encode()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its Go code generates; run go generate ./notebooks", name)
		}
	}
	committed := must.Get(filepath.Glob("*.ipynb"))(t)
	slices.Sort(names)
	listtest.Equal(t, "the notebooks here against the generated ones", committed, names)
}

// The papers' notebooks; blip2.ipynb tells what two papers have of one framework once more, beside artifacts of our own, and
// your-method.ipynb shows a table of FALCON's once more, with further rows.
var papers = []func() (kernels.Notebook, error){falcon, mafa, srcl, glofnd, tags}

func TestEveryArtifactIsShownOnceInThePapersOrder(t *testing.T) {
	shown := map[string][]string{} // IDs by their paper, notebook by notebook
	for k, notebook := range append(slices.Clone(papers), blip2) {
		notebook := must.Get(notebook())(t)
		encoded := must.Get(notebook.Encode())(t)
		for _, call := range strings.Split(string(encoded), `vlpx.Reproduce(\"`)[1:] {
			id, _, _ := strings.Cut(call, `\"`)
			of, _, _ := strings.Cut(id, "/")
			if k == len(papers) && of != "vlpx" {
				continue
			}
			shown[of] = append(shown[of], id)
		}
	}
	there := map[string][]string{}
	for _, a := range catalogue.List() {
		if a.Status() != paper.NotYet {
			there[a.Paper()] = append(there[a.Paper()], a.ID)
		}
	}
	for of := range maps.Keys(shown) {
		if there[of] == nil {
			t.Errorf("the notebooks show %q, of which there is nothing", of)
		}
	}
	for of, ids := range there {
		listtest.Equal(t, "what the notebooks show of "+of, shown[of], ids)
	}
}

func TestUnknownArtifactIsAnError(t *testing.T) {
	_, err := compose("", "1", "falcon/tabel1")
	if err == nil || !strings.Contains(err.Error(), `"falcon/table1"`) {
		t.Errorf("error %v, want one that suggests falcon/table1", err)
	}
}

// program puts the code cells of a notebook together as the kernel does, declarations side by side, statements in functions, as a package.
func program(t *testing.T, notebook []byte) string {
	t.Helper()
	var file struct {
		Cells []struct {
			Kind   string `json:"cell_type"`
			Source []string
		}
	}
	must.Do(t, json.Unmarshal(notebook, &file))
	imports, declarations := map[string]bool{}, ""
	for k, cell := range file.Cells {
		source := strings.Join(cell.Source, "")
		if cell.Kind != "code" {
			continue
		}
		if statements, found := strings.CutPrefix(source, "%%\n"); found {
			declarations += fmt.Sprintf("func cell%d() {\n%s\n}\n", k+1, statements)
			continue
		}
		source = "package main\n" + source
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("cell %d: %v", k+1, err)
		}
		rest := files.Position(parsed.Name.End()).Offset
		for _, d := range parsed.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				from, to := files.Position(g.Pos()).Offset, files.Position(g.End()).Offset
				imports[source[from:to]] = true
				rest = to
			}
		}
		declarations += source[rest:] + "\n"
	}
	text := "package cells\n"
	for clause := range imports {
		text += clause + "\n"
	}
	return text + declarations
}

// The kernel's own tests run the notebooks, where there is a Jupyter; this one finds what does not compile anywhere. One go command reads
// the module once for all of them, each a package that is here for that command alone, and links none.
func TestCellsCompile(t *testing.T) {
	files := must.Get(Files())(t)
	here, dir := must.Get(os.Getwd())(t), t.TempDir()
	command, overlay := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json")), map[string]string{}
	for name, notebook := range files {
		encoded, source := must.Get(notebook.Encode())(t), filepath.Join(dir, name+".go")
		must.Do(t, os.WriteFile(source, []byte(program(t, encoded)), 0o644))
		folder := "cells_" + strings.TrimSuffix(name, ".ipynb")
		overlay[filepath.Join(here, folder, "main.go")] = source
		command.Args = append(command.Args, "./"+folder)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "overlay.json"), must.Get(json.Marshal(map[string]any{"Replace": overlay}))(t), 0o644))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// What the notebook promises: two parts in less than 40 lines, and a framework and a task in not many more.
func TestYourPartsAreShort(t *testing.T) {
	for name, c := range map[string]struct {
		cell string
		most int
	}{"parts": {yourParts, 39}, "task": {yourTask, 30}, "framework": {yourFramework, 39}} {
		_, parts, found := strings.Cut(c.cell, "\n)\n")
		if lines := strings.Count(strings.TrimSpace(parts), "\n") + 1; !found || lines > c.most {
			t.Errorf("the %s takes %d lines after the imports, want at most %d", name, lines, c.most)
		}
	}
}
