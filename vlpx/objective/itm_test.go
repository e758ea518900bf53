package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

func itm(in []*Node) *Node { return ITM(in[0], in[1], nil) }

// The first pair gives 3/4 to its label, the second 4/5: (ln 4/3 + ln 5/4) / 2 = ln(5/3) / 2.
func TestITMByHand(t *testing.T) {
	logits := matrix{[]float64{0, math.Log(3), math.Log(4), 0}, []int{2, 2}}
	near(t, "ITM", value(t, itm, logits, []int32{1, 0}), 0.2554128118829953)
}

func TestITMAgainstLoop(t *testing.T) {
	logits, labels := drawn(rand.New(rand.NewPCG(5, 6)), 6, 2), []int32{1, 1, 0, 0, 0, 1}
	var want float64
	for i, label := range labels {
		want -= logSoftmax(logits.row(i), int(label)) / 6
	}
	near(t, "ITM", value(t, itm, logits, labels), want)
	checkGradient(t, itm, logits, labels)
}

// A logit may be as low as it likes: the own pair is lower still.
func TestMaskDiagonal(t *testing.T) {
	z := matrix{[]float64{9, -1e6, 1, 9}, []int{2, 2}}
	got := compiled(t, func(in []*Node) []*Node { return []*Node{MaskDiagonal(in[0])} })(z)[0]
	if want := []float64{-1e30, -1e6, 1, -1e30}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A pair of weight zero is as if it were not there.
func TestITMWithWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 6))
	four := drawn(r, 4, 2)
	weighted := func(in []*Node) *Node { return ITM(in[0], in[1], in[2]) }
	two := matrix{slices.Concat(four.row(0), four.row(2)), []int{2, 2}}
	near(t, "ITM", value(t, weighted, four, []int32{1, 0, 0, 1}, []float64{1, 0, 1, 0}), value(t, itm, two, []int32{1, 0}))
	near(t, "ITM", value(t, weighted, four, []int32{1, 0, 0, 1}, []float64{1, 1, 1, 1}), value(t, itm, four, []int32{1, 0, 0, 1}))
	checkGradient(t, weighted, four, []int32{1, 0, 0, 1}, []float64{1, 0, 1, 1})
}
