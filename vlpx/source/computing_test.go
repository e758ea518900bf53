package source

import (
	"bytes"
	"go/build"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	sources "vlpx.internal"
	"vlpx.internal/internal/test/must"
)

// A test's binary names no revision, so that the kernel's word counts, and none is unknown.
func TestCommit(t *testing.T) {
	for said, want := range map[string]string{"": "unknown", "0123456789ab+changes": "0123456789ab+changes"} {
		t.Setenv("VLPX_COMMIT", said)
		if got := Commit(); got != want {
			t.Errorf("VLPX_COMMIT=%q: got %q, want %q", said, got, want)
		}
	}
}

// The program has the source of every package of this module that package run and the frameworks import.
func TestSourcesAreWhole(t *testing.T) {
	all := computing()
	if len(all.sums) < 30 {
		t.Errorf("got %d packages, want all that compute", len(all.sums))
	}
	for dir := range all.sums {
		if dir+"/" == ours || dir == strings.TrimSuffix(ours, "/") {
			continue
		}
		of := must.Get(build.Default.ImportDir("../../"+dir, 0))(t)
		for _, file := range append(of.GoFiles, of.SFiles...) {
			if _, err := fs.Stat(sources.Files, dir+"/"+file); err != nil {
				t.Errorf("the pattern in sources.go leaves out %s: %v", file, err)
			}
		}
	}
}

// sourceFiles are the files of the program's source, to be changed.
func sourceFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	must.Do(t, fs.WalkDir(sources.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sources.Files, name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	}))
	return files
}

// The code of a run is another one where a package that computes it says something else, and only there.
func TestCode(t *testing.T) {
	files := sourceFiles(t)
	of := []string{"vlpx/framework/albef", "vlpx/framework/blip2", "main", ""}
	codes := func() (all []string) {
		p := readPackages(files)
		for _, dir := range of {
			all = append(all, p.code(dir))
		}
		return all
	}
	first := codes()
	if whole := Code(nil); whole != first[3] || first[0] == first[1] || first[0] == first[3] || first[2] != first[3] ||
		len(first[0]) != 16 {
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
		{"vlpx/train/loop.go", "func (", "func changed() {}\n\nfunc (", []bool{true, true, true, true}},
		{"vlpx/train/train_test.go", "func ", "func changed() {}\n\nfunc ", []bool{false, false, false, false}},
		{"vlpx/scale/scale.go", "func ", "func changed() {}\n\nfunc ", []bool{false, false, false, false}},
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
				t.Errorf("%s with %q: the code of %s changed: %v", c.file, c.new, of[k], now != first[k])
			}
		}
		files[c.file] = before
	}
}
