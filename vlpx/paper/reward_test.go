package paper

import (
	"io"
	"math"
	"slices"
	"testing"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// rewarded is a probe's history of one scheduled epoch with rewards at the quantiles 0.2 and 1.
func rewarded(low, high []float64) []train.Record {
	s := &train.Scheduling{Reward: momentsIn(slices.Concat(low, high)...), ByQuantile: make([]train.Moments, 11)}
	s.ByQuantile[2], s.ByQuantile[10] = momentsIn(low...), momentsIn(high...)
	return []train.Record{before, {Epoch: 1, Scheduling: s}}
}

// Two seeds count as one: rewards 1 and 3 at one quantile, 5 and 7 at the other.
func TestReward(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), plan(t, "vlpx/reward", Request{Seeds: []uint64{1, 2}})
	scheduledRuns(t, store, p, 1, rewarded([]float64{1}, []float64{7}), rewarded([]float64{3}, []float64{5}))
	scheduledRuns(t, store, p, 2, rewarded([]float64{1}, []float64{2}))
	r := report(t, p, store)

	table := tableOf(t, r)
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
	for k, want := range []plots.Value{{Mean: 2, Std: math.Sqrt2, N: 2}, {Mean: 6, Std: math.Sqrt2, N: 2}, {Mean: 4, N: 1}, {Mean: 4 / math.Sqrt2, N: 1}} {
		if got := cells[1+k][0]; !near(got.Mean, want.Mean) || !near(got.Std, want.Std) || got.N != want.N {
			t.Errorf("%s: got %+v, want %+v", table.Columns[1+k].Name, got, want)
		}
	}
	if got := table.Rows[3].Cells[4][0].Mean; !math.IsNaN(got) {
		t.Errorf("signal to noise of a mini-batch a quantile: got %v, want none", got)
	}

	f := panels(t, r)
	if len(f.Panels) != 2 {
		t.Fatalf("got %d panels, want ITM and MLM", len(f.Panels))
	}
	lines := f.Panels[0].(plots.Lines)
	s := lines.Series[0]
	if len(lines.Series) != 1 || s.Name != "epoch 2" || !slices.Equal(s.X, []float64{0.2, 1}) || !near(s.Mean[0], -2) || !near(s.Mean[1], 2) ||
		!near(s.Std[0], 1) || !near(s.Std[1], 1) {
		t.Errorf("got %+v, want -2 ± 1 at 0.2 and 2 ± 1 at 1", lines.Series)
	}
	if err := f.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}
}

func TestSignalToNoise(t *testing.T) {
	for _, c := range []struct {
		groups []train.Moments
		want   float64
	}{
		{nil, math.NaN()},
		{[]train.Moments{momentsIn(1, 2)}, math.NaN()},
		{[]train.Moments{momentsIn(1), momentsIn(2)}, math.NaN()},
		{[]train.Moments{momentsIn(1, 3), {}, momentsIn(1, 3)}, 0},
		{[]train.Moments{momentsIn(0, 2), momentsIn(9, 10, 11), momentsIn(5)}, 9 / math.Sqrt(4./3)},
	} {
		if got := signalToNoise(c.groups); !near(got, c.want) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: got %v, want %v", c.groups, got, c.want)
		}
	}
}
