package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// logit is the inverse of the sigmoid.
func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Scores of .5 and .9 with negatives of .4 and .2, .95 and .6 at a margin of .2: .1, 0, .25 and 0.
func TestTripletByHand(t *testing.T) {
	positives := matrix{[]float64{logit(.5), logit(.9)}, []int{2}}
	negatives := matrix{[]float64{logit(.4), logit(.2), logit(.95), logit(.6)}, []int{2, 2}}
	loss := func(in []*Node) *Node { return Triplet(in[0], in[1], nil, 0.2) }
	near(t, "loss", value(t, loss, positives, negatives), (.1+.25)/4)
	counted := func(in []*Node) *Node { return Triplet(in[0], in[1], in[2], 0.2) }
	near(t, "without the hardest", value(t, counted, positives, negatives, [][]float32{{1, 1}, {0, 1}}), .1/3)
	near(t, "without any", value(t, counted, positives, negatives, [][]float32{{0, 0}, {0, 0}}), 0)
}

// A row to spare is no row: neither its score nor its place changes anything, and it has no gradient.
func TestTripletRowsToSpare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	positives, negatives := drawn(r, 3), drawn(r, 3, 2)
	want := value(t, func(in []*Node) *Node { return Triplet(in[0], in[1], nil, 0.3) }, positives, negatives)
	wider := matrix{dims: []int{3, 4}}
	var counts [][]float32
	for k := range 3 {
		at := negatives.row(k)
		wider.data = append(wider.data, 9, at[0], -3, at[1])
		counts = append(counts, []float32{0, 1, 0, 1})
	}
	got := compiled(t, func(in []*Node) []*Node {
		loss := Triplet(in[0], in[1], in[2], 0.3)
		return append([]*Node{loss}, Gradient(loss, in[1])...)
	})(positives, wider, counts)
	near(t, "loss", got[0][0], want)
	for k, d := range got[1] {
		if k%2 == 0 && d != 0 {
			t.Errorf("the row to spare %d has the gradient %g", k, d)
		}
	}
}

func TestTripletGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	positives, negatives := drawn(r, 3), drawn(r, 3, 4)
	counts := [][]float32{{1, 1, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}}
	for _, margin := range []float64{0.2, 0.7} {
		checkGradient(t, func(in []*Node) *Node { return Triplet(in[0], in[1], in[2], margin) }, positives, negatives, counts)
		checkGradient(t, func(in []*Node) *Node { return Triplet(in[1], in[0], in[2], margin) }, negatives, positives, counts)
	}
}
