package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// compared plans methods beside each other.
func compared(t *testing.T, q plan.Request, methods ...string) (*paper.Planned, error) {
	t.Helper()
	var rows []plan.Row
	for _, name := range methods {
		row := must.Get(plan.Variant(name, nil))(t)
		rows = append(rows, row)
	}
	a := must.Get(paper.Compared(rows))(t)
	return paper.NewPlan(a, q)
}

// detections is a folder of files, whose content a plan only hashes.
func detections(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "found")
	must.Do(t, os.MkdirAll(dir, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "one.npz"), []byte("regions"), 0o644))
	return dir
}

// UNITER has boxes of scenes, files where a folder is given, and a grid behind a locked encoder, in all runs that a row needs.
func TestRegionsOfRuns(t *testing.T) {
	photographs, found, places := papertest.Photographs(t), detections(t), withViT(t)
	for name, c := range map[string]struct {
		request plan.Request
		want    string // source, rows and features
		note    string
	}{
		"scenes": {plan.Request{}, "boxes 4 128", "as a perfect detector finds them"},
		"noise": {plan.Request{Set: []string{"regions.noise=.1", "regions.width=64", "Regions.Count=3"}}, "boxes 3 64",
			"0.1 of a side off"},
		"files": {plan.Request{Data: photographs, Regions: found, Places: places}, "files 100 2048", "precomputed regions"},
		"fewer": {plan.Request{Data: photographs, Regions: found, Set: []string{"regions.count=36"}}, "files 36 2048",
			"precomputed regions"},
		"grid": {plan.Request{Data: photographs, Places: places}, "grid 50 16", "that encoder's patches"},
		"asked": {plan.Request{Set: []string{"locked.side=2", "image=32", "regions.source=grid"}, Places: places}, "grid 5 16",
			"that encoder's patches"},
	} {
		q := c.request
		q.Scale, q.Seeds, q.Set = "mini", []uint64{1}, append([]string{"mincount=1", "warmstart=1"}, q.Set...)
		p, err := compared(t, q, "UNITER, framework=uniter", "TAGS-DC, framework=uniter")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		starts := 0
		for _, r := range p.Runs() {
			of := "grid"
			switch {
			case r.Regions.Boxes != nil:
				of = "boxes"
			case r.Regions.Files != nil:
				of = "files"
			}
			sees := r.Train.Framework.Framework.(uniter.Model).Regions
			got := fmt.Sprintf("%s %d %d", of, r.Regions.Count, r.Regions.Width)
			if got != c.want || sees.Count != r.Regions.Count || sees.Features != r.Regions.Width || r.Regions.Grid != (r.Locked != nil) {
				t.Errorf("%s: %s: got %s and a model of %+v, want %s", name, r.Train.Method.Name, got, sees, c.want)
			}
			if r.Train.Method.Name == "Warm start" {
				starts++
			}
		}
		if starts != 1 {
			t.Errorf("%s: %d warm starts, want one of both methods", name, starts)
		}
		table, err := papertest.Report(t, p, run.OpenStore(t.TempDir())).Table()
		if err != nil || !strings.Contains(table.Note, c.note) {
			t.Errorf("%s: the note is %q (%v), want that it says %q", name, table.Note, err, c.note)
		}
		if asked := slices.Contains(p.Settings(), "regions=found"); asked != (q.Regions != "") {
			t.Errorf("%s: the settings are %q", name, p.Settings())
		}
	}
}

// What is missing or does not fit together is told with what to do.
func TestRegionsThatCannotBe(t *testing.T) {
	photographs, found, places := papertest.Photographs(t), detections(t), withViT(t)
	for want, q := range map[string]plan.Request{
		"give a folder of precomputed ones with -regions": {Data: photographs},
		"none of boxes, files, grid":                      {Set: []string{"regions.source=crops"}},
		"give -regions FOLDER":                            {Set: []string{"regions.source=files"}},
		"leave both out":                                  {Regions: found, Set: []string{"regions.source=boxes"}},
		"set both or neither":                             {Set: []string{"regions.source=grid"}},
		"regions.source=boxes with locked.side=2": {Places: places,
			Set: []string{"regions.source=boxes", "locked.side=2", "image=32"}},
		"multiple of 4":             {Set: []string{"regions.width=5"}},
		"noise=-1: -1 is too small": {Set: []string{"regions.noise=-1"}},
		"no .npz files":             {Data: photographs, Regions: t.TempDir()},
		"no such file or directory": {Data: photographs, Regions: filepath.Join(found, "below")},
	} {
		q.Scale, q.Set = "mini", append([]string{"mincount=1"}, q.Set...)
		must.Fail(t, must.Err(compared(t, q, "UNITER, framework=uniter")), want)
	}
	q := plan.Request{Data: photographs, Regions: found, Scale: "tiny"}
	must.Fail(t, must.Err(compared(t, q, "InfoNCE")), "no run's framework reads regions", "regions for ALBEF")
}
