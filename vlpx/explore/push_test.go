package explore

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// InfoNCE: the softmax less the target over tau, the mean of the directions, both of which reach the anchor. GRIT-VLP's keys are
// detached: only the anchor's own direction does; its consistency target is the other direction's softmax.
func TestPushAgainstClosedForm(t *testing.T) {
	x := explorer(t, newAlbum(20, 2))
	for name, side := range sides {
		for _, anchor := range []int{0, 7, 39} {
			z := x.logits(x.mini(anchor, side), side)
			own, other := softmax(z[0], -1), transposed(z)
			var infonce, grit, smoothed, distilled []float64
			crossed := softmax(other[0], -1)
			for j := range z {
				target := 0.0
				if j == 0 {
					target = 1
				}
				infonce = append(infonce, (own[j]-target+softmax(other[j], -1)[0]-target)/2/x.temperature)
				grit = append(grit, (own[j]-target+0.2*(own[j]-crossed[j]))/2/x.temperature)
				smoothed = append(smoothed, (own[j]-target/2-0.5/float64(len(z)))/2/x.temperature)
				distilled = append(distilled, 0.6*(own[j]-target)/2/x.temperature)
			}
			for _, c := range []struct {
				contrast negative.Contrast
				want     []float64
			}{
				{negative.InfoNCE{}, infonce},
				{negative.Consistency{Weight: 0.2}, grit},
				{negative.Smoothed{Alpha: 0.5}, smoothed},
				{negative.Distilled{Alpha: 0.4}, distilled}, // the teacher is the model itself
			} {
				got := x.see(t, negative.Method{Contrast: c.contrast}, anchor, side).push
				near(t, name, got, c.want, 1e-5)
				if _, both := c.contrast.(negative.InfoNCE); !both {
					sum := 0.0
					for _, g := range got {
						sum += g
					}
					near(t, name+": sum of a loss that a shift of the row does not change", []float64{sum}, []float64{0}, 1e-5)
				}
			}
		}
	}
}

// Of the push on an anchor's negatives the most similar gets less by SRCL than by InfoNCE, and more by DiHT: in the mean, since
// through the other direction an anchor also gets what is hard for its negatives.
func TestPushOfTheHardest(t *testing.T) {
	x := explorer(t, newAlbum(30, 2))
	methods := []negative.Method{negative.SRCL(4), negative.Plain(), negative.DiHT()}
	for name, side := range sides {
		shares := make([]float64, len(methods))
		for anchor := range 20 {
			v := must.Get(x.Negatives(t.Context(), anchor, side, 1, methods))(t)
			for m, treatment := range v.Nearest[0].Treatments {
				shares[m] += treatment.Push / 20
			}
		}
		if !slices.IsSorted(shares) || shares[0]+0.002 > shares[1] || shares[1]+0.002 > shares[2] {
			t.Errorf("%s: got mean shares %v of SRCL, InfoNCE and DiHT; want them clearly to rise", name, shares)
		}
	}
}

// textual has a margin between image and caption as large as the captions are alike, a product of texts with texts.
type textual struct{}

func (textual) ITC(f negative.Features) negative.Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature)
	alike := StopGradient(MatMul(f.Text, Transpose(f.Text, 0, 1)))
	return negative.Contrasted{
		Loss: objective.CrossEntropy(Add(i2t, MulScalar(alike, 3)), objective.OneHotTargets(i2t)), I2T: i2t, T2I: Transpose(i2t, 0, 1),
	}
}

// Products within a side stay what they are.
func TestPushBesideProductsOfOneSide(t *testing.T) {
	x := explorer(t, newAlbum(12, 1))
	for name, side := range sides {
		batch := x.mini(3, side)
		z := x.logits(batch, OfImage)
		_, text := x.features(batch)
		for i := range z {
			for j := range z {
				for d := range testDim {
					z[i][j] += 3 * float64(text[i*testDim+d]*text[j*testDim+d])
				}
			}
		}
		var want []float64
		for j := range z {
			p := softmax(z[0], -1)[j]
			if side == OfText {
				p = softmax(z[j], -1)[0]
			}
			if j == 0 {
				p--
			}
			want = append(want, p/x.temperature)
		}
		near(t, name, x.see(t, negative.Method{Contrast: textual{}}, 3, side).push, want, 1e-5)
	}
}

// queued is a contrast of one's own that keeps a queue.
type queued struct{ negative.Distilled }

// A queue's further candidates leave the shares of the negatives as they are, and looking leaves the queue as it is. ALBEF's is
// left out, so that all that its anchor is pulled by is the push that is shown.
func TestPushBesideQueue(t *testing.T) {
	x := explorer(t, newAlbum(20, 1))
	for name, side := range sides {
		method := negative.Method{Name: "queued", Contrast: queued{negative.Distilled{Alpha: 0.4, Queue: 32}}}
		own := 0.0
		shares := func(m negative.Method) (shares []float64) {
			v := must.Get(x.Negatives(t.Context(), 5, side, 7, []negative.Method{m}))(t)
			for _, n := range v.Nearest {
				shares = append(shares, n.Treatments[0].Push)
			}
			own = v.Anchor.Treatments[0].Push
			return shares
		}
		first := shares(method)
		near(t, name+", as without queue", first, shares(negative.ALBEF(32)), 1e-5)
		near(t, name+", the own pair's", []float64{own}, []float64{-1}, 1e-5)
		near(t, name+", asked again", shares(method), first, 0)
	}
}
