package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// Logits whose softmax is (1/4, 3/4) and (1/2, 1/2): the first token is the caption's own, the second is replaced.
func TestWordDiscriminationByHand(t *testing.T) {
	logits := matrix{[]float64{0, math.Log(3), 5, 5}, []int{1, 2, 2}}
	loss := func(in []*Node) *Node { return WordDiscrimination(in[0], in[1], nil) }
	near(t, "loss", value(t, loss, logits, [][]int32{{1, 0}}), (0.11*math.Log(4./3)+math.Log(2))/2)
	near(t, "the other way round", value(t, loss, logits, [][]int32{{0, 1}}), (math.Log(4)+0.11*math.Log(2))/2)
}

// The same token masked, and masked without being changed: softmax (1/8, 7/8) and (1/2, 1/2), of which the third position is not masked.
func TestWordCorrectionByHand(t *testing.T) {
	logits := matrix{[]float64{0, math.Log(7), 1, 1, 8, 0}, []int{1, 3, 2}}
	loss := func(in []*Node) *Node { return WordCorrection(in[0], in[1]) }
	near(t, "loss", value(t, loss, logits, [][]int32{{0, 1, Ignored}}), (math.Log(8)+math.Log(2))/2)
	near(t, "nothing masked", value(t, loss, logits, [][]int32{{Ignored, Ignored, Ignored}}), 0)
}

// A probability below 1e-10 counts as that, as in the published code.
func TestLeastProbability(t *testing.T) {
	logits := matrix{[]float64{0, 40}, []int{1, 1, 2}}
	near(t, "correction", value(t, func(in []*Node) *Node { return WordCorrection(in[0], in[1]) }, logits, [][]int32{{0}}), 10*math.Ln10)
	near(t, "discrimination", value(t, func(in []*Node) *Node { return WordDiscrimination(in[0], in[1], nil) }, logits, [][]int32{{0}}),
		10*math.Ln10)
}

// Tokens that do not count are as good as taken away.
func TestWordsToSpare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	logits := drawn(r, 1, 4, 2)
	few := matrix{append(append([]float64{}, logits.row(0)...), logits.row(2)...), []int{1, 2, 2}}
	got := value(t, func(in []*Node) *Node { return WordDiscrimination(in[0], in[1], in[2]) }, logits, [][]int32{{1, 1, 0, 0}},
		[][]int32{{1, 0, 1, 0}})
	near(t, "discrimination", got, value(t, func(in []*Node) *Node { return WordDiscrimination(in[0], in[1], nil) }, few,
		[][]int32{{1, 0}}))
	got = value(t, func(in []*Node) *Node { return WordCorrection(in[0], in[1]) }, logits, [][]int32{{1, Ignored, 0, Ignored}})
	near(t, "correction", got, value(t, func(in []*Node) *Node { return WordCorrection(in[0], in[1]) }, few, [][]int32{{1, 0}}))
}

func TestGradientsOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	checkGradient(t, func(in []*Node) *Node { return WordDiscrimination(in[0], in[1], in[2]) }, drawn(r, 2, 3, 2),
		[][]int32{{1, 0, 1}, {0, 0, 1}}, [][]int32{{1, 1, 0}, {1, 1, 1}})
	checkGradient(t, func(in []*Node) *Node { return WordCorrection(in[0], in[1]) }, drawn(r, 2, 3, 5),
		[][]int32{{Ignored, 4, 0}, {2, Ignored, 2}})
}
