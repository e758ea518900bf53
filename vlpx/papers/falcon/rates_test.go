package falcon

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// The thresholds' panel has MAFA alone, the others the quantiles alone.
func TestFilterFigure(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "falcon/figure2", plan.Request{Seeds: []uint64{1}})
	judged := &negative.Judgements{Images: negative.Verdicts{True: [3]int{1, 0, 3}, False: [3]int{2, 1, 0}}}
	for k, name := range []string{"q = 0.8", "MAFA (threshold 0.8)"} {
		i := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == name })
		record := train.Record{False: train.FalseNegatives{Batch: 10, BatchTrue: 1},
			Observed: []negative.Observations{nil, {"connecting": judged}}[k]}
		papertest.Put(t, store, p.Rows[i][0], run.Result{ID: p.Rows[i][0].ID(), Seed: 1, Metrics: record.Counted(),
			Epochs: []train.Record{record}})
	}
	figure := papertest.Figure(t, papertest.Report(t, p, store))
	if len(figure.Panels) != 2 {
		t.Fatalf("got %d panels, want in batch, and left", len(figure.Panels))
	}
	for k, want := range []plots.Series{{Name: "q = 0.8", Mean: []float64{10}}, {Name: "MAFA (threshold 0.8)", Mean: []float64{25}}} {
		series := figure.Panels[k].(plots.Lines).Series
		if len(series) != 1 || series[0].Name != want.Name || !slices.Equal(series[0].Mean, want.Mean) {
			t.Errorf("panel %d: got %+v, want %+v", k, series, want)
		}
	}
}
