package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// Logits of ln 3 at the own pairs and -ln 3 elsewhere answer every question with 3/4: four questions of two images, ln 4/3 each.
func TestPairwiseSigmoidByHand(t *testing.T) {
	x := math.Log(3)
	got := compiled(t, func(in []*Node) []*Node { return []*Node{PairwiseSigmoid(in[0])} })(matrix{[]float64{x, -x, -x, x}, []int{2, 2}})
	near(t, "loss", got[0][0], 2*math.Log(4./3))
}

func TestPairwiseSigmoidAgainstLoop(t *testing.T) {
	logits := drawn(rand.New(rand.NewPCG(5, 6)), 4, 4)
	var want float64
	for i := range 4 {
		for j, z := range logits.row(i) {
			if i != j {
				z = -z
			}
			want -= math.Log(1/(1+math.Exp(-z))) / 4
		}
	}
	build := func(in []*Node) *Node { return PairwiseSigmoid(in[0]) }
	got := compiled(t, func(in []*Node) []*Node { return []*Node{build(in)} })(logits)
	near(t, "loss", got[0][0], want)
	checkGradient(t, build, logits)
}

// Neither end overflows, and at 0, where a maximum with 0 has no gradient, it is a half.
func TestSoftPlus(t *testing.T) {
	got := compiled(t, func(in []*Node) []*Node {
		y := SoftPlus(in[0])
		return []*Node{y, Gradient(ReduceAllSum(y), in[0])[0]}
	})(matrix{[]float64{-2000, -1, 0, 1, 2000}, []int{5}})
	for i, want := range []float64{0, math.Log1p(math.Exp(-1)), math.Ln2, math.Log1p(math.E), 2000} {
		near(t, "value", got[0][i], want)
	}
	for i, want := range []float64{0, 1 / (1 + math.E), 0.5, math.E / (1 + math.E), 1} {
		near(t, "gradient", got[1][i], want)
	}
}
