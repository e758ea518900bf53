package run

import (
	"bytes"
	"go/build"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	sources "vlpx.internal"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/blip2"
)

// keptApart are packages of this module that compute nothing of a run: what they do is in its identity.
var keptApart = []string{"vlpx/identity", "."}

// All packages that compute are among the sources that the program has, and each file that the code leaves out is there.
func TestSourcesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(dir string) {
		if seen[dir] || slices.Contains(keptApart, dir) {
			return
		}
		seen[dir] = true
		if computing().sums[dir] == "" {
			t.Errorf("sources.go lacks %s, which computes: add %s/*.go to what it embeds", dir, dir)
		}
		of, err := build.Default.ImportDir("../../"+dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range of.Imports {
			if imported == strings.TrimSuffix(module, "/") {
				imported = module + "."
			}
			if within, ours := strings.CutPrefix(imported, module); ours {
				visit(within)
			}
		}
	}
	visit("vlpx/run")
	all, err := fs.Glob(sources.Computing, frameworks+"/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		visit(path.Dir(file))
	}
	if len(seen) < 30 {
		t.Errorf("got %d packages, want all", len(seen))
	}
	for dir := range computing().sums {
		if !seen[dir] {
			t.Errorf("sources.go has %s, which nothing that computes imports", dir)
		}
	}
	for _, file := range keeping {
		if _, err := fs.Stat(sources.Computing, "vlpx/run/"+file); err != nil {
			t.Error(err)
		}
	}
}

// sourceFiles are the files of the program's source, to be changed.
func sourceFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(sources.Computing, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sources.Computing, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The code of a run is another one where a file that computes it says something else, and only there.
func TestCode(t *testing.T) {
	files := sourceFiles(t)
	of := []framework.Framework{albef.Model{}, blip2.Model{}, struct{ albef.Model }{}, nil}
	codes := func() (all []string) {
		c := readCode(files)
		for _, f := range of {
			all = append(all, c.code(f, nil)) // of no settings that are told, so of whole packages
		}
		return all
	}
	first := codes()
	if whole := computing().of("", nil); whole != first[3] || first[0] == first[1] || first[0] == first[3] || len(first[0]) != 16 {
		t.Errorf("got %q of %v", first, of)
	}
	for _, c := range []struct {
		file, old, new string
		changed        []bool // of each framework
	}{
		{"vlpx/negative/infonce.go", "func (", "// changed\nfunc (", []bool{false, false, false, false}},
		{"vlpx/negative/infonce.go", "func (", "func changed() {}\n\nfunc (", []bool{true, true, true, true}},
		{"vlpx/scheduler/tile_amd64.s", "loop:", "again:", []bool{true, true, true, true}},
		{"vlpx/run/store.go", "func (", "func changed() {}\n\nfunc (", []bool{false, false, false, false}},
		{"vlpx/run/execute.go", "func (", "func changed() {}\n\nfunc (", []bool{true, true, true, true}},
		{"vlpx/run/run_test.go", "func ", "func changed() {}\n\nfunc ", []bool{false, false, false, false}},
		{"vlpx/framework/opt/opt.go", "func (", "func changed() {}\n\nfunc (", []bool{false, true, true, true}},
		{"vlpx/framework/albef/step.go", "func (", "func changed() {}\n\nfunc (", []bool{true, false, true, true}},
		{"datasets/scenes/scenes.go", "func ", "func changed() {}\n\nfunc ", []bool{true, true, true, true}},
	} {
		before := files[c.file]
		files[c.file] = &fstest.MapFile{Data: bytes.Replace(before.Data, []byte("\n"+c.old), []byte("\n"+c.new), 1)}
		if bytes.Equal(before.Data, files[c.file].Data) {
			t.Fatalf("%s was not changed", c.file)
		}
		for k, now := range codes() {
			if (now != first[k]) != c.changed[k] {
				t.Errorf("%s with %q: the code of %T changed: %v", c.file, c.new, of[k], now != first[k])
			}
		}
		files[c.file] = before
	}
	if (Run{}).OtherCode(Result{}) || (Run{}).OtherCode(Result{Code: first[3]}) || !(Run{}).OtherCode(Result{Code: first[0]}) ||
		(Run{}).OtherCode(Result{Code: (Run{}).Code()}) {
		t.Error("a result of this program's code, or of none that it tells, is told to be of another one, or the other way round")
	}
}
