package negative

import (
	"math"
	"reflect"
	"testing"
)

// Two views of three samples: candidates are a0 a1 a2 b0 b1 b2. Samples 0 and 1 belong together. Found are, for sample 0's first view, b1
// and a2; for sample 1's second view, a0. Each ordered pair of samples counts 2 x 2 times: of 24 negatives 8 are false, 3 are found, 2 of
// them right.
func TestFoundCountsViews(t *testing.T) {
	found := []float32{
		0, 0, 1, 0, 1, 0 /**/, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0 /**/, 1, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0 /**/, 0, 0, 0, 0, 0, 0,
	}
	together := func(a, b int) (is, known bool) { return a < 2 && b < 2, true }
	var f Found
	f.add(found, 3, together)
	if want := (Found{Negatives: 24, False: 8, Found: 3, Right: 2}); !reflect.DeepEqual(f, want) {
		t.Errorf("got %+v, want %+v", f, want)
	}
	if math.Abs(f.F1()-4./11) > 1e-15 || math.Abs(f.Precision()-2./3) > 1e-15 || f.Recall() != .25 || f.Share() != .125 {
		t.Errorf("got F1 %v, precision %v, recall %v, share %v", f.F1(), f.Precision(), f.Recall(), f.Share())
	}
	f.show(found, []int{7, 5, 9})
	want := []ShownAnchor{{7, []int{5, 9}}, {5, []int{7}}, {9, []int{}}}
	if !reflect.DeepEqual(f.Shown, want) {
		t.Errorf("got %v, want %v", f.Shown, want)
	}
}

// Where the truth is not known nothing but the share is reported.
func TestFoundWithoutTruth(t *testing.T) {
	var f Found
	f.add([]float32{0, 1, 0, 0}, 2, func(int, int) (is, known bool) { return true, false })
	if got, want := f.Metrics(), map[string]float64{FoundShare: 50}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (&Found{}).Metrics(); got[FoundShare] != 0 {
		t.Errorf("of nothing: got %v", got)
	}
}
