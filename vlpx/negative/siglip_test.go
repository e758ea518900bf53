package negative

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// learned is as plainly, with the gradients of the contrast's trained variables, in the order in which it declares them, in the
// temperature's place.
func learned(t *testing.T, c interface {
	Contrast
	Trainable
}, u, w []float32, dim int) [][]float64 {
	t.Helper()
	store, m := model.NewStore(), Method{Contrast: c}.WithDefaults()
	must.Do(t, m.DeclareState(store.Scope("/state"), Start{}))
	run := compiled(t, store, func(s *model.Scope, in []*Node) []*Node {
		z := c.ITC(Features{Image: in[0], Text: in[1], State: s.Store().Scope("/state")})
		m.AssertTrained(s.Store().Scope("/state"), z.Loss)
		of := slices.Clone(in)
		for _, v := range c.Variables(Start{}) {
			of = append(of, s.Store().GetVariable("/state"+VariablePath("Contrast", v)).NodeValue(in[0].Graph()))
		}
		return append([]*Node{z.Loss, z.I2T, z.T2I}, Gradient(z.Loss, of...)...)
	})
	batch := len(u) / dim
	return run(tensors.FromFlatDataAndDimensions(u, batch, dim), tensors.FromFlatDataAndDimensions(w, batch, dim))
}

// Two orthogonal pairs at a scale of 10 and a bias of -10: own logits are 0 and the others -10, so that an image's loss is ln 2 + ln(1 +
// exp(-10)).
func TestSigLIPByHand(t *testing.T) {
	unit := []float32{1, 0, 0, 1}
	got := learned(t, SigLIP{Scale: 10, Bias: -10}, unit, unit, 2)
	close64(t, "loss", got[0], []float64{math.Ln2 + math.Log1p(math.Exp(-10))})
	close64(t, "I2T", got[1], []float64{10, 0, 0, 10}) // without the bias
	// The bias' gradient is the sum of the sigmoids of the others less that of the own ones' complements, over the images: exp(-10) - 1/2.
	close64(t, "gradient of the bias", got[6], []float64{1/(1+math.Exp(10)) - 0.5})
}

// slowSigLIP is the loss of METHODS.md 2.1, pair by pair.
func slowSigLIP(u, w []float32, dim int, scale, bias float64) float64 {
	var loss float64
	cosines := slowSimilarities(u, w, dim, 1)
	for i, row := range cosines {
		for j, cosine := range row {
			y := -1.
			if i == j {
				y = 1
			}
			loss += math.Log1p(math.Exp(-y*(scale*cosine+bias))) / float64(len(cosines))
		}
	}
	return loss
}

// The loss is the loop's, and so are its gradients by images, texts, the logarithm of the scale and the bias.
func TestSigLIPAgainstLoop(t *testing.T) {
	const batch, dim, h = 4, 3, 1e-3
	u, w := embeddings(batch, dim, 15)
	for _, c := range []SigLIP{{Scale: 10, Bias: -10}, {Scale: 3, Bias: 0.5}} {
		got := learned(t, c, u, w, dim)
		close64(t, "loss", got[0], []float64{slowSigLIP(u, w, dim, c.Scale, c.Bias)})
		scaled := slowSimilarities(u, w, dim, 1/c.Scale)
		close64(t, "I2T", got[1], slices.Concat(scaled...))
		for side, x := range [][]float32{u, w} {
			for i, at := range x {
				up, down := at+h, at-h
				x[i] = up
				above := slowSigLIP(u, w, dim, c.Scale, c.Bias)
				x[i] = down
				below := slowSigLIP(u, w, dim, c.Scale, c.Bias)
				x[i] = at
				if want := (above - below) / float64(up-down); math.Abs(got[3+side][i]-want) > 1e-3 {
					t.Errorf("%+v: side %d: gradient %d: got %v, want %v", c, side, i, got[3+side][i], want)
				}
			}
		}
		of := func(logScale, bias float64) float64 {
			return slowSigLIP(u, w, dim, c.Scale*math.Exp(logScale), c.Bias+bias)
		}
		close64(t, "gradient of the scale", got[5], []float64{(of(1e-5, 0) - of(-1e-5, 0)) / 2e-5})
		close64(t, "gradient of the bias", got[6], []float64{(of(0, 1e-5) - of(0, -1e-5)) / 2e-5})
	}
}

// The order of the pairs does not matter, images and texts change places, and the sum has no more of a pair's own question in a larger
// batch.
func TestSigLIPMetamorphic(t *testing.T) {
	const batch, dim = 5, 3
	u, w := embeddings(batch, dim, 16)
	c, order := SigLIP{Scale: 10, Bias: -10}, []int{3, 0, 4, 1, 2}
	want, got := learned(t, c, u, w, dim), learned(t, c, permuted(u, dim, order), permuted(w, dim, order), dim)
	close64(t, "permuted", got[0], want[0])
	for k, i := range order {
		close64(t, "gradient of a permuted image", got[3][k*dim:(k+1)*dim], want[3][i*dim:(i+1)*dim])
	}
	close64(t, "images for texts", learned(t, c, w, u, dim)[0], want[0])
	// Twice the same pairs: each image has two texts as its own, of which one counts as wrong.
	twice := learned(t, c, slices.Concat(u, u), slices.Concat(w, w), dim)[0][0]
	var sum float64
	for _, row := range slowSimilarities(u, w, dim, 1) {
		for _, cosine := range row {
			sum += math.Log1p(math.Exp(c.Scale*cosine+c.Bias)) / batch
		}
	}
	close64(t, "each pair twice", []float64{twice}, []float64{want[0][0] + sum})
}

// A scale as large as a temperature of 0.001 gives overflows neither the loss nor its gradients.
func TestSigLIPOfLargeLogits(t *testing.T) {
	u, w := circulant(0, 1, -1)
	got := learned(t, SigLIP{Scale: 1000, Bias: -10}, u, w, 3)
	close64(t, "loss", got[0], []float64{990 + 10}) // of one negative and of the own pair
	for _, gradient := range got[3:] {
		for _, x := range gradient {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("gradient: got %v, want finite numbers", gradient)
			}
		}
	}
}

// ITM's negatives are those of the cosines: the bias changes neither their softmax nor their order, and the scale is a temperature's
// inverse.
func TestSigLIPsMatching(t *testing.T) {
	u, w := embeddings(4, 3, 17)
	got, want := learned(t, SigLIP{Scale: 5, Bias: -10}, u, w, 3), plainly(t, InfoNCE{}, u, w, 3, 0.2)
	close64(t, "I2T", got[1], want[1])
	close64(t, "T2I", got[2], want[2])
}

// A scale of 0, which is what an unset field holds, is refused.
func TestSigLIPValidate(t *testing.T) {
	for _, c := range []SigLIP{{}, {Scale: -1}, {Scale: 10, Bias: math.NaN()}, {Scale: math.Inf(1)}} {
		must.Fail(t, c.Validate(), "10 and -10", "%+v", c)
	}
}
