package ours

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

// A run's reward is the mean over the mini-batches of all scheduled epochs, in millinats.
func TestRewardColumn(t *testing.T) {
	scheduled := func(rewards ...float64) train.Record {
		return train.Record{Observed: negative.Observations{"scheduling": &negative.Scheduling{Reward: papertest.Moments(rewards...)}}}
	}
	for _, c := range []struct {
		epochs []train.Record
		want   float64
		ok     bool
	}{
		{[]train.Record{{}, scheduled(1, 2, 3), scheduled(6)}, 3000, true},
		{[]train.Record{{}, scheduled()}, 0, false},
	} {
		if got, ok := rewardColumn.Value(run.Result{Epochs: c.epochs}); got != c.want || ok != c.ok {
			t.Errorf("got %v, %v, want %v, %v", got, ok, c.want, c.ok)
		}
	}
}

// Curves have the quantiles in their order, and panels the columns that have values.
func TestRewardFigure(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/reward", plan.Request{Seeds: []uint64{1, 2}})
	if drawing, err := papertest.Report(t, p, store).Figure(); drawing != nil || err != nil {
		t.Errorf("of no runs: got the figure %v, error %v; want neither", drawing, err)
	}
	for name, v := range map[string][]float64{"mid q = 1": {50, 52}, "mid q = 0.9": {60, 60}, "spec q = 0": {70, 71}} {
		papertest.Finish(t, store, p, name, map[string][]float64{"cosine IR mAP": v})
	}
	panels := papertest.Figure(t, papertest.Report(t, p, store)).Panels
	if len(panels) != 1 {
		t.Fatalf("got %d panels, want that of retrieval by cosine", len(panels))
	}
	series := panels[0].(plots.Lines).Series
	if len(series) != 2 || series[0].Name != "spec" || series[1].Name != "mid" || !slices.Equal(series[1].Mean, []float64{60, 51}) {
		t.Fatalf("got %+v, want spec, and mid at .9 before 1", series)
	}
	if x := series[1].X; !papertest.Near(x[0], 1) || !(x[1] > 3 && x[1] < 3.3) {
		t.Errorf("got %v, want one order of magnitude and all of them", x)
	}
}
