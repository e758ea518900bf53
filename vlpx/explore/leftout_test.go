package explore

import (
	"math"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// What is false by the relation is neither pushed nor picked, whatever the contrast; the others are pushed as by a method that leaves
// nothing out, or more. Asking twice gives the same: what the method keeps is put back.
func TestLeftOutIsNotPushed(t *testing.T) {
	contrasts := []negative.Contrast{negative.InfoNCE{}, negative.SogCLR{Gamma: 0.9, Temperature: 0.2},
		negative.ISogCLR{Gamma: 0.8, Temperature: 0.1, Least: 0.05, Most: 1, Rho: 6, Rate: 0.01, Beta: 0.9},
		negative.FastCLIP{Version: 3, Gamma: 0.2, Decay: 3}}
	for name, side := range sides {
		for _, c := range contrasts {
			a := newAlbum(20, 1)
			x := explorer(t, a)
			const anchor = 6
			for rank, candidate := range nearest(x.cosines(anchor, side), 7) {
				image, caption := x.meeting(anchor, candidate, side)
				a.judged[[2]string{a.Key(image), x.pairs[caption].Text(a)}] = rank%3 == 0
			}
			m := negative.Method{Contrast: c, LeftOut: negative.Exact{}}.WithDefaults()
			first := must.Get(x.Negatives(t.Context(), anchor, side, 7, []negative.Method{m}))(t)
			second := must.Get(x.Negatives(t.Context(), anchor, side, 7, []negative.Method{m}))(t)
			for k, n := range first.Nearest {
				got := n.Treatments[0]
				if again := second.Nearest[k].Treatments[0].Push; again != got.Push {
					t.Errorf("%s, %T, rank %d: a push of %v, and of %v when asked again", name, c, n.Rank, got.Push, again)
				}
				if k%3 == 0 && (math.Abs(got.Push) > 1e-6 || got.Picked != 0) || k%3 != 0 && !(got.Push > 0) {
					t.Errorf("%s, %T, rank %d: push %v, picked %v; every third is left out", name, c, n.Rank, got.Push, got.Picked)
				}
			}
		}
	}
}
