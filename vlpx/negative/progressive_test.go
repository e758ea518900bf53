package negative

import (
	"math"
	"testing"
)

func TestProgressiveSchedule(t *testing.T) {
	for _, c := range []struct {
		p           Progressive
		epoch, last int
		want        float64
	}{
		{Progressive{From: 0.5, To: 1}, 1, 5, 0.5},
		{Progressive{From: 0.5, To: 1}, 2, 5, 0.625},
		{Progressive{From: 0.5, To: 1}, 3, 5, 0.75},
		{Progressive{From: 0.5, To: 1}, 5, 5, 1},
		{Progressive{From: 1, To: 0}, 1, 3, 1},
		{Progressive{From: 1, To: 0}, 2, 3, 0.5},
		{Progressive{From: 1, To: 0}, 3, 3, 0},
		{Progressive{From: 0.3, To: 0.9}, 1, 1, 0.3},
	} {
		if got := c.p.at(c.epoch, c.last+1); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v, epoch %d of 1 to %d: got %v, want %v", c.p, c.epoch, c.last, got, c.want)
		}
	}
}

// Each epoch is grouped at its own quantile: the sampler's epochs are those of the ring at the scheduled quantiles.
func TestProgressiveAgainstRing(t *testing.T) {
	run := Start{Pairs: 47, BatchSize: 3, Dim: 5, Epochs: 5, Seed: 8}
	p := Progressive{From: 0.1, To: 1, SearchSpace: 12, Queue: 24}
	quantiles := []float64{0, 0.1, 0.4, 0.7, 1}
	sampler := started(t, p, run)
	var want [][]int
	for e := range run.Epochs {
		got := epochOf(t, sampler, run, e)
		for k := range want {
			for i := range want[k] {
				if got[k][i] != want[k][i] {
					t.Fatalf("epoch %d, mini-batch %d: got %v, want %v", e, k, got[k], want[k])
				}
			}
		}
		if e+1 < run.Epochs {
			want = slowGrouping(run, Grouped{SearchSpace: p.SearchSpace, Queue: p.Queue}, quantiles[e+1], e, got)
		}
	}
}
