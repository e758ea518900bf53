package ours

import (
	"math"
	"slices"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Schedules stand beside the curve of the constant quantiles at what they chose, and uniform mini-batches lie across.
func TestSchedulerFigure(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/scheduler", plan.Request{Seeds: []uint64{1, 2}})
	if drawing, err := papertest.Report(t, p, store).Figure(); drawing != nil || err != nil {
		t.Errorf("of no runs: got the figure %v, error %v; want neither", drawing, err)
	}
	for name, v := range map[string][]float64{"q = 0": {50, 52}, "q = 0.9": {60, 60}, "Uniform (same losses)": {55, 57}, anAnchor: {58, 58}} {
		papertest.Finish(t, store, p, name, map[string][]float64{"cosine IR mAP": v})
	}
	papertest.Finish(t, store, p, overLogRank, map[string][]float64{"cosine IR mAP": {70, 72}, negative.MeanQuantile: {0.85, 0.95}})
	panels := papertest.Figure(t, papertest.Report(t, p, store)).Panels
	if len(panels) != 1 {
		t.Fatalf("got %d panels, want that of retrieval by cosine", len(panels))
	}
	series := panels[0].(plots.Lines).Series
	if len(series) != 3 || !slices.Equal(series[0].Mean, []float64{51, 60}) || !slices.Equal(series[1].Mean, []float64{56, 56}) ||
		!slices.Equal(series[1].X, []float64{0, hardness(1)}) {
		t.Fatalf("got %+v, want the curve, uniform mini-batches across, and the schedule whose quantile is known", series)
	}
	if s := series[2]; s.Name != overLogRank || !slices.Equal(s.X, []float64{1}) || !slices.Equal(s.Mean, []float64{71}) ||
		!slices.Equal(s.Std, []float64{math.Sqrt2}) {
		t.Errorf("got %+v, want the logarithm of the rank at a quantile of .9", s)
	}
}

// The constant quantiles are runs of vlpx/reward, so that what that has made is not made again.
func TestSchedulerShares(t *testing.T) {
	scheduled := papertest.Plan(t, Artifacts(), "vlpx/scheduler", plan.Request{Seeds: []uint64{1}})
	rewarded := papertest.Plan(t, Artifacts(), "vlpx/reward", plan.Request{Seeds: []uint64{1}})
	known, shared := map[string]bool{}, 0
	for _, runs := range rewarded.Rows {
		known[runs[0].ID()] = true
	}
	for _, runs := range scheduled.Rows {
		if known[runs[0].ID()] {
			shared++
		}
	}
	if shared != len(constants) {
		t.Errorf("got %d runs in common, want one a quantile", shared)
	}
}
