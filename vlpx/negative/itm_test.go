package negative

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/stat/distuv"
)

// pairing runs a matching on similarities: images, texts and labels of the pairs.
func pairing(t *testing.T, m Matching) func(i2t, t2i [][]float32, noise *tensors.Tensor) [][]float64 {
	t.Helper()
	run := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		p := m.Pairs(Contrasted{I2T: in[0], T2I: in[1]}, in[2])
		return []*Node{p.Images, p.Texts, p.Labels}
	})
	return func(i2t, t2i [][]float32, noise *tensors.Tensor) [][]float64 { return run(i2t, t2i, noise) }
}

// The own pair is never a negative, however similar; of equals the lower index is.
func TestHardestByHand(t *testing.T) {
	i2t := [][]float32{{9, 1, 2}, {3, 9, 3}, {-5, -4, -9}}
	t2i := [][]float32{{9, 0, 0}, {1, 9, 2}, {7, 6, 9}}
	noise := tensors.FromFlatDataAndDimensions(make([]float32, 18), 2, 3, 3)
	got := pairing(t, Hardest{})(i2t, t2i, noise)
	for i, want := range [][]float64{
		{0, 1, 2, 1, 2, 0, 0, 1, 2}, // images: own; most similar to texts 0, 1 and 2; own
		{0, 1, 2, 0, 1, 2, 2, 0, 1}, // texts: own; own; most similar to images 0, 1 and 2
		{1, 1, 1, 0, 0, 0, 0, 0, 0},
	} {
		if name := []string{"images", "texts", "labels"}[i]; !slices.Equal(got[i], want) {
			t.Errorf("%s: got %v, want %v", name, got[i], want)
		}
	}
}

// Negatives are drawn in proportion to the softmax of the other pairs' similarities, for images and texts apart. The bound
// is Pearson's chi-square at p = 0.001.
func TestSampledFollowsSoftmax(t *testing.T) {
	const batch, draws = 4, 4000
	r := rand.New(rand.NewPCG(1, 2))
	matrix := func() [][]float32 {
		m := make([][]float32, batch)
		for i := range m {
			for range batch {
				m[i] = append(m[i], float32(r.NormFloat64()))
			}
			m[i][i] = 6 // the own pair is far the most similar
		}
		return m
	}
	i2t, t2i := matrix(), matrix()
	var texts, images [batch][batch]float64
	pairs := pairing(t, Sampled{})
	noise := make([]float32, 2*batch*batch)
	for range draws {
		for i := range noise {
			noise[i] = float32(-math.Log(r.ExpFloat64())) // Gumbel
		}
		got := pairs(i2t, t2i, tensors.FromFlatDataAndDimensions(noise, 2, batch, batch))
		for k := range batch {
			images[k][int(got[0][batch+k])]++
			texts[k][int(got[1][2*batch+k])]++
		}
	}
	bound := distuv.ChiSquared{K: batch - 2}.Quantile(0.999)
	for name, side := range map[string]struct {
		similarities [][]float32
		counts       [batch][batch]float64
	}{"texts of images": {i2t, texts}, "images of texts": {t2i, images}} {
		for k, counts := range side.counts {
			var total, statistic float64
			for j, z := range side.similarities[k] {
				if j != k {
					total += math.Exp(float64(z))
				}
			}
			for j, z := range side.similarities[k] {
				if j == k {
					continue
				}
				want := draws * math.Exp(float64(z)) / total
				statistic += (counts[j] - want) * (counts[j] - want) / want
			}
			if counts[k] != 0 {
				t.Errorf("%s, anchor %d: the own pair was drawn %v times", name, k, counts[k])
			}
			if statistic > bound {
				t.Errorf("%s, anchor %d: got counts %v, chi-square %.1f, want at most %.1f", name, k, counts, statistic, bound)
			}
		}
	}
}
