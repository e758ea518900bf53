package objective

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Of the candidates' items 4, 9, 4, 4 and 7 the anchor of item 4 has three, the one of item 9 has one.
func TestPositives(t *testing.T) {
	positives := compiled(t, func(in []*Node) []*Node { return []*Node{Positives(in[0], in[1], dtypes.Float64)} })
	third := 1 / 3.
	got := positives([]int32{4, 9}, []int32{4, 9, 4, 4, 7})[0]
	if want := []float64{third, 0, third, third, 0, 0, 1, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Items that are all different leave the own pair only.
func TestPositivesOfDistinctItems(t *testing.T) {
	got := compiled(t, func(in []*Node) []*Node {
		positives := Positives(in[0], in[1], dtypes.Float64)
		return []*Node{positives, OneHotTargets(positives)}
	})([]int32{3, 1, 2}, []int32{3, 1, 2, -100, -100})
	if !slices.Equal(got[0], got[1]) {
		t.Errorf("got %v, want the own pairs %v", got[0], got[1])
	}
}
