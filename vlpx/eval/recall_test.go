package eval_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// matrix builds Scores from rows.
func matrix(rows ...[]float64) eval.Scores {
	return eval.Scores{Rows: len(rows), Cols: len(rows[0]), Data: slices.Concat(rows...)}
}

// TestRecallByHand: image 0 has captions 0 and 2, image 1 has caption 1.
// TR ranks: image 0's best caption (2) is beaten by caption 1: 2; image 1's caption is first: 1.
// IR ranks: captions 0 and 1 find their image first; caption 2 gives both images .3, a tie decided against it: 2.
func TestRecallByHand(t *testing.T) {
	i2t := matrix([]float64{.1, .9, .5}, []float64{.2, .8, .3})
	t2i := matrix([]float64{.7, .2}, []float64{.1, .6}, []float64{.3, .3})
	got := must.Get(eval.Recall(i2t, t2i, []int{0, 1, 0}))(t)
	want := eval.Result{
		eval.TR1: 50, eval.TR5: 100, eval.TR10: 100, eval.TRMean: 250. / 3, eval.TRRank: 1.5,
		eval.IR1: 200. / 3, eval.IR5: 100, eval.IR10: 100, eval.IRMean: 800. / 9, eval.IRRank: 4. / 3,
		eval.RMean: (250 + 800./3) / 6, eval.RSum: 250 + 800./3,
		eval.TRTied: 0, eval.IRTied: 100. / 3,
	}
	same(t, got, want)
}

func TestConstantScoresRecallNothing(t *testing.T) {
	const images, captions = 20, 40
	i2t := eval.NewScores(images, captions)
	captionImage := make([]int, captions)
	for c := range captionImage {
		captionImage[c] = c % images
	}
	got := must.Get(eval.Recall(i2t, i2t.Transpose(), captionImage))(t)
	if got[eval.RSum] != 0 || got[eval.IRRank] != images || got[eval.TRRank] != captions-1 {
		t.Errorf("got RSum %v, ranks %v and %v; want 0, %d and %d", got[eval.RSum], got[eval.IRRank], got[eval.TRRank], images, captions-1)
	}
	if got[eval.TRTied] != 100 || got[eval.IRTied] != 100 {
		t.Errorf("ties in %v and %v %% of the queries; want all", got[eval.TRTied], got[eval.IRTied])
	}
}

func TestRecallRejects(t *testing.T) {
	good := eval.NewScores(2, 3)
	holed := eval.NewScores(2, 3)
	holed.Data[4] = math.NaN()
	for _, v := range []struct {
		i2t, t2i eval.Scores
		captions []int
		want     string
	}{
		{eval.Scores{}, eval.Scores{}, nil, "no images"},
		{good, good, []int{0, 1, 0}, "t2i is [2, 3] with 6 scores, want [3, 2]"},
		{eval.Scores{Rows: 2, Cols: 3}, good.Transpose(), []int{0, 1, 0}, "i2t is [2, 3] with 0 scores"},
		{holed, good.Transpose(), []int{0, 1, 0}, "i2t: score of row 1 and column 1 is NaN"},
		{good, good.Transpose(), []int{0, 2, 1}, "caption 1 belongs to image 2, but there are 2 images"},
		{good, good.Transpose(), []int{0, 0, 0}, "image 1 has no caption"},
	} {
		_, err := eval.Recall(v.i2t, v.t2i, v.captions)
		if err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("got %v, want %q", err, v.want)
		}
	}
}

// TestRecallAgainstSorting compares counting with sorting every row.
func TestRecallAgainstSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		got, err := eval.Recall(w.i2t, w.t2i, w.captionImage)
		if err != nil {
			rt.Fatal(err)
		}
		var tr, ir []int
		var tiedImages, tiedCaptions float64
		tie := func(row []float64, right func(int) bool) float64 {
			best, wrong := math.Inf(-1), map[float64]bool{}
			for c, s := range row {
				if right(c) {
					best = max(best, s)
				} else {
					wrong[s] = true
				}
			}
			if wrong[best] {
				return 100
			}
			return 0
		}
		for i := range w.i2t.Rows {
			tr = append(tr, firstRight(ranking(w.i2t.Row(i), w.own(i)), w.own(i)))
			tiedImages += tie(w.i2t.Row(i), w.own(i)) / float64(w.i2t.Rows)
		}
		for c := range w.t2i.Rows {
			right := func(i int) bool { return i == w.captionImage[c] }
			ir = append(ir, firstRight(ranking(w.t2i.Row(c), right), right))
			tiedCaptions += tie(w.t2i.Row(c), right) / float64(w.t2i.Rows)
		}
		want := eval.Result{
			eval.TR1: within(tr, 1), eval.TR5: within(tr, 5), eval.TR10: within(tr, 10), eval.TRRank: mean(tr),
			eval.IR1: within(ir, 1), eval.IR5: within(ir, 5), eval.IR10: within(ir, 10), eval.IRRank: mean(ir),
			eval.TRTied: tiedImages, eval.IRTied: tiedCaptions,
		}
		want[eval.TRMean] = (want[eval.TR1] + want[eval.TR5] + want[eval.TR10]) / 3
		want[eval.IRMean] = (want[eval.IR1] + want[eval.IR5] + want[eval.IR10]) / 3
		want[eval.RMean] = (want[eval.TRMean] + want[eval.IRMean]) / 2
		want[eval.RSum] = 6 * want[eval.RMean]
		same(rt, got, want)
	})
}

// TestRecallIgnoresCaptionOrder: permuting the captions changes nothing.
func TestRecallIgnoresCaptionOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		want, err := eval.Recall(w.i2t, w.t2i, w.captionImage)
		if err != nil {
			rt.Fatal(err)
		}
		order := rapid.Permutation(upTo(w.t2i.Rows)).Draw(rt, "order")
		t2i, captionImage := eval.NewScores(w.t2i.Rows, w.t2i.Cols), make([]int, w.t2i.Rows)
		i2t := eval.NewScores(w.i2t.Rows, w.i2t.Cols)
		for at, c := range order {
			captionImage[at] = w.captionImage[c]
			copy(t2i.Row(at), w.t2i.Row(c))
			for i := range i2t.Rows {
				i2t.Row(i)[at] = w.i2t.Row(i)[c]
			}
		}
		got, err := eval.Recall(i2t, t2i, captionImage)
		if err != nil {
			rt.Fatal(err)
		}
		same(rt, got, want)
	})
}

func TestMetricsListsEveryNumberOnce(t *testing.T) {
	w := world{i2t: eval.NewScores(1, 1), t2i: eval.NewScores(1, 1), captionImage: []int{0}}
	all := must.Get(eval.Recall(w.i2t, w.t2i, w.captionImage))(t)
	more := must.Get(eval.TrueRecall(w.i2t, w.t2i, w.captionImage, w))(t)
	maps.Copy(all, more)
	judged := eval.Judged{True: []eval.ImageText{{0, 0}}, False: []eval.ImageText{{0, 0}}, AllTrue: 1, AllFalse: 1}
	discriminated := must.Get(judged.Matching(func([]eval.ImageText) ([]float64, error) { return []float64{1, 1}, nil }))(t)
	maps.Copy(all, discriminated)
	asked := datasets.Answers{Captions: [][]int{{0}}, Images: [][]int{{0}}}
	answered := must.Get(eval.BenchmarkRecall(w.i2t, w.t2i, w.captionImage, map[datasets.Benchmark]datasets.Answers{datasets.ECCV: asked,
		datasets.CxC: asked}))(t)
	maps.Copy(all, answered)
	two := eval.NewScores(2, 2)
	folds := must.Get(eval.FoldRecall(two, two, []int{0, 1}, 1))(t)
	maps.Copy(all, folds)
	var listed []eval.Metric
	for _, info := range (eval.Retrieval{}).Metrics() {
		listed = append(listed, info.Metric)
	}
	slices.Sort(listed)
	if measured := slices.Sorted(maps.Keys(all)); !slices.Equal(listed, measured) {
		t.Errorf("got %v listed, want %v", listed, measured)
	}
}

func BenchmarkTrueRecall(b *testing.B) {
	const images, each = 1000, 5
	i2t := eval.NewScores(images, images*each)
	for k := range i2t.Data {
		i2t.Data[k] = math.Sin(float64(k) * 12.9898)
	}
	t2i, captionImage := i2t.Transpose(), make([]int, images*each)
	for c := range captionImage {
		captionImage[c] = c / each
	}
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			must.Get(eval.Recall(i2t, t2i, captionImage))(b)
		}
	})
	b.Run("true", func(b *testing.B) {
		for b.Loop() {
			must.Get(eval.TrueRecall(i2t, t2i, captionImage, everyTwentieth{}))(b)
		}
	})
	b.Run("nearest128", func(b *testing.B) {
		for b.Loop() {
			must.Get2(eval.Rerank(i2t, t2i, 128, func(p []eval.ImageText) ([]float64, error) {
				return make([]float64, len(p)),
					nil
			}))(b)
		}
	})
}

type everyTwentieth struct{}

func (everyTwentieth) Holds(i, p int) (holds, known bool) { return (i+p)%20 == 0, true }
