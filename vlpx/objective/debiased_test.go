package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// slowDebiased is equation 8 of Chuang et al. (2020) for one anchor.
func slowDebiased(own float64, negatives []float64, tau, prior float64) (loss, estimate float64, clamped bool) {
	var sum float64
	for _, z := range negatives {
		sum += math.Exp(z)
	}
	n := float64(len(negatives))
	estimate = (sum - n*prior*math.Exp(own)) / (1 - prior)
	if least := n * math.Exp(-1/tau); estimate <= least {
		estimate, clamped = least, true
	}
	return -math.Log(math.Exp(own) / (math.Exp(own) + estimate)), estimate, clamped
}

// An own similarity of ln 2 beside negatives of ln 3 and ln 5: 8 - 2 (0.1) 2 over 0.9 is 76/9, and the loss ln(1 + 38/9).
func TestDebiasedByHand(t *testing.T) {
	got := compiled(t, func(in []*Node) []*Node {
		loss, estimate, _ := Debiased(in[0], in[1], LessThan(in[2], ScalarOne(in[2].Graph(), in[2].DType())), in[3], 0.1)
		return []*Node{loss, Exp(estimate)}
	})(matrix{[]float64{math.Log(2)}, []int{1}}, matrix{[]float64{math.Log(2), math.Log(3), math.Log(5)}, []int{1, 3}},
		matrix{[]float64{1, 0, 0}, []int{1, 3}}, matrix{[]float64{1}, nil})
	near(t, "loss", got[0][0], math.Log(47./9))
	near(t, "N_g", got[1][0], 76./9)
}

// Against a loop, clamped or not, and central differences of all it depends on; candidates that are no negatives change nothing.
func TestDebiasedAgainstLoop(t *testing.T) {
	const anchors, candidates = 5, 4
	r := rand.New(rand.NewPCG(7, 8))
	cosines := matrix{dims: []int{anchors, candidates}}
	for range anchors * candidates {
		cosines.data = append(cosines.data, 2*r.Float64()-1)
	}
	own := matrix{[]float64{0.9, -0.9, 0.2, 1, 0.5}, []int{anchors}}
	counts := matrix{[]float64{0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0}, []int{anchors, candidates}}
	for _, tau := range []float64{0.5, 0.2} {
		for _, prior := range []float64{0, 0.1, 0.4} {
			build := func(in []*Node) []*Node {
				negative := GreaterThan(in[2], ZerosLike(in[2]))
				loss, estimate, clamped := Debiased(Div(in[0], in[3]), Div(in[1], in[3]), negative, in[3], prior)
				return []*Node{loss, Exp(estimate), ConvertDType(clamped, loss.DType())}
			}
			got := compiled(t, build)(own, cosines, counts, matrix{[]float64{tau}, nil})
			for a := range anchors - 1 {
				var negatives []float64
				for c, cosine := range cosines.row(a) {
					if counts.row(a)[c] > 0 {
						negatives = append(negatives, cosine/tau)
					}
				}
				loss, estimate, clamped := slowDebiased(own.data[a]/tau, negatives, tau, prior)
				near(t, "loss", got[0][a], loss)
				near(t, "N_g", got[1][a], estimate)
				if clamped != (got[2][a] == 1) {
					t.Errorf("anchor %d at tau %g and prior %g: clamped %v, want %v", a, tau, prior, got[2][a] == 1, clamped)
				}
			}
			near(t, "loss without negatives", got[0][anchors-1], 0)
			mean := func(own, cosines, counts, tau *Node) *Node {
				return MulScalar(ReduceAllMean(build([]*Node{own, cosines, counts, tau})[0]), 0.1)
			}
			at := matrix{[]float64{tau}, nil}
			checkGradient(t, func(in []*Node) *Node { return mean(in[0], in[1], in[2], in[3]) }, own, cosines, counts, at)
			checkGradient(t, func(in []*Node) *Node { return mean(in[1], in[0], in[2], in[3]) }, cosines, own, counts, at)
			checkGradient(t, func(in []*Node) *Node { return mean(in[1], in[2], in[3], in[0]) }, at, own, cosines, counts)
		}
	}
}
