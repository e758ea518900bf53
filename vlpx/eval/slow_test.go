package eval_test

import (
	"math"
	"slices"

	"pgregory.net/rapid"
	"vlpx.internal/vlpx/eval"
)

// world is a small random retrieval problem with a partly known relation. Scores are drawn from few values, so ties abound.
type world struct {
	i2t, t2i     eval.Scores
	captionImage []int
	truth        []int // [images*captions]: 0 unknown, 1 false, 2 true
}

func (w world) Holds(i, p int) (holds, known bool) {
	if w.truth == nil {
		return false, false
	}
	switch w.truth[i*len(w.captionImage)+p] {
	case 1:
		return false, true
	case 2:
		return true, true
	default:
		return true, false // a guess, which known = false takes back
	}
}

// own tells the captions of image i.
func (w world) own(i int) func(c int) bool { return func(c int) bool { return w.captionImage[c] == i } }

// right reports whether caption c is true of image i.
func (w world) right(i, c int) bool {
	return w.captionImage[c] == i || w.truth[i*len(w.captionImage)+c] == 2
}

func drawWorld(t *rapid.T) world {
	images := rapid.IntRange(1, 14).Draw(t, "images")
	w := world{captionImage: rapid.SliceOfN(rapid.IntRange(0, images-1), 0, 14).Draw(t, "more captions")}
	w.captionImage = append(w.captionImage, upTo(images)...)
	captions := len(w.captionImage)
	score := rapid.SampledFrom([]float64{-100, -1, 0, .25, .25000001, .5, .75, 1, 2, 3, math.Inf(1)})
	w.i2t = eval.Scores{Rows: images, Cols: captions, Data: rapid.SliceOfN(score, images*captions, images*captions).Draw(t, "i2t")}
	w.t2i = eval.Scores{Rows: captions, Cols: images, Data: rapid.SliceOfN(score, images*captions, images*captions).Draw(t, "t2i")}
	w.truth = rapid.SliceOfN(rapid.IntRange(0, 2), images*captions, images*captions).Draw(t, "truth")
	return w
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// ranking sorts the candidates from best to worst, the right ones last among equals.
func ranking(scores []float64, right func(int) bool) []int {
	order := upTo(len(scores))
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		case right(a) == right(b):
			return 0
		case right(b):
			return -1
		default:
			return 1
		}
	})
	return order
}

// firstRight is the rank, from 1, of the first right candidate.
func firstRight(order []int, right func(int) bool) int { return 1 + slices.IndexFunc(order, right) }

// averagePrecision is the mean, over the right candidates, of the share of right ones down to each.
func averagePrecision(order []int, right func(int) bool) float64 {
	var sum float64
	hits := 0
	for at, c := range order {
		if right(c) {
			hits++
			sum += float64(hits) / float64(at+1)
		}
	}
	return sum / float64(hits)
}

func within(ranks []int, k int) float64 {
	hits := 0
	for _, r := range ranks {
		if r <= k {
			hits++
		}
	}
	return 100 * float64(hits) / float64(len(ranks))
}

func mean(ranks []int) float64 {
	sum := 0.
	for _, r := range ranks {
		sum += float64(r)
	}
	return sum / float64(len(ranks))
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// same compares two results, number by number.
func same(t failer, got, want eval.Result) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got %d metrics, want %d: %v, %v", len(got), len(want), got, want)
	}
	for metric, w := range want {
		if g, ok := got[metric]; !ok || math.Abs(g-w) > 1e-9 {
			t.Errorf("%s: got %v, want %v", metric, g, w)
		}
	}
}
