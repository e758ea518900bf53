package negative

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// during is a contrast at a point of training.
type during struct {
	Contrast
	progress float64
}

func (c during) ITC(f Features) Contrasted {
	f.Progress = ConstAs(f.Image, c.progress)
	return c.Contrast.ITC(f)
}

// Two orthogonal pairs at temperature 1: the own pair's surprise is ln(1 + 1/e), the other's is 1 more. Half of the target
// spread over both leaves 3/4 and 1/4, so that smoothing adds 1/4 from epoch 1 on.
func TestSmoothedByHand(t *testing.T) {
	unit := []float32{1, 0, 0, 1}
	const plain, smoothed = 0.3132616875, 0.5632616875
	for progress, want := range map[float64]float64{0: plain, 0.99: plain, 1: smoothed, 1.5: smoothed, 7: smoothed} {
		close64(t, "loss", plainly(t, during{Smoothed{Alpha: 0.5}, progress}, unit, unit, 2, 1)[0], []float64{want})
	}
}

// Without smoothing, by Alpha or in epoch 0, the contrast is InfoNCE with detached keys: GRIT-VLP's without its term.
func TestSmoothedWithoutSmoothing(t *testing.T) {
	const dim, tau = 4, 0.2
	u, w := embeddings(5, dim, 8)
	want := plainly(t, Consistency{}, u, w, dim, tau)
	for _, c := range []during{{Smoothed{}, 3}, {Smoothed{Alpha: 0.5}, 0.5}} {
		for i, got := range plainly(t, c, u, w, dim, tau) {
			close64(t, "output", got, want[i])
		}
	}
}

func TestSmoothedAgainstLoop(t *testing.T) {
	const batch, dim, tau = 5, 4, 0.3
	u, w := embeddings(batch, dim, 9)
	i2t, t2i := slowSimilarities(u, w, dim, tau), slowSimilarities(w, u, dim, tau)
	for _, alpha := range []float64{0.2, 0.5, 1} {
		targets := func(i int) []float64 {
			row := slowOwn(batch)(i)
			for j := range row {
				row[j] = (1-alpha)*row[j] + alpha/batch
			}
			return row
		}
		got := plainly(t, during{Smoothed{Alpha: alpha}, 1}, u, w, dim, tau)
		close64(t, "loss", got[0], []float64{(slowCE(i2t, targets) + slowCE(t2i, targets)) / 2})
		close64(t, "I2T", got[1], slices.Concat(i2t...))
		close64(t, "T2I", got[2], slices.Concat(t2i...))
	}
}

func TestSmoothedOfPermutedBatch(t *testing.T) {
	const dim, tau = 3, 0.07
	u, w := embeddings(5, dim, 10)
	c, order := during{Smoothed{Alpha: 0.5}, 2}, []int{3, 0, 4, 1, 2}
	want := plainly(t, c, u, w, dim, tau)[0]
	close64(t, "permuted", plainly(t, c, permuted(u, dim, order), permuted(w, dim, order), dim, tau)[0], want)
	close64(t, "images for texts", plainly(t, c, w, u, dim, tau)[0], want)
}
