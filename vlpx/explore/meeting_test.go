package explore

import (
	"math"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// uniform is Uniform as Batches of one's own: the explorer has to play it.
type uniform struct{ negative.Uniform }

// Played, uniform mini-batches meet as often as the closed form has it: over all couples the mean differs by the remainder's draw
// alone.
func TestMeetByChance(t *testing.T) {
	x := explorer(t, newAlbum(15, 3)) // 45 pairs: 5 sit an epoch out
	x.Epochs = 40
	mean := func(b negative.Batches) (mean float64) {
		n := 0
		for image := range 15 {
			for caption, pair := range x.pairs {
				if pair.Image == image {
					continue
				}
				met := must.Get(x.meet(negative.Method{Batches: b}, image, caption))(t)
				mean += met
				n++
			}
		}
		return mean / float64(n)
	}
	if got, want := mean(uniform{}), mean(negative.Uniform{}); math.Abs(got-want) > 0.01 {
		t.Errorf("got %v, want about %v", got, want)
	}
	if got, want := x.meetByChance(1), 40.0/45*7/44; math.Abs(got-want) > 1e-12 {
		t.Errorf("one pair with another: got %v, want %v", got, want)
	}
}

// Grouped puts what is alike together: of eight directions with eight pairs each, every mini-batch has one. A learned scheduler
// is not told.
func TestMeetGrouped(t *testing.T) {
	x := explorer(t, newAlbum(64, 1))
	x.start.Dim = 8
	x.image, x.text = make([]float32, 64*8), make([]float32, 64*8)
	for p := range 64 {
		x.image[p*8+p%8], x.text[p*8+p%8] = 1, 1
	}
	m := negative.GRITVLP(64, 64)
	for _, c := range []struct {
		image, caption int
		want           float64
	}{{0, 8, 1}, {5, 61, 1}, {0, 1, 0}} {
		if got, err := x.meet(m, c.image, c.caption); err != nil || got != c.want {
			t.Errorf("image %d with caption %d: got %v, want %v (%v)", c.image, c.caption, got, c.want, err)
		}
	}
	if got, err := x.meet(negative.FALCON(negative.Scheduled{SearchSpace: 64}), 0, 8); err != nil || !math.IsNaN(got) {
		t.Errorf("FALCON: got %v, want NaN (%v)", got, err)
	}
}
