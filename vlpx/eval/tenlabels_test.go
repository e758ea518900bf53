package eval_test

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// TestTenLabels: of what is apart ten labels a class teach all, and of what has no order nothing.
func TestTenLabels(t *testing.T) {
	for _, c := range []struct{ spread, low, high float64 }{{.05, 99, 100}, {20, 10, 45}} {
		test, training := clusters("test", 400, 4, c.spread, 1), clusters("train", 600, 4, c.spread, 2)
		got := must.Get(eval.TenLabels{}.Measure(t.Context(), by(t, test, training)))(t)
		if v := got.Metrics[eval.LinearTen]; v < c.low || v > c.high || len(got.Metrics) != 1 {
			t.Errorf("spread %g: got %v, want %g to %g", c.spread, got.Metrics, c.low, c.high)
		}
	}
	few := clusters("few", 6, 2, .1, 1)
	on := by(t, few, few)
	on.Training = nil
	must.Fail(t, must.Err(eval.TenLabels{}.Measure(t.Context(), on)), "which it is not given", "without a training split")
}

// The first ten of each class are taken in the order given; a class of fewer gives all.
func TestTen(t *testing.T) {
	class := slices.Concat(slices.Repeat([]int{0}, 12), []int{1, 1})
	order := []int{13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 12}
	if got := eval.Ten(order, class); !slices.Equal(got, []int{13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 12}) {
		t.Errorf("got %v, want all of class 1 and the first ten of class 0", got)
	}
}
