package evidence

import (
	"cmp"
	"math"
)

// Kendall is the rank correlation tau-b of two lists of as many values (Kendall, "The treatment of ties in ranking problems", Biometrika
// 33, 1945): of the pairs of places, those that both lists put in one order less those that they put in opposite ones, over the geometric
// mean of the numbers of pairs that either list orders at all. It is 1 for the same ranking, -1 for the reverse, and NaN where a list
// orders nothing.
func Kendall(a, b []float64) float64 {
	agreement, ordered := 0, [2]float64{}
	for i := range a {
		for j := range i {
			x, y := cmp.Compare(a[i], a[j]), cmp.Compare(b[i], b[j])
			agreement += x * y
			ordered[0] += float64(x * x)
			ordered[1] += float64(y * y)
		}
	}
	return float64(agreement) / math.Sqrt(ordered[0]*ordered[1])
}

// Ranks are those of values, from 1 for the highest; equal ones share the mean of their ranks. A NaN comes last.
func Ranks(values []float64) []float64 {
	ranks := make([]float64, len(values))
	for i, v := range values {
		ranks[i] = .5 // half a place for itself
		for _, other := range values {
			ranks[i] += float64(1+cmp.Compare(other, v)) / 2
		}
	}
	return ranks
}
