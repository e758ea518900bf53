package eval_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// TestBenchmarkByHand has two images with two captions each. Image 0 asks ECCV, with three answers: by its scores captions rank 1, 0, 3, 2,
// of which 0, 1 and 2 are listed, so places 1, 2 and 4: precision 1 and 1 at the first two, none at the third: mAP@R (1 + 1 + 0)/3,
// R-Precision 2/3. Caption 1 asks ECCV with image 1 alone, which ties with image 0 and therefore stands second: 0 in all but R@5. Caption 3
// asks with both images: 1, whatever their order. Of CxC's queries image 0 has caption 3, third; image 1 caption 2, first.
func TestBenchmarkByHand(t *testing.T) {
	i2t := matrix([]float64{.8, .9, .1, .5}, []float64{.2, .3, .7, .6})
	t2i := matrix([]float64{.9, .1}, []float64{.5, .5}, []float64{.3, .8}, []float64{.1, .2})
	got := must.Get(eval.BenchmarkRecall(i2t, t2i, []int{0, 0, 1, 1}, map[datasets.Benchmark]datasets.Answers{
		datasets.ECCV: {Captions: [][]int{{2, 0, 1}, nil}, Images: [][]int{nil, {1}, nil, {0, 1}}},
		datasets.CxC:  {Captions: [][]int{{3}, {2}}, Images: [][]int{nil, nil, nil, nil}},
	}))(t)
	same(t, got, eval.Result{
		eval.TR1ECCV: 100, eval.TR5ECCV: 100, eval.TR10ECCV: 100, eval.TRMAPR: 200. / 3, eval.TRRPrecision: 200. / 3,
		eval.IR1ECCV: 50, eval.IR5ECCV: 100, eval.IR10ECCV: 100, eval.IRMAPR: 50, eval.IRRPrecision: 50,
		eval.TR1CxC: 50, eval.TR5CxC: 100, eval.TR10CxC: 100,
	})
}

// drawAnswers makes answers for a world: of some queries, one at least.
func drawAnswers(t *rapid.T, w world) datasets.Answers {
	draw := func(queries, candidates int) [][]int {
		lists := make([][]int, queries)
		for q := range lists {
			if rapid.Bool().Draw(t, "asks") {
				lists[q] = rapid.SliceOfNDistinct(rapid.IntRange(0, candidates-1), 1, candidates, rapid.ID).Draw(t, "answers")
			}
		}
		return lists
	}
	return datasets.Answers{Captions: draw(w.i2t.Rows, w.i2t.Cols), Images: draw(w.t2i.Rows, w.t2i.Cols)}
}

// TestBenchmarkAgainstSorting writes eccv-caption's definitions down: sort the candidates, and look at the first R places.
func TestBenchmarkAgainstSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		answers := drawAnswers(rt, w)
		got, err := eval.BenchmarkRecall(w.i2t, w.t2i, w.captionImage, map[datasets.Benchmark]datasets.Answers{datasets.ECCV: answers})
		if err != nil {
			rt.Fatal(err)
		}
		want := eval.Result{}
		for _, side := range []struct {
			direction string
			scores    eval.Scores
			lists     [][]int
		}{{"TR", w.i2t, answers.Captions}, {"IR", w.t2i, answers.Images}} {
			var first []int
			var mapR, precision float64
			for q, list := range side.lists {
				if list == nil {
					continue
				}
				right := func(c int) bool { return slices.Contains(list, c) }
				order := ranking(side.scores.Row(q), right)
				first = append(first, firstRight(order, right))
				hits := 0.
				for place, c := range order[:len(list)] {
					if right(c) {
						hits++
						mapR += hits / float64(place+1) / float64(len(list))
					}
				}
				precision += hits / float64(len(list))
			}
			if len(first) == 0 {
				continue
			}
			n := float64(len(first))
			for at, k := range map[string]int{"@1 ECCV": 1, "@5 ECCV": 5, "@10 ECCV": 10} {
				want[eval.Metric(side.direction+at)] = within(first, k)
			}
			want[eval.Metric(side.direction+" mAP@R")] = 100 * mapR / n
			want[eval.Metric(side.direction+" R-Precision")] = 100 * precision / n
		}
		same(rt, got, want)
	})
}

// TestBenchmarkOfOwnCaptions: where the answers are the own captions, recall is the papers'.
func TestBenchmarkOfOwnCaptions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		own := datasets.Answers{Captions: make([][]int, w.i2t.Rows)}
		for c, i := range w.captionImage {
			own.Captions[i], own.Images = append(own.Captions[i], c), append(own.Images, []int{i})
		}
		want, err := eval.Recall(w.i2t, w.t2i, w.captionImage)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := eval.BenchmarkRecall(w.i2t, w.t2i, w.captionImage, map[datasets.Benchmark]datasets.Answers{datasets.CxC: own})
		if err != nil {
			rt.Fatal(err)
		}
		same(rt, got, eval.Result{
			eval.TR1CxC: want[eval.TR1], eval.TR5CxC: want[eval.TR5], eval.TR10CxC: want[eval.TR10],
			eval.IR1CxC: want[eval.IR1], eval.IR5CxC: want[eval.IR5], eval.IR10CxC: want[eval.IR10],
		})
	})
}

// TestBenchmarkGolden has what eccv-caption's own functions give, folds of ten images included.
func TestBenchmarkGolden(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("testdata", "eccv_caption.json")))(t)
	var golden struct {
		Fold         int
		CaptionImage []int
		I2T, T2I     [][]float64
		Answers      map[datasets.Benchmark]datasets.Answers
		Want         eval.Result
	}
	must.Do(t, json.Unmarshal(text, &golden))
	i2t, t2i := matrix(golden.I2T...), matrix(golden.T2I...)
	got := must.Get(eval.BenchmarkRecall(i2t, t2i, golden.CaptionImage, golden.Answers))(t)
	folds := must.Get(eval.FoldRecall(i2t, t2i, golden.CaptionImage, golden.Fold))(t)
	maps.Copy(got, folds)
	same(t, got, golden.Want)
}

// TestFolds: one fold, or images that make up no whole folds, are no folds.
func TestFolds(t *testing.T) {
	scores := matrix([]float64{3, 2, 1}, []float64{3, 2, 1}, []float64{3, 2, 1})
	for size, want := range map[int]int{1: 6, 2: 0, 3: 0} {
		got, err := eval.FoldRecall(scores, scores, []int{0, 1, 2}, size)
		if err != nil || len(got) != want {
			t.Errorf("folds of %d: got %v (%v), want %d metrics", size, got, err, want)
		}
	}
}

func TestBenchmarkErrors(t *testing.T) {
	scores := matrix([]float64{1})
	for want, answers := range map[string]map[datasets.Benchmark]datasets.Answers{
		`no metrics for the benchmark "PM"`:                        {"PM": {}},
		"CxC: answers of 2 images and 1 captions, but there are 1": {datasets.CxC: {Captions: make([][]int, 2), Images: make([][]int, 1)}},
	} {
		must.Fail(t, must.Err(eval.BenchmarkRecall(scores, scores, []int{0}, answers)), want)
	}
	if got, err := eval.BenchmarkRecall(scores, scores, []int{0}, nil); err != nil || len(got) > 0 {
		t.Errorf("without benchmarks: got %v (%v), want nothing", got, err)
	}
}

// answeredSet is a set of which a benchmark has the answers.
type answeredSet struct {
	datasets.Related
	answers datasets.Answers
}

func (s answeredSet) Relation() datasets.Relation {
	return answeredRelation{s.Related.Relation(), s.answers}
}

type answeredRelation struct {
	datasets.Relation
	answers datasets.Answers
}

func (r answeredRelation) Answers() map[datasets.Benchmark]datasets.Answers {
	return map[datasets.Benchmark]datasets.Answers{datasets.ECCV: r.answers}
}

// TestFullMeasuresBenchmarks, with re-ranking and without, of the images that are shown.
func TestFullMeasuresBenchmarks(t *testing.T) {
	b := newBench(t)
	related := b.Set.(datasets.Related)
	answers := datasets.Answers{Captions: make([][]int, b.Set.Len()), Images: make([][]int, len(datasets.Pairs(b.Set)))}
	answers.Captions[3], answers.Images[8] = []int{6, 7, 139}, []int{4, 60}
	b.Set = datasets.First(answeredSet{related, answers}, 50, 0)
	got := must.Get(b.full(t.Context()))(t)
	encodings := must.Get(b.Encode(t.Context()))(t)
	cosines := encodings.Similarities()
	owner := make([]int, cosines.Cols)
	for c, p := range datasets.Pairs(b.Set) {
		owner[c] = p.Image
	}
	want := must.Get(eval.BenchmarkRecall(cosines, cosines.Transpose(), owner,
		map[datasets.Benchmark]datasets.Answers{datasets.ECCV: answers.First(50, 100)}))(t)
	if len(want) != 10 {
		t.Errorf("got %d metrics, want 10", len(want))
	}
	for metric, value := range want {
		if _, reranked := got[metric]; !reranked || got[eval.CosinePrefix+metric] != value {
			t.Errorf("%s: got %v, want %v without re-ranking, and one with", metric, got[eval.CosinePrefix+metric], value)
		}
	}
}
