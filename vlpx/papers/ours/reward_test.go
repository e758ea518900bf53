package ours

import (
	"io"
	"math"
	"slices"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// rewarded is a probe's history of one scheduled epoch with rewards at the quantiles 0.2 and 1.
func rewarded(low, high []float64) []train.Record {
	s := &negative.Scheduling{Reward: papertest.Moments(slices.Concat(low, high)...), ByQuantile: make([]negative.Moments, 11)}
	s.ByQuantile[2], s.ByQuantile[10] = papertest.Moments(low...), papertest.Moments(high...)
	return []train.Record{{Observed: negative.Observations{"scheduling": &negative.Scheduling{}}},
		{Epoch: 1, Observed: negative.Observations{"scheduling": s}}}
}

// Two seeds count as one: rewards 1 and 3 at one quantile, 5 and 7 at the other.
func TestReward(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/reward", plan.Request{Seeds: []uint64{1, 2}})
	papertest.Histories(t, store, p, p.Artifact.Rows[1].Name, rewarded([]float64{1}, []float64{7}), rewarded([]float64{3}, []float64{5}))
	papertest.Histories(t, store, p, p.Artifact.Rows[2].Name, rewarded([]float64{1}, []float64{2}))
	r := papertest.Report(t, p, store)

	table := papertest.Table(t, r)
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	if want := []string{"epoch", "0.2", "1", "mini-batches", "signal to noise"}; !slices.Equal(names, want) {
		t.Errorf("got columns %q, want %q", names, want)
	}
	names = nil
	for _, line := range table.Rows {
		names = append(names, line.Name+" "+line.Status)
	}
	if want := []string{"Reward ITC 0 of 2 seeds", "Reward ITM ", "Reward MLM 1 of 2 seeds", "Reward MLM "}; !slices.Equal(names, want) {
		t.Fatalf("got lines %q, want %q", names, want)
	}
	cells := table.Rows[1].Cells
	for k, want := range []tables.Value{{Mean: 2, Std: math.Sqrt2, N: 2}, {Mean: 6, Std: math.Sqrt2, N: 2}, {Mean: 4, N: 1},
		{Mean: 4 / math.Sqrt2, N: 1}} {
		if got := cells[1+k][0]; !papertest.Near(got.Mean, want.Mean) || !papertest.Near(got.Std, want.Std) || got.N != want.N {
			t.Errorf("%s: got %+v, want %+v", table.Columns[1+k].Name, got, want)
		}
	}
	if got := table.Rows[3].Cells[4][0].Mean; !math.IsNaN(got) {
		t.Errorf("signal to noise of a mini-batch a quantile: got %v, want none", got)
	}

	f := papertest.Figure(t, r)
	if len(f.Panels) != 2 {
		t.Fatalf("got %d panels, want ITM and MLM", len(f.Panels))
	}
	lines := f.Panels[0].(plots.Lines)
	s := lines.Series[0]
	if len(lines.Series) != 1 || s.Name != "epoch 2" || !slices.Equal(s.X, []float64{0.2, 1}) || !papertest.Near(s.Mean[0], -2) ||
		!papertest.Near(s.Mean[1], 2) ||
		!papertest.Near(s.Std[0], 1) || !papertest.Near(s.Std[1], 1) {
		t.Errorf("got %+v, want -2 ± 1 at 0.2 and 2 ± 1 at 1", lines.Series)
	}
	if err := f.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}
}

func TestSignalToNoise(t *testing.T) {
	for _, c := range []struct {
		groups []negative.Moments
		want   float64
	}{
		{nil, math.NaN()},
		{[]negative.Moments{papertest.Moments(1, 2)}, math.NaN()},
		{[]negative.Moments{papertest.Moments(1), papertest.Moments(2)}, math.NaN()},
		{[]negative.Moments{papertest.Moments(1, 3), {}, papertest.Moments(1, 3)}, 0},
		{[]negative.Moments{papertest.Moments(0, 2), papertest.Moments(9, 10, 11), papertest.Moments(5)}, 9 / math.Sqrt(4./3)},
	} {
		if got := signalToNoise(c.groups); !papertest.Near(got, c.want) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: got %v, want %v", c.groups, got, c.want)
		}
	}
}

// Without results there is no figure, and the table says so; so it is where a run is there without a scheduled epoch.
func TestRewardWithoutResults(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/reward", plan.Request{})
	for _, lines := range []int{len(p.Artifact.Rows), len(p.Artifact.Rows) - 1} {
		r := papertest.Report(t, p, store)
		if drawing, err := r.Figure(); drawing != nil || err != nil {
			t.Errorf("got the figure %v, error %v; want neither", drawing, err)
		}
		if table := papertest.Table(t, r); len(table.Rows) != lines || table.Rows[0].Status != "0 of 3 seeds" {
			t.Errorf("got %+v, want %d lines that say what is missing", table.Rows, lines)
		}
		papertest.Histories(t, store, p, p.Artifact.Rows[0].Name, []train.Record{{}}, []train.Record{{}}, nil)
	}
}
