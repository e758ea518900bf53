package eval_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
)

// TestFactsByHand: a red thing is an object with an attribute; two with a direction between them, one of them on a ground, are three
// objects with what is said of them and two relations.
func TestFactsByHand(t *testing.T) {
	b := newBench(t)
	for caption, want := range map[string]int{
		"a red object": 2, "an object": 1, "a small red square left of a striped object on sand": 3 + 3 + 2,
		"": 0, "a man sits on a green bench": 2 + 1 + 1, // no caption of scenes
	} {
		if got := eval.Facts(datasets.GraphOf(b.Set, caption)); got != want {
			t.Errorf("%q: got %d facts, want %d", caption, got, want)
		}
	}
}

// TestByFacts: the pairs are those of a loop over all of them where they are few; else as many as are asked for, of these.
func TestByFacts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		captions := len(w.captionImage)
		facts := rapid.SliceOfN(rapid.IntRange(0, 2), captions, captions).Draw(rt, "facts")
		want := map[eval.Metric][]eval.ImageText{}
		for c, own := range w.captionImage {
			highest, hardest := math.Inf(-1), -1
			for i := range w.i2t.Rows {
				p, of := eval.ImageText{Image: i, Text: c}, w.truth[i*captions+c]
				switch {
				case i == own:
					want[eval.ITMScore(eval.OwnPairs, facts[c])] = append(want[eval.ITMScore(eval.OwnPairs, facts[c])], p)
				case of == 2:
					want[eval.ITMScore(eval.TruePairs, facts[c])] = append(want[eval.ITMScore(eval.TruePairs, facts[c])], p)
				case of == 1 && w.i2t.Row(i)[c] > highest:
					highest, hardest = w.i2t.Row(i)[c], i
				}
			}
			if hardest >= 0 {
				at := eval.ITMScore(eval.FalsePairs, facts[c])
				want[at] = append(want[at], eval.ImageText{Image: hardest, Text: c})
			}
		}
		all := eval.ByFacts(w.i2t.Transpose(), w.captionImage, facts, w, len(w.truth))
		each := rapid.IntRange(1, 6).Draw(rt, "each")
		some, again := eval.ByFacts(w.i2t.Transpose(), w.captionImage, facts, w, each),
			eval.ByFacts(w.i2t.Transpose(), w.captionImage, facts, w, each)
		if len(all) != len(want) || len(some) != len(want) {
			rt.Fatalf("got %d and %d metrics, want %d", len(all), len(some), len(want))
		}
		for at, pairs := range want {
			if !slices.Equal(all[at], pairs) {
				rt.Errorf("%s: got %v, want %v", at, all[at], pairs)
			}
			if len(some[at]) != min(each, len(pairs)) || !slices.Equal(some[at], again[at]) {
				rt.Errorf("%s: got %v and %v, want the same %d of %v", at, some[at], again[at], each, pairs)
			}
			for k, p := range some[at] {
				if !slices.Contains(pairs, p) || slices.Contains(some[at][:k], p) {
					rt.Errorf("%s: %v is there twice, or none of %v", at, p, pairs)
				}
			}
		}
		for at := range eval.ByFacts(w.i2t.Transpose(), w.captionImage, facts, nil, each) {
			if !strings.HasPrefix(string(at), "ITM own") {
				rt.Errorf("%s is of a relation, and none is known", at)
			}
		}
	})
}

// The scores are means of the probabilities of pairs, each encoded and matched alone, and are there where ten pairs are.
func TestComplexityAgainstLoop(t *testing.T) {
	b := newBench(t)
	b.encodeSlowly(t)
	images, relation := b.Set.Len(), b.Set.(datasets.Related).Relation()
	of := map[eval.Metric][]float64{}
	for c, p := range datasets.Pairs(b.Set) {
		facts := things(datasets.GraphOf(b.Set, p.Text(b.Set)))
		score := func(kind eval.PairKind, i int) {
			matched := must.Get(b.Model.Probabilities(b.features[images+c].States, b.ids[c], b.features[i].States))(t)
			of[eval.ITMScore(kind, facts)] = append(of[eval.ITMScore(kind, facts)], float64(matched[0]))
		}
		hardest := -1
		for i := range images {
			holds, _ := relation.Holds(i, c)
			switch {
			case i == p.Image:
				score(eval.OwnPairs, i)
			case holds:
				score(eval.TruePairs, i)
			case hardest < 0 || b.cosine(i, c) > b.cosine(hardest, c):
				hardest = i
			}
		}
		score(eval.FalsePairs, hardest)
	}
	got := must.Get(eval.Complexity{}.Measure(t.Context(), b.Subject))(t)
	told := 0
	for at, scores := range of {
		mean, there := got.Metrics[at]
		if there != (len(scores) >= 10) {
			t.Errorf("%s: told %v of %d pairs", at, there, len(scores))
		}
		if !there {
			continue
		}
		told++
		sum := 0.
		for _, p := range scores {
			sum += p
		}
		if want := sum / float64(len(scores)); len(scores) <= 1000 && math.Abs(mean-want) > 1e-5 {
			t.Errorf("%s: got %g, want %g of %d", at, mean, want, len(scores))
		}
	}
	if told < 6 || told != len(got.Metrics) {
		t.Errorf("%d metrics, of which the loop has %d; want several", len(got.Metrics), told)
	}
	for _, info := range (eval.Complexity{}).Metrics() {
		delete(got.Metrics, info.Metric)
	}
	if len(got.Metrics) > 0 {
		t.Errorf("%v are not listed", got.Metrics)
	}
}

// things counts what a graph mentions by the list of its phrases; all captions of scenes have words for it.
func things(g scenegraph.Graph) int { return min(len(g.Phrases()), eval.MostFacts) }

// Without a relation there are own pairs alone; in brief nothing. What cannot be asked is told.
func TestComplexityElsewhere(t *testing.T) {
	b := newBench(t)
	related := b.Subject
	b.Set = datasets.First(b.Set, 0, 1)
	got, err := eval.Complexity{}.Measure(t.Context(), b.Subject)
	if err != nil || len(got.Metrics) == 0 {
		t.Fatalf("got %v (%v), want scores of own pairs", got.Metrics, err)
	}
	for at := range got.Metrics {
		if !strings.HasPrefix(string(at), "ITM own") {
			t.Errorf("%s: got a score of pairs of which nothing is known", at)
		}
	}
	brief := related
	brief.Brief = true
	if got, err := (eval.Complexity{}).Measure(t.Context(), brief); err != nil || len(got.Metrics) > 0 {
		t.Errorf("in brief: got %v (%v), want nothing", got.Metrics, err)
	}
	related.Set = datasets.Uncaptioned(related.Set)
	must.Fail(t, must.Err((eval.Complexity{}).Measure(t.Context(), related)), "needs a caption of each image", "without captions")
	var waved framework.Framework = waves{}
	must.Fail(t, (eval.Complexity{}).Check(waved, b.Set), "image-text matching", "a framework that does not match")
}
