package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Every ending gives a file, and a figure that is not there is an error which leaves none.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	o := smallest(filepath.Join(dir, "home"))
	grid := must.Get(OpenComparison([]string{"InfoNCE"}, o))(t)
	empty := must.Get(grid.Report())(t)
	report := made(t, grid)
	for _, e := range endings {
		path := filepath.Join(dir, "file."+e.name)
		if e.figure {
			must.Fail(t, empty.Save(path), "no figure", "%s without results", path)
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s is there", path)
			}
		}
		if e.name == "claims.tex" { // of one method there are none
			must.Fail(t, report.Save(path), "no claims", "%s", path)
			continue
		}
		if err := report.Save(path); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(path); err != nil || len(text) == 0 {
			t.Errorf("%s: %d bytes, %v", path, len(text), err)
		}
	}
	must.Fail(t, report.Save(filepath.Join(dir, "missing", "f.png")), "missing", "a folder that is not there")
}

// A shipped result is shown without its data, and what is found of other data is not among it.
func TestShippedWithoutItsData(t *testing.T) {
	t.Setenv("VLPX_DATA", t.TempDir())
	for _, c := range []struct{ id, data, want string }{
		{"glofnd/table1", "", "CIFAR-100 is not here"}, {"glofnd/stats", "cifar100", "CIFAR-100 is not here"},
	} {
		grid := must.Get(OpenShown(c.id, Options{Data: c.data, Home: t.TempDir()}))(t)
		report := must.Get(grid.Report())(t)
		if note := report.whole.Note; !strings.Contains(note, c.want) || report.whole.Rows[0].Status != "5 shipped seeds" {
			t.Errorf("%s: got %q under %q", c.id, note, report.whole.Rows[0].Status)
		}
	}
	if _, err := OpenShown("falcon/table4", Options{Data: "flickr8k", Home: t.TempDir()}); err == nil {
		t.Error("data that is not here, and of which nothing is shipped, is shown")
	}
}
