package negative

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Samples merged in any parts have the moments of all their numbers.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, merged Moments
		for _, part := range rapid.SliceOfN(rapid.SliceOf(rapid.Float64Range(-10, 10)), 0, 5).Draw(t, "parts") {
			var m Moments
			for _, x := range part {
				m.Add(x)
				all.Add(x)
			}
			merged.Merge(m)
		}
		if merged.N != all.N || math.Abs(merged.Mean-all.Mean) > 1e-10 || math.Abs(merged.M2-all.M2) > 1e-9*(1+all.M2) {
			t.Errorf("got %+v, want %+v", merged, all)
		}
	})
	// 1 and 3 with 8: mean 4, squares 9 + 1 + 16.
	m := Moments{N: 2, Mean: 2, M2: 2}
	m.Merge(Moments{N: 1, Mean: 8})
	if m.N != 3 || math.Abs(m.Mean-4) > 1e-15 || math.Abs(m.M2-26) > 1e-12 {
		t.Errorf("got %+v, want 3 numbers of mean 4 with squares of 26", m)
	}
}
