package evidence_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"vlpx.internal/vlpx/evidence"
)

func TestKendallByHand(t *testing.T) {
	for _, v := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 4. / 6},               // five pairs agree, one does not
		{[]float64{1, 1, 2, 3}, []float64{1, 2, 3, 4}, 5 / math.Sqrt(5*6)},   // a ties one pair
		{[]float64{1, 1, 2, 2}, []float64{1, 2, 1, 2}, 0},                    // one pair agrees, one does not, four are tied
		{[]float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -4. / 8.4853}, // √(8·9), by scipy.stats.kendalltau's documentation -0.4714
		{[]float64{1, 1}, []float64{1, 2}, math.NaN()},
		{[]float64{1}, []float64{1}, math.NaN()},
		{nil, nil, math.NaN()},
	} {
		if got := evidence.Kendall(v.a, v.b); math.Abs(got-v.want) > 1e-4 || math.IsNaN(got) != math.IsNaN(v.want) {
			t.Errorf("%v, %v: got %v, want %v", v.a, v.b, got, v.want)
		}
	}
}

// Without ties tau-b is gonum's tau-a. It is the same the other way round and by ranks, and changes its sign with one list's.
func TestKendallProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		values := func(name string) []float64 {
			var list []float64
			for _, v := range rapid.SliceOfN(rapid.IntRange(0, 9), n, n).Draw(t, name) {
				list = append(list, float64(v))
			}
			return list
		}
		a, b := values("a"), values("b")
		tau := evidence.Kendall(a, b)
		same := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s: got %v, want %v", what, got, want)
			}
		}
		same("the other way round", evidence.Kendall(b, a), tau)
		same("by ranks, which descend", evidence.Kendall(evidence.Ranks(a), b), -tau)
		if distinct(a) && distinct(b) {
			same("without ties", tau, stat.Kendall(a, b, nil))
		}
	})
}

func distinct(values []float64) bool {
	sorted := slices.Sorted(slices.Values(values))
	return len(slices.Compact(sorted)) == len(values)
}

func TestRanks(t *testing.T) {
	for _, v := range []struct{ values, want []float64 }{
		{[]float64{30, 10, 20}, []float64{1, 3, 2}},
		{[]float64{5, 7, 5, 1}, []float64{2.5, 1, 2.5, 4}},
		{[]float64{2, 2, 2}, []float64{2, 2, 2}},
		{[]float64{math.NaN(), 2, 3}, []float64{3, 2, 1}},
		{nil, []float64{}},
	} {
		if got := evidence.Ranks(v.values); !slices.Equal(got, v.want) {
			t.Errorf("%v: got %v, want %v", v.values, got, v.want)
		}
	}
}
