package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/generate"
)

// Asking is visual question answering by a model that writes its answers and was not trained to: questions are a prompt, as BLIP-2 with a
// frozen language model is asked (METHODS.md 13). The accuracy is that of [VQA]. It measures nothing in brief.
type Asking struct {
	Search generate.Search
	// Questions is the number of questions that are asked, spread evenly over the split; 0 for all.
	Questions int `json:",omitempty"`
}

func init() { Register("asking", Asking{Search: generate.Answers()}) }

// Metrics of Asking. Composed questions are those that take several steps, as GQA's do: of kinds compare and relation.
const (
	WrittenAnswers Metric = "written answers"
	WrittenYesNo   Metric = "written answers yes/no"
	WrittenNumber  Metric = "written answers number"
	WrittenOther   Metric = "written answers other"
	WrittenCompose Metric = "written answers composed"
)

// writtenKind is the metric of questions whose answers are of a kind.
var writtenKind = map[string]Metric{"yes/no": WrittenYesNo, "number": WrittenNumber, "other": WrittenOther}

// composed are the kinds of questions that take several steps.
var composed = []string{"compare", "relation"}

// Metrics implements Task.
func (Asking) Metrics() []Info {
	const group = "Zero-shot VQA"
	return []Info{
		{WrittenAnswers, group, "all", "%", false, "accuracy of the answers that the model writes to all questions"},
		{WrittenYesNo, group, "yes/no", "%", false, "accuracy of written answers to questions that are answered by yes or no"},
		{WrittenNumber, group, "number", "%", false, "accuracy of written answers to questions that are answered by a number"},
		{WrittenOther, group, "other", "%", false, "accuracy of written answers to all other questions"},
		{WrittenCompose, group, "composed", "%", false, "accuracy of written answers to questions that compare objects or relate them"},
	}
}

// Check implements Task.
func (a Asking) Check(f framework.Framework, set datasets.Set) error {
	if _, writes := f.(framework.Generates); !writes {
		return fmt.Errorf(
			"eval: answers are written by a language model, and %s has none; take one that has, such as BLIP-2's second stage", f.Name())
	}
	if a.Questions < 0 {
		return fmt.Errorf("eval: %d questions; 0 asks all of them", a.Questions)
	}
	if err := a.Search.Check(); err != nil {
		return err
	}
	_, err := VQA{}.questions(set)
	return err
}

// Measure implements Task.
func (a Asking) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := a.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
		return Measured{}, err
	}
	all, err := VQA{}.questions(on.Set)
	if err != nil {
		return Measured{}, err
	}
	var questions []datasets.Question
	for _, at := range evenly(cmp.Or(a.Questions, len(all)), len(all)) {
		questions = append(questions, all[at])
	}
	images, prompts := make([]int, len(questions)), make([]string, len(questions))
	for k, q := range questions {
		images[k], prompts[k] = q.Image, datasets.Prompt(q.Text)
	}
	answers, err := on.write(ctx, a.Search, images, prompts)
	if err != nil {
		return Measured{}, err
	}
	given := make([]string, len(questions))
	for k, written := range answers {
		given[k] = written.text
	}
	metrics, err := accuracies(questions, given, func(q datasets.Question) []Metric {
		of := []Metric{WrittenAnswers, writtenKind[q.AnswerKind]}
		if slices.Contains(composed, q.Kind) {
			of = append(of, WrittenCompose)
		}
		return of
	})
	if err != nil {
		return Measured{}, err
	}
	var shown []AnsweredQuestion
	for _, at := range evenly(shownQuestions, len(questions)) {
		q := questions[at]
		shown = append(shown, AnsweredQuestion{Image: q.Image, Key: on.Set.Key(q.Image), Text: q.Text, Right: q.Answers,
			Answers: []Answer{{Text: given[at]}}})
	}
	return AnsweredQuestions.With(Measured{Metrics: metrics}, shown), nil
}
