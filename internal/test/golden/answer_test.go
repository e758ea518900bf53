package golden_test

import (
	"strconv"
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval/answer"
)

// checkAnswers compares normalised answers and accuracies with those of VQA's evaluation (vqa_normalise).
func checkAnswers(t *testing.T, c golden.Case) {
	for i := range c.Len("inputs", "answers") {
		row := strconv.Itoa(i)
		name, clean := c.Text("inputs", "answers", row, "id"), answer.Clean(c.Text("inputs", "answers", row, "raw"))
		for stage, got := range map[string]string{
			"after_clean": clean, "after_punctuation": answer.WithoutPunctuation(clean), "normalised": answer.Normalise(clean),
		} {
			if want := c.Text("expected", stage, row); got != want {
				t.Errorf("%s: %s: got %q, want %q", name, stage, got, want)
			}
		}
	}

	var questions []answer.Question
	for i := range c.Len("inputs", "questions") {
		at := func(more ...string) []string {
			return append([]string{"inputs", "questions", strconv.Itoa(i)}, more...)
		}
		q := answer.Question{Predicted: c.Text(at("predicted")...), Kind: c.Text(at("question_type")...),
			AnswerKind: c.Text(at("answer_type")...)}
		for k := range c.Len(at("answers")...) {
			q.Answers = append(q.Answers, c.Text(at("answers", strconv.Itoa(k))...))
		}
		questions = append(questions, q)
	}
	read(t, c)
	got := must.Get(answer.Score(questions))(t)
	each := make([]float64, len(got.Questions))
	for i, accuracy := range got.Questions {
		each[i] = accuracy / 100
	}
	near(t, c, "accuracy", each, c.Tensor("expected", "accuracy").Float)
	near(t, c, "overall", []float64{got.Overall}, []float64{c.Float("expected", "overall_percent")})
	for key, kinds := range map[string]map[string]float64{"per_question_type_percent": got.Kinds, "per_answer_type_percent": got.Answers} {
		if n := len(c.Keys("expected", key)); n != len(kinds) {
			t.Errorf("%s: got %d kinds, want %d", key, len(kinds), n)
		}
		for kind, accuracy := range kinds {
			near(t, c, key+": "+kind, []float64{accuracy}, []float64{c.Float("expected", key, kind)})
		}
	}
	read(t, c)
}
