package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// Pairs in any order, of more texts than are encoded at once, have the probability that each has by itself.
func TestMatchingAgainstLoop(t *testing.T) {
	b := newBench(t)
	b.encodeSlowly(t)
	var texts []string
	var captions []int // of each text
	for len(texts) < 600 {
		for c, p := range datasets.Pairs(b.Set) {
			texts, captions = append(texts, p.Text(b.Set)), append(captions, c)
		}
	}
	draw := rand.New(rand.NewPCG(1, 2))
	var pairs []eval.ImageText
	for range 900 {
		pairs = append(pairs, eval.ImageText{Image: draw.IntN(b.Set.Len()), Text: draw.IntN(len(texts))})
	}
	waves, scores := newWaves(t, b, 0.05)
	for name, c := range map[string]struct {
		on   eval.Subject
		want func(p eval.ImageText) float64
	}{
		"matching": {b.Subject, func(p eval.ImageText) float64 {
			caption := captions[p.Text]
			of := must.Get(b.Model.Probabilities(b.features[b.Set.Len()+caption].States, b.ids[caption], b.features[p.Image].States))(t)
			return float64(of[0])
		}},
		"scores": {waves, func(p eval.ImageText) float64 { return 1 / (1 + math.Exp(-scores.Row(p.Image)[captions[p.Text]])) }},
	} {
		got := must.Get(c.on.Matching(t.Context(), texts, pairs))(t)
		if len(got) != len(pairs) {
			t.Fatalf("%s: got %d probabilities of %d pairs", name, len(got), len(pairs))
		}
		for k, p := range pairs {
			if want := c.want(p); math.Abs(got[k]-want) > 1e-4 {
				t.Fatalf("%s: pair %d, %+v: got %g, want %g", name, k, p, got[k], want)
			}
		}
	}
	reranking, logits := must.Get(b.Reranking(t.Context(), texts, pairs))(t), must.Get(waves.Reranking(t.Context(), texts, pairs))(t)
	for k, p := range pairs {
		caption := captions[p.Text]
		match := must.Get(b.Model.Match(b.features[b.Set.Len()+caption].States, b.ids[caption], b.features[p.Image].States))(t)
		if math.Abs(reranking[k]-float64(match[0])) > 1e-4 || math.Abs(logits[k]-scores.Row(p.Image)[caption]) > 1e-4 {
			t.Fatalf("pair %d, %+v: got the scores %g and %g, want %g and %g", k, p, reranking[k], logits[k], match[0],
				scores.Row(p.Image)[caption])
		}
	}
	b.Set = cracked{b.Set, []int{3}}
	must.Fail(t, must.Err(b.Matching(t.Context(), texts, []eval.ImageText{{Image: 3}})), "cracked")
	waves.Set = b.Set
	must.Fail(t, must.Err(waves.Matching(t.Context(), texts, []eval.ImageText{{Image: 3}})), "cracked")
}
