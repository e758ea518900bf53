package negative

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// Similarities ln 4 to the own pair and 0 and ln 2 to the others: at a prior of 1/8 the negatives' sum is 3 - 2/8 4 over 7/8, that is 16/7,
// and the loss ln(1 + 4/7).
func TestDebiasedByHand(t *testing.T) {
	u, w := circulant(float32(math.Log(4)), 0, float32(math.Log(2)))
	close64(t, "loss", plainly(t, Debiased{Prior: 0.125}, u, w, 3, 1)[0], []float64{math.Log(11. / 7)})
}

// Without false negatives it is InfoNCE, as long as no anchor is clamped, of pairs and of two views, of which InfoNCE has twice the mean.
func TestDebiasedWithoutPriorIsInfoNCE(t *testing.T) {
	const dim, tau = 4, 0.3
	u, w := embeddings(5, dim, 21)
	want, got := plainly(t, InfoNCE{}, u, w, dim, tau), plainly(t, Debiased{}, u, w, dim, tau)
	for i, name := range []string{"loss", "I2T", "T2I", "image gradient", "text gradient", "temperature gradient"} {
		close64(t, name, got[i], want[i])
	}
	views := func(c Contrast) []float64 {
		return compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
			return []*Node{c.ITC(Features{Image: in[0], Text: in[1], Temperature: in[2], Views: true}).Loss}
		})(tensors.FromFlatDataAndDimensions(u, 5, dim), tensors.FromFlatDataAndDimensions(w, 5, dim), float32(tau))[0]
	}
	close64(t, "views", []float64{2 * views(Debiased{})[0]}, views(InfoNCE{}))
}

// slowDebiased is METHODS.md 2.2, the mean over the anchors of one direction.
func slowDebiased(logits [][]float64, tau, prior float64) float64 {
	var loss float64
	for i, row := range logits {
		var sum float64
		for j, z := range row {
			if i != j {
				sum += math.Exp(z)
			}
		}
		n, own := float64(len(row)-1), math.Exp(row[i])
		loss += math.Log1p(math.Max((sum-n*prior*own)/(1-prior), n*math.Exp(-1/tau))/own) / float64(len(logits))
	}
	return loss
}

func TestDebiasedAgainstLoop(t *testing.T) {
	const batch, dim, h = 4, 3, 1e-3
	u, w := embeddings(batch, dim, 22)
	for _, tau := range []float64{0.3, 0.6} {
		for _, prior := range []float64{0.05, 0.3} {
			loss := func() float64 {
				return (slowDebiased(slowSimilarities(u, w, dim, tau), tau, prior) + slowDebiased(slowSimilarities(w, u, dim, tau),
					tau, prior)) / 2
			}
			got := plainly(t, Debiased{Prior: prior}, u, w, dim, tau)
			close64(t, "loss", got[0], []float64{loss()})
			for side, x := range [][]float32{u, w} {
				for i, at := range x {
					up, down := at+h, at-h
					x[i] = up
					above := loss()
					x[i] = down
					below := loss()
					x[i] = at
					if want := (above - below) / float64(up-down); math.Abs(got[3+side][i]-want) > 2e-3 {
						t.Errorf("tau %g, prior %g, side %d: gradient %d: got %v, want %v", tau, prior, side, i, got[3+side][i], want)
					}
				}
			}
		}
	}
}

// The order of the pairs does not matter, and images and texts change places. The larger the prior, the smaller the loss.
func TestDebiasedMetamorphic(t *testing.T) {
	const batch, dim, tau = 5, 3, 0.5
	u, w := embeddings(batch, dim, 23)
	d, order := Debiased{Prior: 0.1}, []int{3, 0, 4, 1, 2}
	want := plainly(t, d, u, w, dim, tau)[0]
	close64(t, "permuted", plainly(t, d, permuted(u, dim, order), permuted(w, dim, order), dim, tau)[0], want)
	close64(t, "images for texts", plainly(t, d, w, u, dim, tau)[0], want)
	if more := plainly(t, Debiased{Prior: 0.2}, u, w, dim, tau)[0]; !(more[0] < want[0]) {
		t.Errorf("got a loss of %g at a prior of 0.2 and of %g at 0.1, want a smaller one", more[0], want[0])
	}
}

// Cosines of 1 at a temperature of 0.001 overflow neither the loss nor its gradients.
func TestDebiasedOfLargeSimilarities(t *testing.T) {
	for _, own := range []float32{0, 1} {
		u, w := circulant(own, 1-own, -1)
		for _, gradient := range plainly(t, Debiased{Prior: 0.1}, u, w, 3, 0.001) {
			for _, x := range gradient {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("own similarity %g: got %v, want finite numbers", own, gradient)
				}
			}
		}
	}
}

func TestDebiasedValidate(t *testing.T) {
	for _, prior := range []float64{-0.1, 1, math.NaN()} {
		must.Fail(t, (Debiased{Prior: prior}).Validate(), "Prior", "prior %g", prior)
	}
}
