package negative

import (
	"slices"
	"testing"
)

// 1,003 pairs leave three over; in each epoch they are others.
func TestUniformDropsOthersEachEpoch(t *testing.T) {
	run := Start{Pairs: 1003, BatchSize: 10, Dim: 1, Epochs: 4}
	sampler := started(t, Uniform{}, run)
	var dropped [][]int
	for e := range run.Epochs {
		present := slices.Concat(epochOf(t, sampler, run, e)...)
		var absent []int
		for pair := range run.Pairs {
			if !slices.Contains(present, pair) {
				absent = append(absent, pair)
			}
		}
		if len(absent) != 3 {
			t.Fatalf("epoch %d drops %v, want 3 pairs", e, absent)
		}
		for earlier, d := range dropped {
			if slices.Equal(d, absent) {
				t.Errorf("epochs %d and %d drop the same pairs %v", earlier, e, d)
			}
		}
		dropped = append(dropped, absent)
	}
}
