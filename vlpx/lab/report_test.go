package lab

import (
	"os"
	"path/filepath"
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
