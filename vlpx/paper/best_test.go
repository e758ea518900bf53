package paper_test

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// sweeping is vlpx/quantile with results of rows: validation, and what the test split gave, seed by seed.
func sweeping(t *testing.T, rows map[string][2][]float64) *paper.Report {
	t.Helper()
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "vlpx/quantile", plan.Request{Seeds: []uint64{1, 2, 3}})
	for i, row := range p.Artifact.Rows {
		for k, v := range rows[row.Name][0] {
			papertest.Put(t, store, p.Rows[i][k], run.Result{
				ID: p.Rows[i][k].ID(), Seed: p.Seeds[k], Engine: "go", Commit: "c0ffee", Finished: papertest.Noon,
				Metrics: map[string]float64{"cosine IR mAP": rows[row.Name][1][k]},
				Epochs:  []train.Record{{Metrics: map[string]float64{string(eval.IRMAP): v}}},
			})
		}
	}
	return papertest.Report(t, p, store)
}

// swept are the fixed quantiles of the tests. By its own validation split, block 1 would take .8, which was lucky there.
func swept() map[string][2][]float64 {
	return map[string][2][]float64{
		"q = 0.5": {{50, 50, 50}, {40, 40, 40}}, "q = 0.8": {{90, 52, 52}, {80, 41, 41}}, "q = 0.9": {{60, 60, 60}, {50, 51, 52}},
		"q = 0.95": {{50, 50, 50}, {40, 40, 40}}, "q = 1": {{10, 10, 10}, {10, 10, 10}}, "FALCON": {{0, 0, 0}, {55, 82, 83}},
	}
}

const overBest = "FALCON above the best of the sweep in Without re-ranking IR mAP"

// The best of the sweep is chosen for each block by the others: blocks 2 and 3 take .8 by the lucky run, and block 1 does not.
func TestBestOfSweep(t *testing.T) {
	r := sweeping(t, swept())
	if f := papertest.Finding(r, overBest); f.Seeds != 3 || !papertest.Near(*f.Difference, (5+41+42)/3.) {
		t.Errorf("got %+v, want the differences 5, 41 and 42", f)
	}
	if f := papertest.Finding(r, overBest); f.Pooled != 2 {
		t.Errorf("got %d rows pooled, want two: the sweep's are left out", f.Pooled)
	}
	table := papertest.Table(t, r)
	if last := table.Rows[len(table.Rows)-1]; last.Name != paper.BestOfSweep || !papertest.Near(last.Cells[6][1].Mean, (50+41+41)/3.) {
		t.Errorf("got the last row %+v, want the best of the sweep", last)
	}
	if note := r.ClaimsTable().Note; !strings.Contains(note, "q = 0.8 (2), q = 0.9 (1)") {
		t.Errorf("got the note %q, which does not say what was chosen", note)
	}
}

// Shipped values are chosen among likewise.
func TestBestOfSweepShipped(t *testing.T) {
	made := sweeping(t, swept())
	reference, err := paper.NewReference(made)
	if err != nil {
		t.Fatal(err)
	}
	shown := sweeping(t, nil)
	shown.SetReference(&reference)
	shown.Judge()
	if f := papertest.Finding(shown, overBest); f.From != "reference" || f.Seeds != 3 || !papertest.Near(*f.Difference, (5+41+42)/3.) {
		t.Errorf("got %+v, want what this store had", f)
	}
	table := papertest.Table(t, shown)
	if last := table.Rows[len(table.Rows)-1]; last.Name != paper.BestOfSweep || last.Cells[6][2].N != 3 {
		t.Errorf("got the last row %+v, want the best of the sweep", last)
	}
}

// A sweep that lacks a row has no best.
func TestBestOfPartOfSweep(t *testing.T) {
	for _, without := range []string{"q = 1", "FALCON"} {
		values := swept()
		delete(values, without)
		if f := papertest.Finding(sweeping(t, values), overBest); f.Verdict != paper.Untested {
			t.Errorf("without %s: got %+v, want no verdict", without, f)
		}
	}
	values := swept()
	for name, v := range values {
		values[name] = [2][]float64{v[0][:1], v[1][:1]}
	}
	if f := papertest.Finding(sweeping(t, values), overBest); f.Verdict != paper.Untested || f.Seeds != 0 {
		t.Errorf("of one block: got %+v, want no choice", f)
	}
}
