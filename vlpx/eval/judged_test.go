package eval_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// TestAUCByHand: of four couples .9 beats .5 and .1, .5 beats .1 and is equal to .5: 3½ of 4.
func TestAUCByHand(t *testing.T) {
	if got := eval.AUC([]float64{.9, .5}, []float64{.5, .1}); got != 3.5/4 {
		t.Errorf("got %v, want .875", got)
	}
}

// TestAUC: the share of couples, counted one by one, is the area under gonum's ROC curve, and what is left of it when the scores
// change their sign or the kinds their places.
func TestAUC(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{-3, -1, 0, .25, .25000001, .5, .75, 1, 2}), 1, 30)
		ofTrue, ofFalse := scores.Draw(rt, "true"), scores.Draw(rt, "false")
		got := eval.AUC(ofTrue, ofFalse)

		var want float64
		for _, p := range ofTrue {
			for _, n := range ofFalse {
				switch {
				case p > n:
					want++
				case p == n:
					want += .5
				}
			}
		}
		want /= float64(len(ofTrue) * len(ofFalse))
		for what, v := range map[string]float64{
			"the couples' share": want, "gonum's ROC": areaUnderROC(ofTrue, ofFalse),
			"one less that of negated scores":  1 - eval.AUC(negated(ofTrue), negated(ofFalse)),
			"one less that of exchanged kinds": 1 - eval.AUC(ofFalse, ofTrue),
		} {
			if math.Abs(got-v) > 1e-12 {
				rt.Errorf("got %v, want %s, %v", got, what, v)
			}
		}
	})
}

func areaUnderROC(ofTrue, ofFalse []float64) float64 {
	scores, kinds := slices.Concat(ofTrue, ofFalse), make([]bool, len(ofTrue)+len(ofFalse))
	for i := range ofTrue {
		kinds[i] = true
	}
	stat.SortWeightedLabeled(scores, kinds, nil)
	tpr, fpr, _ := stat.ROC(nil, scores, kinds, nil)
	return integrate.Trapezoidal(fpr, tpr)
}

func negated(scores []float64) []float64 {
	negative := make([]float64, len(scores))
	for i, s := range scores {
		negative[i] = -s
	}
	return negative
}

// TestSampleJudged: the sample is all known pairs of others' captions where there are few, else as many as are asked for, all
// different and of their kind, and the counts are of all.
func TestSampleJudged(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		var known [2][]eval.ImageText // false, true
		for i := range w.i2t.Rows {
			for c, own := range w.captionImage {
				if truth := w.truth[i*len(w.captionImage)+c]; own != i && truth > 0 {
					known[truth-1] = append(known[truth-1], eval.ImageText{Image: i, Text: c})
				}
			}
		}
		each := rapid.IntRange(1, 60).Draw(rt, "each")
		j := eval.SampleJudged(w.i2t.Rows, w.captionImage, w, each)
		if j.AllFalse != len(known[0]) || j.AllTrue != len(known[1]) {
			rt.Errorf("got %d false and %d true, want %d and %d", j.AllFalse, j.AllTrue, len(known[0]), len(known[1]))
		}
		for kind, sample := range [][]eval.ImageText{j.False, j.True} {
			if want := min(each, len(known[kind])); len(sample) != want {
				rt.Errorf("got %d pairs, want %d of %d", len(sample), want, len(known[kind]))
			}
			seen := map[eval.ImageText]bool{}
			for _, p := range sample {
				if seen[p] || !slices.Contains(known[kind], p) {
					rt.Errorf("pair %v is there twice, or of another kind", p)
				}
				seen[p] = true
			}
		}
		again := eval.SampleJudged(w.i2t.Rows, w.captionImage, w, each)
		if !slices.Equal(again.True, j.True) || !slices.Equal(again.False, j.False) {
			rt.Error("the sample of the same set is another one")
		}
	})
}

type allFalse struct{}

func (allFalse) Holds(int, int) (holds, known bool) { return false, true }

// TestSampleJudgedIsEven: a sample of 4,000 of 39,800 pairs has a tenth of each ten images' pairs, within four standard
// deviations of a draw without replacement, √(4,000 · 1/20 · 19/20 · 0.9) = 13.
func TestSampleJudgedIsEven(t *testing.T) {
	const images, each, groups = 200, 4000, 20
	counts := [groups]int{}
	for _, p := range eval.SampleJudged(images, upTo(images), allFalse{}, each).False {
		counts[p.Image*groups/images]++
	}
	for g, n := range counts {
		if math.Abs(float64(n)-each/groups) > 4*13 {
			t.Errorf("group %d: got %d pairs, want about %d", g, n, each/groups)
		}
	}
}

func TestCosineOfJudged(t *testing.T) {
	j := eval.Judged{True: []eval.ImageText{{0, 1}}, False: []eval.ImageText{{1, 0}, {0, 2}}, AllTrue: 1, AllFalse: 2}
	same(t, j.Cosine(matrix([]float64{.9, .5, .4}, []float64{.6, .8, .1})), eval.Result{eval.JudgedAUC: 50})
}

// TestMatchingByHand has two of four true pairs and two of ten false ones. Above .5 are one of the two true and one of the two
// false, which stand for two and five: recall 1/2, precision 2/7. Above .8 is nothing, so precision has no value. Of four couples
// the true pair wins two, and a tie is half a couple.
func TestMatchingByHand(t *testing.T) {
	j := eval.Judged{True: []eval.ImageText{{0, 1}, {0, 2}}, False: []eval.ImageText{{1, 0}, {2, 0}}, AllTrue: 4, AllFalse: 10}
	got := must.Get(j.Matching(func(pairs []eval.ImageText) ([]float64, error) {
		if want := slices.Concat(j.True, j.False); !slices.Equal(pairs, want) {
			t.Errorf("got %v, want %v", pairs, want)
		}
		return []float64{.7, .2, .5, .2}, nil
	}))(t)
	same(t, got, eval.Result{
		eval.JudgedAUC: 100 * 2.5 / 4, eval.JudgedRecall5: 50, eval.JudgedPrecision5: 200. / 7, eval.JudgedRecall8: 0,
	})
}

// TestMatchingAgainstCounting: with all known pairs in the sample, recall and precision are those of the pairs, counted.
func TestMatchingAgainstCounting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		j := eval.SampleJudged(w.i2t.Rows, w.captionImage, w, len(w.truth))
		score := rapid.SampledFrom([]float64{0, .3, .5, .79, .8, 1})
		w.i2t.Data = rapid.SliceOfN(score, len(w.truth), len(w.truth)).Draw(rt, "probabilities")
		got, err := j.Matching(func(pairs []eval.ImageText) ([]float64, error) { return at(w.i2t, pairs), nil })
		if err != nil {
			rt.Fatal(err)
		}
		want := discriminated(w)
		if len(want) > 0 {
			want[eval.JudgedAUC] = 100 * eval.AUC(at(w.i2t, j.True), at(w.i2t, j.False))
		}
		same(rt, got, want)
		for metric, v := range got {
			if math.IsNaN(v) {
				rt.Errorf("%s is NaN", metric)
			}
		}
	})
}

// at are the scores of pairs.
func at(s eval.Scores, pairs []eval.ImageText) []float64 {
	var scores []float64
	for _, p := range pairs {
		scores = append(scores, s.Row(p.Image)[p.Text])
	}
	return scores
}

// discriminated counts recall and precision of a world's known pairs, i2t their probabilities; nothing unless it has both kinds.
func discriminated(w world) eval.Result {
	var kinds [2]int
	var reached [2][2]int // at .5 and .8, of each kind
	for i := range w.i2t.Rows {
		for c, own := range w.captionImage {
			truth := w.truth[i*len(w.captionImage)+c]
			if own == i || truth == 0 {
				continue
			}
			kinds[truth-1]++
			for k, threshold := range []float64{.5, .8} {
				if w.i2t.Row(i)[c] >= threshold {
					reached[k][truth-1]++
				}
			}
		}
	}
	r := eval.Result{}
	if kinds[0] == 0 || kinds[1] == 0 {
		return r
	}
	recalls, precisions := []eval.Metric{eval.JudgedRecall5, eval.JudgedRecall8},
		[]eval.Metric{eval.JudgedPrecision5, eval.JudgedPrecision8}
	for k, n := range reached {
		r[recalls[k]] = 100 * float64(n[1]) / float64(kinds[1])
		if n[0]+n[1] > 0 {
			r[precisions[k]] = 100 * float64(n[1]) / float64(n[0]+n[1])
		}
	}
	return r
}

// TestOneKindMeasuresNothing: where all known pairs hold, or none does, nothing is measured and no pair is scored.
func TestOneKindMeasuresNothing(t *testing.T) {
	pair := []eval.ImageText{{0, 1}}
	for name, j := range map[string]eval.Judged{
		"true alone": {True: pair, AllTrue: 1}, "false alone": {False: pair, AllFalse: 1}, "neither": {},
	} {
		got, err := j.Matching(func([]eval.ImageText) ([]float64, error) {
			t.Errorf("%s: pairs are scored", name)
			return nil, nil
		})
		if cosine := j.Cosine(matrix([]float64{.1, .2})); err != nil || len(got) > 0 || len(cosine) > 0 {
			t.Errorf("%s: got %v and %v, error %v; want nothing", name, got, cosine, err)
		}
	}
}

func TestMatchingRejects(t *testing.T) {
	j := eval.Judged{True: []eval.ImageText{{0, 1}}, False: []eval.ImageText{{1, 0}}, AllTrue: 1, AllFalse: 1}
	lost := errors.New("the engine is gone")
	for want, give := range map[string]func([]eval.ImageText) ([]float64, error){
		"1 probabilities for 2 pairs": func([]eval.ImageText) ([]float64, error) { return []float64{1}, nil },
		"a probability is NaN":        func([]eval.ImageText) ([]float64, error) { return []float64{1, math.NaN()}, nil },
		lost.Error():                  func([]eval.ImageText) ([]float64, error) { return nil, lost },
	} {
		must.Fail(t, must.Err(j.Matching(give)), want)
	}
}
