package eval_test

import (
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// TestTrueRecallByHand has three images with one caption each; caption 1 is also true of image 0, and nothing is known of
// caption 2 and image 0.
//
// Text, image 0: true are captions 0 and 1, ranked 3 and 1, caption 2 second. Best true 1; precision (1/1 + 2/3)/2 = 5/6; with
// caption 1 taken out, caption 2 still beats caption 0. Image 1 finds its caption first: 1, 1. Image 2: its caption is second
// of three: best 2, precision 1/2.
// Image, caption 0: its image first. Caption 1: true are images 0 and 1, ranked 1 and 2: precision 1, and image 1 is first
// once image 0 is out. Caption 2: its image ties with image 0, of which it is unknown: second, precision 1/2.
func TestTrueRecallByHand(t *testing.T) {
	w := world{
		i2t:          matrix([]float64{.1, .9, .5}, []float64{.2, .8, .3}, []float64{.9, .1, .4}),
		t2i:          matrix([]float64{.7, .2, .1}, []float64{.8, .6, .1}, []float64{.4, .3, .4}),
		captionImage: []int{0, 1, 2},
		truth:        []int{2, 2, 0, 1, 2, 1, 1, 1, 2},
	}
	got := must.Get(eval.TrueRecall(w.i2t, w.t2i, w.captionImage, w))(t)
	same(t, got, eval.Result{
		eval.TR1True: 200. / 3, eval.TR5True: 100, eval.TR10True: 100, eval.TRMAP: 100 * (5./6 + 1 + .5) / 3, eval.TR1False: 100. / 3,
		eval.IR1True: 200. / 3, eval.IR5True: 100, eval.IR10True: 100, eval.IRMAP: 100 * (1 + 1 + .5) / 3, eval.IR1False: 200. / 3,
	})
}

// TestTrueRecallAgainstSorting compares counting with sorting every row.
func TestTrueRecallAgainstSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		got, err := eval.TrueRecall(w.i2t, w.t2i, w.captionImage, w)
		if err != nil {
			rt.Fatal(err)
		}
		var tr, ir, trFalse, irFalse []int
		var trMAP, irMAP float64
		for i := range w.i2t.Rows {
			right := func(c int) bool { return w.right(i, c) }
			tr = append(tr, firstRight(ranking(w.i2t.Row(i), right), right))
			trMAP += averagePrecision(ranking(w.i2t.Row(i), right), right)
			trFalse = append(trFalse, amongFalse(w.i2t.Row(i), right, w.own(i)))
		}
		for c := range w.t2i.Rows {
			right := func(i int) bool { return w.right(i, c) }
			own := func(i int) bool { return w.captionImage[c] == i }
			ir = append(ir, firstRight(ranking(w.t2i.Row(c), right), right))
			irMAP += averagePrecision(ranking(w.t2i.Row(c), right), right)
			irFalse = append(irFalse, amongFalse(w.t2i.Row(c), right, own))
		}
		same(rt, got, eval.Result{
			eval.TR1True: within(tr, 1), eval.TR5True: within(tr, 5), eval.TR10True: within(tr, 10),
			eval.IR1True: within(ir, 1), eval.IR5True: within(ir, 5), eval.IR10True: within(ir, 10),
			eval.TRMAP: 100 * trMAP / float64(len(tr)), eval.IRMAP: 100 * irMAP / float64(len(ir)),
			eval.TR1False: within(trFalse, 1), eval.IR1False: within(irFalse, 1),
		})
	})
}

// amongFalse takes the right candidates that are not own out of the ranking and returns the rank of the first own one.
func amongFalse(scores []float64, right, own func(int) bool) int {
	var order []int
	for _, c := range ranking(scores, own) {
		if own(c) || !right(c) {
			order = append(order, c)
		}
	}
	return firstRight(order, own)
}

// TestUnknownRelationIsRecall: when nothing is known beyond the own pairs, all three are recall by own captions.
func TestUnknownRelationIsRecall(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		clear(w.truth)
		want, err := eval.Recall(w.i2t, w.t2i, w.captionImage)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := eval.TrueRecall(w.i2t, w.t2i, w.captionImage, w)
		if err != nil {
			rt.Fatal(err)
		}
		for metric, own := range map[eval.Metric]eval.Metric{
			eval.TR1True: eval.TR1, eval.TR5True: eval.TR5, eval.TR10True: eval.TR10, eval.TR1False: eval.TR1,
			eval.IR1True: eval.IR1, eval.IR5True: eval.IR5, eval.IR10True: eval.IR10, eval.IR1False: eval.IR1,
		} {
			if got[metric] != want[own] {
				rt.Errorf("%s: got %v, want %v", metric, got[metric], want[own])
			}
		}
	})
}
