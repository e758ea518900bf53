package lab

import (
	"io"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
)

// emptyAtTiny are figures of what Con-D connects, which at this scale is nothing.
var emptyAtTiny = map[string]bool{"mafa/figure7": true, "mafa/figure8": true}

// Every artifact is reproduced at tiny as a cell does, on one store: its runs are all there afterwards, and its report and its figure
// are shown.
func TestReproduceEveryArtifact(t *testing.T) {
	if choice, _ := engine.Choose(engine.Cache()); choice.Slower != "" {
		t.Skip("trains too slowly on " + choice.Name + ": " + choice.Slower)
	}
	home, tuned := t.TempDir(), map[string]bool{}
	for _, c := range append(paper.NLVR2Columns(), paper.VQAColumns()...) {
		tuned[c.Metric] = true
	}
	for _, a := range catalogue.List() {
		if a.Status() == paper.NotYet {
			continue
		}
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			o := Options{Scale: "tiny", Seeds: []uint64{1}, Home: home}
			if slices.ContainsFunc(a.Columns, func(c paper.Column) bool { return !tuned[c.Metric] }) { // it is not of these alone
				o.Without = []string{"NLVR2", "VQA"}
			}
			grid := must.Get(Open(a.ID, o))(t)
			screen := &watched{}
			report := must.Get(grid.MakeAndShow(t.Context(), screen))(t)
			if missing, err := grid.Missing(); err != nil || len(missing) > 0 {
				t.Errorf("the store lacks %d runs (%v), want none", len(missing), err)
			}
			var page strings.Builder
			must.Do(t, report.HTML(&page))
			if !strings.Contains(page.String(), "<table") || !strings.Contains(page.String(), a.ID) {
				t.Errorf("no table with its name in %q", page.String())
			}
			want := a.Figure != nil && !emptyAtTiny[a.ID]
			if report.HasFigure() != want || len(screen.shown) != 1 {
				t.Errorf("shown %d times, with a figure %v, want once and %v", len(screen.shown), report.HasFigure(), want)
			}
			if report.HasFigure() {
				must.Do(t, report.PNG(io.Discard))
			}
		})
	}
}
