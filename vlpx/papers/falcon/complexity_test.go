package falcon

import (
	"io"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Con-D alone is asked, once a seed for all thresholds, and the rows' runs stay as they are without the task.
func TestComplexityAsksConD(t *testing.T) {
	p := papertest.Plan(t, Artifacts(), "falcon/figure2", plan.Request{Seeds: []uint64{1, 2}})
	without := papertest.Plan(t, Artifacts(), "falcon/figure2", plan.Request{Seeds: []uint64{1, 2}, Without: []string{"complexity"}})
	asked := map[string]bool{}
	for i, row := range p.Artifact.Rows {
		for k, r := range p.Rows[i] {
			if r.ID() != without.Rows[i][k].ID() {
				t.Errorf("%s, seed %d: the task changes the run", row.Name, r.Train.Seed)
			}
			of := p.Jobs[i][k][1:]
			if filters := strings.HasPrefix(row.Name, "MAFA"); filters != (len(of) == 1) || filters && of[0].Run.ID() != r.Reference.ID() {
				t.Errorf("%s, seed %d: got %d further jobs, want Con-D's of MAFA alone", row.Name, r.Train.Seed, len(of))
			}
			for _, j := range of {
				asked[j.ID()] = true
			}
		}
	}
	if len(asked) != 2 || len(p.Runs()) != len(without.Runs()) {
		t.Errorf("got %d questions and %d runs, want one a seed and %d", len(asked), len(p.Runs()), len(without.Runs()))
	}
}

// The panel has a line of each kind of pairs by what was answered, over the seeds of the row that has most of them.
func TestComplexityFigure(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "falcon/figure2", plan.Request{Seeds: []uint64{1, 2}})
	papertest.Finish(t, store, p, "q = 0.8", map[string][]float64{"IR@1": {1, 2}})
	papertest.Finish(t, store, p, "MAFA (threshold 0.5)", map[string][]float64{"IR@1": {1}})
	papertest.Finish(t, store, p, "MAFA (threshold 0.9)", map[string][]float64{"IR@1": {1, 2}})
	row := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == "MAFA (threshold 0.9)" })
	if drawing, err := papertest.Report(t, p, store).Figure(); err != nil || drawing != nil {
		t.Errorf("without answers: got %v (%v), want no figure", drawing, err)
	}
	for k, answer := range []map[string]float64{
		{"ITM own 2": .875, "ITM own 5": .75, "ITM true 2": .75, "ITM true 5": .5, "ITM false 12": .25},
		{"ITM own 2": .625, "ITM own 5": .75, "ITM true 2": .25, "ITM true 7": .125},
	} {
		papertest.Keep(t, store, p.Jobs[row][k][1], answer)
	}
	figure := papertest.Figure(t, papertest.Report(t, p, store))
	if len(figure.Panels) != 1 {
		t.Fatalf("got %d panels, want that of scores alone", len(figure.Panels))
	}
	got := figure.Panels[0].(plots.Lines).Series
	want := []plots.Series{
		{Name: "own images", X: []float64{2, 5}, Mean: []float64{.75, .75}},
		{Name: "other images, true", X: []float64{2, 5, 7}, Mean: []float64{.5, .5, .125}},
		{Name: "hardest image, false", X: []float64{12}, Mean: []float64{.25}},
	}
	if !slices.EqualFunc(got, want, func(a, b plots.Series) bool {
		return a.Name == b.Name && slices.Equal(a.X, b.X) && slices.Equal(a.Mean, b.Mean)
	}) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := figure.SVG(io.Discard); err != nil {
		t.Error(err)
	}
}
