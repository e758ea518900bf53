package eval_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// TestRerankByHand: with k = 1 image 0 takes caption 1 (.9), image 1 caption 0 (.4, the first of two equals); caption 0 takes
// image 1, captions 1 and 2 take image 0. Pair (1, 0) is asked for once, though both directions want it.
func TestRerankByHand(t *testing.T) {
	sims := matrix([]float64{.1, .9, .5}, []float64{.4, .3, .4})
	var asked []eval.ImageText
	i2t, t2i := must.Get2(eval.Rerank(sims, sims.Transpose(), 1, func(pairs []eval.ImageText) ([]float64, error) {
		asked = pairs
		return []float64{10, 20, 30}, nil
	}))(t)
	if want := []eval.ImageText{{0, 1}, {0, 2}, {1, 0}}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	if want := []float64{-100, 10, -100, 30, -100, -100}; !slices.Equal(eval.Whole(i2t).Data, want) {
		t.Errorf("i2t: got %v, want %v", eval.Whole(i2t), want)
	}
	if want := []float64{-100, 30, 10, -100, 20, -100}; !slices.Equal(eval.Whole(t2i).Data, want) {
		t.Errorf("t2i: got %v, want %v", eval.Whole(t2i), want)
	}
}

// Where a framework adds the similarity, a scored pair has the sum.
func TestAdding(t *testing.T) {
	sims := matrix([]float64{.1, .9}, []float64{.4, .3})
	got, err := eval.Adding(sims, func([]eval.ImageText) ([]float64, error) { return []float64{10, 20}, nil })(
		[]eval.ImageText{{Image: 0, Text: 1}, {Image: 1, Text: 0}})
	if err != nil || !slices.Equal(got, []float64{10.9, 20.4}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// An image is as similar as the nearest of its vectors: of image 0 the second to the first text, the first to the second.
func TestSimilaritiesOfSeveralVectors(t *testing.T) {
	images, texts := []float32{1, 0, 0, 2 /**/, 3, 3, -1, 0}, []float32{0, 1, 1, -1}
	got := eval.Similarities(images, texts, 2, 2)
	if want := []float64{2, 1, 3, 0}; got.Rows != 2 || got.Cols != 2 || !slices.Equal(got.Data, want) {
		t.Errorf("got %+v, want %v", got, want)
	}
}

// TestRerankAgainstSorting: a row's scored cells are the first k of the sorted row.
func TestRerankAgainstSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		k := rapid.IntRange(1, 40).Draw(rt, "k")
		logit := func(p eval.ImageText) float64 { return float64(100*p.Image + p.Text) }
		i2t, t2i, err := eval.Rerank(w.i2t, w.i2t.Transpose(), k, func(pairs []eval.ImageText) ([]float64, error) {
			logits := make([]float64, len(pairs))
			for i, p := range pairs {
				logits[i] = logit(p)
			}
			return logits, nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		check := func(name string, sims eval.Scores, got eval.Rows, pair func(row, col int) eval.ImageText) {
			for r := range sims.Rows {
				order := upTo(sims.Cols)
				slices.SortStableFunc(order, func(a, b int) int {
					if sims.Row(r)[a] > sims.Row(r)[b] {
						return -1
					}
					if sims.Row(r)[a] < sims.Row(r)[b] {
						return 1
					}
					return 0
				})
				for at, c := range order {
					want := float64(eval.Unscored)
					if at < k {
						want = logit(pair(r, c))
					}
					if got := got.Row(r)[c]; got != want {
						rt.Errorf("%s: row %d, column %d: got %v, want %v", name, r, c, got, want)
					}
				}
			}
		}
		check("i2t", w.i2t, i2t, func(r, c int) eval.ImageText { return eval.ImageText{Image: r, Text: c} })
		check("t2i", w.i2t.Transpose(), t2i, func(r, c int) eval.ImageText { return eval.ImageText{Image: c, Text: r} })
	})
}

func TestRerankRejects(t *testing.T) {
	sims := matrix([]float64{.1, .9}, []float64{.4, .3})
	give := func(logits []float64, err error) func([]eval.ImageText) ([]float64, error) {
		return func([]eval.ImageText) ([]float64, error) { return logits, err }
	}
	lost := errors.New("the engine is gone")
	for _, v := range []struct {
		sims  eval.Scores
		k     int
		score func([]eval.ImageText) ([]float64, error)
		want  string
	}{
		{sims, 0, give(nil, nil), "want at least 1"},
		{eval.Scores{}, 1, give(nil, nil), "no pairs"},
		{matrix([]float64{math.NaN()}), 1, give([]float64{1}, nil), "row 0 and column 0 is NaN"},
		{sims, 1, give([]float64{1}, nil), "1 logits for 2 pairs"},
		{sims, 1, give(nil, lost), lost.Error()},
		{sims, 1, give([]float64{1, math.NaN()}, nil), "logit of image 1 and caption 0 is NaN"},
	} {
		_, _, err := eval.Rerank(v.sims, v.sims.Transpose(), v.k, v.score)
		if err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("got %v, want %q", err, v.want)
		}
	}
}
