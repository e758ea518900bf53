package explore

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// drawn is Sampled as a matching of one's own: the explorer has to draw.
type drawn struct{ negative.Sampled }

// opaque is a matching that does not tell whose pick a pair is.
type opaque struct{}

func (opaque) Pairs(c negative.Contrasted, noise *Node) negative.Pairs {
	return negative.Sampled{}.Pairs(c, noise)
}

func TestPicked(t *testing.T) {
	x := explorer(t, newAlbum(20, 2))
	for name, side := range sides {
		const anchor = 4
		z := x.logits(x.mini(anchor, side), side)
		own, other := softmax(z[0], 0), transposed(z)
		hardest, either := make([]float64, len(z)), make([]float64, len(z))
		hardest[1] = 1
		for j := range z {
			if j > 0 {
				either[j] = 1 - (1-own[j])*(1-softmax(other[j], j)[0])
			}
		}
		error5 := 5 * math.Sqrt(0.25/matchingDraws)
		for _, c := range []struct {
			matching negative.Matching
			want     []float64
			within   float64
		}{{negative.Hardest{}, hardest, 0}, {negative.Sampled{}, own, 1e-5}, {drawn{}, own, error5}, {opaque{}, either, error5}} {
			near(t, name, x.see(t, negative.Method{Matching: c.matching}, anchor, side).picked, c.want, c.within)
		}
	}
}

// What ECM makes of scores around its thresholds, whichever negative is picked.
func TestDecisions(t *testing.T) {
	x := explorer(t, newAlbum(20, 1))
	scores := []float64{0, 0.2, 0.9, 0.6, 0.5, 0.75, 0.95, 0.49}
	for name, side := range sides {
		for _, c := range []struct {
			ecm  negative.ECM
			want []Decision
		}{
			{negative.ECM{Low: 0.5, High: 0.75},
				[]Decision{Kept, Kept, NewPositive, Resampled, LeftOut, LeftOut, NewPositive, Kept}},
			{negative.ECM{Low: 0.5, High: 0.75, Eliminate: true},
				[]Decision{Kept, Kept, Eliminated, Resampled, LeftOut, LeftOut, Eliminated, Kept}},
			{negative.ECM{Low: 0.5, High: 0.75, Use: negative.Of(negative.ITC)},
				[]Decision{Kept, Kept, NewPositive, Kept, Kept, Kept, NewPositive, Kept}},
		} {
			m := negative.Method{Positives: c.ecm}.WithDefaults()
			l := must.Get(x.compiledMethod(m, side))(t)
			sc := scene{temperature: x.temperature, items: make([]int32, 8), scores: make([]float32, 64),
				index: make([]int32, 8), truth: make([]float32, 64)}
			sc.image, sc.text = x.features(x.mini(3, side))
			for j, s := range scores {
				sc.scores[l.at(j)] = float32(s)
			}
			got := must.Get(l.look(sc))(t)
			for j, want := range c.want {
				if got.decision[j] != want {
					t.Errorf("%s, %+v: a score of %v: got %q, want %q", name, c.ecm, scores[j], got.decision[j], want)
				}
			}
		}
	}
}

// MAFA with the oracle: true pairs, and only those, become positives, and the picked one is pulled.
func TestOracleConvertsTruePairs(t *testing.T) {
	for name, side := range sides {
		a := newAlbum(20, 1)
		x := explorer(t, a)
		const anchor = 6
		near := nearest(x.cosines(anchor, side), 7)
		for rank, candidate := range near {
			image, caption := x.meeting(anchor, candidate, side)
			a.judged[[2]string{a.Key(image), x.pairs[caption].Text(a)}] = rank%3 == 0
		}
		m := negative.MAFA(8, 16)
		m.Positives = negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}
		v := must.Get(x.Negatives(t.Context(), anchor, side, 7, []negative.Method{m}))(t)
		for k, n := range v.Nearest {
			got, want := n.Treatments[0], Kept
			if k%3 == 0 {
				want = NewPositive
			}
			if got.Decision != want || k == 0 && !(got.Push < 0) {
				t.Errorf("%s, rank %d: got %q and push %v, want %q and the picked one pulled", name, n.Rank, got.Decision, got.Push, want)
			}
		}
		if v.Trues != 3 {
			t.Errorf("%s: got %d true pairs, want 3", name, v.Trues)
		}
	}
}
