package negative

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// With Items all candidates of the anchor's image share its target, those of the queue too, and no matching picks another
// caption of the image. The queue's first vectors belong to no image.
func TestDistilledItems(t *testing.T) {
	const batch, dim, tau, alpha = 4, 3, 0.25, 0.4
	d := Distilled{Alpha: alpha, Decay: 0.995, Queue: 2 * batch, Items: true}
	store := model.NewStore()
	must.Do(t, d.Declare(store.Scope("/state"), Start{BatchSize: batch, Dim: dim, Seed: 5}))
	queue := func(side string) []float32 {
		return tensors.MustCopyFlatData[float32](store.GetVariable("/state/" + side + "/queue").MustValue())
	}
	step := compiled(t, store, func(s *model.Scope, in []*Node) []*Node {
		z := d.ITC(Features{Image: in[0], Text: in[1], MomentumImage: in[2], MomentumText: in[3], Temperature: in[4], Progress: in[5],
			Items: in[6], State: s.Store().Scope("/state")})
		images, texts := HardestNegatives(z)
		return []*Node{z.Loss, z.I2T, z.T2I, images, texts}
	})
	images, texts, items := queue("image"), queue("text"), slices.Repeat([]int32{-100}, 2*batch)
	for k, here := range [][]int32{{7, 8, 7, 9}, {8, 8, 3, 8}, {7, 3, 9, 9}, {1, 2, 3, 4}} {
		u, w := embeddings(batch, dim, uint64(10+k))
		um, wm := embeddings(batch, dim, uint64(20+k))
		of := slices.Concat(here, items)
		side := func(anchor, teacher, keys []float32) float64 {
			taught := slowSimilarities(teacher, keys, dim, tau)
			return slowCE(slowSimilarities(anchor, keys, dim, tau), func(i int) []float64 {
				target := slowSoftmax(taught[i])
				positives := 0
				for _, item := range of {
					if item == here[i] {
						positives++
					}
				}
				for j := range target {
					target[j] *= alpha
					if of[j] == here[i] {
						target[j] += (1 - alpha) / float64(positives)
					}
				}
				return target
			})
		}
		rows := func(x []float32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(x, batch, dim) }
		got := step(rows(u), rows(w), rows(um), rows(wm), float32(tau), float32(1), here)
		close64(t, "loss", got[0], []float64{(side(u, um, slices.Concat(wm, texts)) + side(w, wm, slices.Concat(um, images))) / 2})
		i2t, t2i := slowSimilarities(u, wm, dim, tau), slowSimilarities(w, um, dim, tau)
		for i := range batch {
			for j := range batch {
				if i != j && here[i] == here[j] {
					i2t[i][j], t2i[i][j] = -1e30, -1e30
				}
			}
			for name, picked := range map[string]float64{"image": got[3][i], "text": got[4][i]} {
				if here[int(picked)] == here[i] {
					t.Errorf("batch %d: anchor %d got the %s of pair %v, of its own image, as its negative", k, i, name, picked)
				}
			}
		}
		close64(t, "I2T", got[1], slices.Concat(i2t...))
		close64(t, "T2I", got[2], slices.Concat(t2i...))

		at := k % 2 * batch
		copy(images[at*dim:], um)
		copy(texts[at*dim:], wm)
		copy(items[at:], here)
		if got := tensors.MustCopyFlatData[int32](store.GetVariable("/state/item/queue").MustValue()); !slices.Equal(got, items) {
			t.Fatalf("queue of items after batch %d: got %v, want %v", k, got, items)
		}
	}
}

// Pairs that are all of different images are ALBEF's, whether items are asked for or not; only with them there is a queue of items.
func TestDistilledItemsThatAllDiffer(t *testing.T) {
	const batch, dim = 3, 4
	u, w := embeddings(batch, dim, 1)
	um, wm := embeddings(batch, dim, 2)
	outcome := func(asked bool) [][]float64 {
		d := Distilled{Alpha: 0.4, Decay: 0.995, Queue: batch, Items: asked}
		store := model.NewStore()
		must.Do(t, d.Declare(store.Scope("/state"), Start{BatchSize: batch, Dim: dim, Seed: 5}))
		if has := store.GetVariable("/state/item/queue") != nil; has != asked || d.NeedsItems() != asked {
			t.Errorf("items asked for %v: a queue of them %v, needed %v", asked, has, d.NeedsItems())
		}
		rows := func(x []float32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(x, batch, dim) }
		return compiled(t, store, func(s *model.Scope, in []*Node) []*Node {
			z := d.ITC(Features{Image: in[0], Text: in[1], MomentumImage: in[2], MomentumText: in[3],
				Temperature: Const(in[0].Graph(), float32(0.2)),
				Progress:    Const(in[0].Graph(), float32(1)), Items: Const(in[0].Graph(), []int32{5, 6, 4}),
				State: s.Store().Scope("/state")})
			return append([]*Node{z.Loss, z.I2T, z.T2I}, Gradient(z.Loss, in[0], in[1])...)
		})(rows(u), rows(w), rows(um), rows(wm))
	}
	with, without := outcome(true), outcome(false)
	for i, name := range []string{"loss", "I2T", "T2I", "image gradient", "text gradient"} {
		if !slices.Equal(with[i], without[i]) {
			t.Errorf("%s: got %v with items, %v without", name, with[i], without[i])
		}
	}
}
