package evidence

import (
	"cmp"
	"math"
	"slices"
)

// Holm corrects the p of several tests for their number (Holm, 1979): rejecting those below a level errs in any of them with at most
// that chance. A p that is NaN is of no test; it stays NaN and does not count.
func Holm(p []float64) []float64 {
	var order []int
	corrected := make([]float64, len(p))
	for i, v := range p {
		if corrected[i] = math.NaN(); !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	highest := 0.
	for k, i := range order {
		highest = max(highest, min(1, float64(len(order)-k)*p[i]))
		corrected[i] = highest
	}
	return corrected
}
