package evidence_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/vlpx/evidence"
)

func TestHolmByHand(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		p, want []float64
	}{
		// .005 x 4, .01 x 3, .03 x 2, and .04 x 1, which may not be below the one before: at .05 two of four hold.
		{"four tests", []float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		// R: p.adjust(c(.01, .02, .03, .04, .05), "holm") is .05 .08 .09 .09 .09.
		{"R's", []float64{.01, .02, .03, .04, .05}, []float64{.05, .08, .09, .09, .09}},
		{"one test", []float64{.04}, []float64{.04}},
		{"never above 1", []float64{.6, .5}, []float64{1, 1}},
		{"equal", []float64{.02, .02}, []float64{.04, .04}},
		{"what is no test does not count", []float64{nan, .02, nan, .01}, []float64{nan, .02, nan, .02}},
		{"none", nil, nil},
	} {
		got := evidence.Holm(c.p)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// Rejecting a corrected p is Holm's procedure: from the smallest on, as long as p is at most the level over the tests that are left.
func TestHolmAgainstStepping(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, .2), 1, 12).Draw(rt, "p")
		const level = .05
		sorted := slices.Sorted(slices.Values(p))
		rejected := 0
		for rejected < len(p) && float64(len(p)-rejected)*sorted[rejected] <= level {
			rejected++
		}
		got := 0
		for _, c := range evidence.Holm(p) {
			if c <= level {
				got++
			}
		}
		if got != rejected {
			rt.Errorf("got %d rejected, want %d", got, rejected)
		}
	})
}
