package eval_test

import (
	"slices"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/generate"
)

// people are ten answers of which so many are one.
func people(right string, n int) []string {
	return append(slices.Repeat([]string{right}, n), slices.Repeat([]string{"nobody knows"}, 10-n)...)
}

// examination are pictures with questions, and the answers that are written to them: behind the prompt that the question is alone.
func examination(t *testing.T) (eval.Subject, album) {
	t.Helper()
	a := pictures(4)
	a.questions = []datasets.Question{
		{Image: 0, Text: "Is it red?", Answers: []string{"yes"}, AnswerKind: "yes/no", Kind: "attribute"},
		{Image: 0, Text: "How many?", Answers: []string{"two"}, AnswerKind: "number", Kind: "count"},
		{Image: 1, Text: "Is it kept back?", AnswerKind: "yes/no"},
		{Image: 1, Text: "What is left of it?", Answers: people("the star", 2), AnswerKind: "other", Kind: "relation"},
		{Image: 2, Text: "Is it larger?", Answers: people("no", 9), AnswerKind: "yes/no", Kind: "compare"},
	}
	written := []string{"yes", "three", "", "star", "no"}
	var further []string
	for _, q := range a.questions {
		further = append(further, datasets.Prompt(q.Text))
	}
	return script(t, a, append(further, written...), func(k *text.Tokenizer) (all []line) {
		for i, q := range a.questions {
			if written[i] != "" {
				all = append(all, line{q.Image, prompt(t, k, datasets.Prompt(q.Text)), ids(t, k, written[i], true)})
			}
		}
		return all
	}), a
}

// Written answers count as the official evaluation has it: one that is known is right or wrong; of ten, an answer of two people, with three
// of the others each time, is right by 2/3 against the eight others and by 1/3 against each of the two, .6. Questions without an answer are
// not asked.
func TestAskingByHand(t *testing.T) {
	on, a := examination(t)
	got := must.Get(eval.Asking{Search: generate.Answers()}.Measure(t.Context(), on))(t)
	same(t, got.Metrics, eval.Result{eval.WrittenAnswers: (100 + 0 + 60 + 100) / 4., eval.WrittenYesNo: 100, eval.WrittenNumber: 0,
		eval.WrittenOther:   60,
		eval.WrittenCompose: 80})
	var asked []string
	for _, q := range eval.AnsweredQuestions.Of(got.Examples) {
		asked = append(asked, q.Key+": "+q.Text+" "+q.Answers[0].Text)
	}
	want := []string{"point-0: Is it red? yes", "point-0: How many? three", "point-1: What is left of it? star",
		"point-2: Is it larger? no"}
	if !slices.Equal(asked, want) || !slices.Equal(eval.AnsweredQuestions.Of(got.Examples)[2].Right, a.questions[3].Answers) {
		t.Errorf("got %q, want %q", asked, want)
	}
	// Two of the four are the first and the third.
	got = must.Get((eval.Asking{Search: generate.Answers(), Questions: 2}).Measure(t.Context(), on))(t)
	same(t, got.Metrics, eval.Result{eval.WrittenAnswers: 80, eval.WrittenYesNo: 100, eval.WrittenOther: 60, eval.WrittenCompose: 60})
}

func TestAskingNeeds(t *testing.T) {
	on, a := examination(t)
	f, short := on.Model.Framework(), generate.Answers()
	none, back := a, a
	none.questions = nil
	back.questions = a.questions[2:3]
	fails(t, eval.Asking{Search: short}.Check(albef.Model{}, a), "ALBEF has none")
	fails(t, eval.Asking{Search: short, Questions: -1}.Check(f, a), "-1 questions")
	fails(t, eval.Asking{}.Check(f, a), "0 beams")
	fails(t, eval.Asking{Search: short}.Check(f, unlabelled{points{name: "bare"}}), "bare has no questions about its images")
	fails(t, eval.Asking{Search: short}.Check(f, back), "no question with an answer")
	fails(t, eval.Asking{Search: short}.Check(f, none), "no question with an answer")
	on.MaxLen = 5
	_, err := eval.Asking{Search: short}.Measure(t.Context(), on)
	fails(t, err, "has more than 5 tokens")
	on.Brief = true
	if got, err := (eval.Asking{Search: short}).Measure(t.Context(), on); err != nil || len(got.Metrics) != 0 {
		t.Errorf("in brief: got %v (%v), want nothing", got.Metrics, err)
	}
}
