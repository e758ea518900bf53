package run

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// questioned goes on from the smallest run with questions about other scenes.
func questioned(t *testing.T) Run {
	t.Helper()
	first := smallest(t)
	r := first
	data := must.Get(ScenesData(scenes.Config{Train: 9, Val: 3, Test: 4, Captions: 2, Size: 16, Seed: 4}))(t)
	r.Data, r.Init, r.Train.Init, r.Tasks = data, &first, first.ID(), eval.Tasks{eval.VQA{}}
	r.Data.Texts, r.Vocabulary.Grows = Questions, true
	r.Train.MaxLen, r.Train.Method = 12, negative.Plain()
	r.Train.Framework.Framework = albef.Answering{ALBEF: model(first), Layers: 1, Answers: 1, Tokens: 3}
	return r
}

// words are those of a run's tokenizer.
func words(t *testing.T, r Run) []string {
	t.Helper()
	collection := must.Get(r.Data.Open())(t)
	k := must.Get(r.Tokenizer(collection))(t)
	return strings.Fields(string(k.Vocab()))
}

// A vocabulary grows behind that of the run where the chain begins, by the words of the run's own questions and answers in their order, and
// again in the next one; one that does not grow stays.
func TestVocabularyGrows(t *testing.T) {
	r := questioned(t)
	before, after := words(t, *r.Init), words(t, r)
	if !slices.Equal(after[:len(before)], before) || !slices.IsSorted(after[len(before):]) || !slices.Contains(after[len(before):], "how") {
		t.Errorf("got %q, want %q and new words", after, before)
	}
	set := must.Get(r.Data.TrainingSet())(t)
	for _, q := range set.(datasets.Questioned).Questions() {
		for word := range strings.FieldsSeq(strings.ReplaceAll(q.Text, "?", "") + " " + q.Answers[0]) {
			if !slices.Contains(after, word) {
				t.Errorf("%q of %q is not known", word, q.Text)
			}
		}
	}
	next := r
	data := must.Get(ScenesData(scenes.Config{Train: 40, Val: 3, Test: 4, Captions: 2, Size: 16, Seed: 5}))(t)
	data.Texts = Questions
	next.Data, next.Init, next.Train.Init = data, &r, r.ID()
	if again := words(t, next); len(again) <= len(after) || !slices.Equal(again[:len(after)], after) {
		t.Errorf("a third run: got %q, want %q and new words", again, after)
	}
	next.Vocabulary.Grows = false
	if same := words(t, next); !slices.Equal(same, after) {
		t.Errorf("a third run that does not grow: got %q, want %q", same, after)
	}
}

// A model that has no room for the words is told before it is trained.
func TestVocabularyNeedsRoom(t *testing.T) {
	must.Fail(t, must.Err(executor(t, t.TempDir()).Run(t.Context(), questioned(t))), "which has room for")
}

// Questions stand in the place of captions in every split, as far as it is used.
func TestTexts(t *testing.T) {
	d := questioned(t).Data
	d.Images = 3
	collection := must.Get(d.Open())(t)
	for _, split := range []string{"train", "val", "test"} {
		set, err := d.split(collection, split)
		if err != nil || set.Len() != 3 {
			t.Fatalf("%s: %v", split, err)
		}
		questions := set.(datasets.Questioned).Questions()
		for p, pair := range datasets.Pairs(set) {
			if questions[p].Text != pair.Text(set) || questions[p].Image != pair.Image {
				t.Errorf("%s: pair %d is %q, question %d %q", split, p, pair.Text(set), p, questions[p].Text)
			}
		}
	}
	noisy, unknown := d, d
	noisy.CaptionNoise, unknown.Texts = 0.5, "riddles"
	for want, d := range map[string]Data{"questions are no captions": noisy, `Data.Texts is "riddles"; use "questions"`: unknown} {
		must.Fail(t, must.Err(d.split(collection, "train")), want)
	}
}
