package eval_test

import (
	"slices"
	"testing"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/clip"
)

// Each image's most similar text that it has not, then each text's image: what both pick is there once, and so is a text that two pairs
// have. Of equals the first counts, and an anchor that has all others picks none.
func TestHardestOfAMiniBatch(t *testing.T) {
	of := func(rows ...[]float64) eval.Scores {
		s := eval.NewScores(len(rows), len(rows[0]))
		copy(s.Data, slices.Concat(rows...))
		return s
	}
	for name, c := range map[string]struct {
		sims  eval.Scores
		texts []string
		has   []map[string]bool
		want  []eval.ImageText
	}{
		"two": {of([]float64{.9, .1}, []float64{.2, .8}), []string{"a", "b"}, []map[string]bool{{"a": true}, {"b": true}},
			[]eval.ImageText{{Image: 0, Text: 1}, {Image: 1, Text: 0}}},
		"negative and equal": {of([]float64{.9, -.5, -.5}, []float64{-.4, .8, -.6}, []float64{-.4, -.7, .8}), []string{"a", "b", "c"},
			[]map[string]bool{{"a": true}, {"b": true}, {"c": true}},
			[]eval.ImageText{{Image: 0, Text: 1}, {Image: 1, Text: 0}, {Image: 2, Text: 0}, {Image: 0, Text: 2}}},
		"one image has two of three": {of([]float64{.9, .8, .7}, []float64{.1, .2, .6}), []string{"a", "b", "c"},
			[]map[string]bool{{"a": true, "b": true}, {"c": true}},
			[]eval.ImageText{{Image: 0, Text: 2}, {Image: 1, Text: 1}, {Image: 1, Text: 0}}},
		"the same words": {of([]float64{.9, .1, .8}, []float64{.7, .9, .6}, []float64{.5, .3, .9}), []string{"a", "b", "a"},
			[]map[string]bool{{"a": true}, {"b": true}, {"a": true}},
			[]eval.ImageText{{Image: 0, Text: 1}, {Image: 1, Text: 0}, {Image: 2, Text: 1}}},
		"nothing new": {of([]float64{1, 1}), []string{"a", "b"}, []map[string]bool{{"a": true, "b": true}}, nil},
	} {
		if got := eval.Hardest(c.sims, c.texts, c.has); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestMiningCheck(t *testing.T) {
	collection := must.Get(scenes.New(scenes.Config{Train: 2, Size: 16}))(t)
	set := must.Get(collection.Split("train"))(t)
	if err := (eval.Mining{Threshold: 1}).Check(albef.Model{}, set); err != nil {
		t.Error(err)
	}
	must.Fail(t, (eval.Mining{Threshold: 1.1}).Check(albef.Model{}, set), "use one from 0 to 1", "a threshold above 1")
	must.Fail(t, (eval.Mining{}).Check(clip.Model{}, set), "which CLIP does not make", "without matching")
}
