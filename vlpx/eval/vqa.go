package eval

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/vlpx/eval/answer"
	"vlpx.internal/vlpx/framework"
)

// VQA is visual question answering by a list of candidate answers, of which a model's most probable one is its answer, as ALBEF ranks them
// (METHODS.md 15.5), and the official accuracy of VQA v2: an answer that at least three of the other people gave is right, one that fewer
// gave in part; the mean over which of the ten people the others are other to. Where an answer is known exactly it is to be that. Questions
// whose answers are kept back do not count. In brief it is asked a few questions.
type VQA struct {
	// Answers are the candidates, such as the 3,192 of the papers; none for the distinct answers to the questions of training.
	Answers []string `json:",omitempty"`
	// Top is how many candidates, those with the most probable first words, are ranked by all of their words; 0 for the published 128.
	Top int `json:",omitempty"`
}

func init() {
	Register("vqa", VQA{},
		NewFlag("answers", "a `file` of the candidate answers of vqa, one a line or a JSON list (default those to the training questions)",
			func(v *VQA, path string) (err error) {
				v.Answers, err = ReadAnswers(path)
				return err
			}))
}

// Metrics of VQA.
const (
	VQAAccuracy Metric = "VQA"
	VQAYesNo    Metric = "VQA yes/no"
	VQANumber   Metric = "VQA number"
	VQAOther    Metric = "VQA other"
)

// ofKind is the metric of the questions whose answers are of a kind.
var ofKind = map[string]Metric{"yes/no": VQAYesNo, "number": VQANumber, "other": VQAOther}

const (
	usualTop       = 128 // ALBEF's k_test
	askedAtOnce    = 32  // questions in one forward pass
	briefQuestions = 512 // asked in brief, at most
	shownQuestions = 8   // examples
	shownAnswers   = 5   // of each
)

// Metrics implements Task.
func (VQA) Metrics() []Info {
	const group = "Visual question answering"
	return []Info{
		{VQAAccuracy, group, "all", "%", false, "accuracy of the answers to all questions"},
		{VQAYesNo, group, "yes/no", "%", false, "accuracy of the answers to questions that are answered by yes or no"},
		{VQANumber, group, "number", "%", false, "accuracy of the answers to questions that are answered by a number"},
		{VQAOther, group, "other", "%", false, "accuracy of the answers to all other questions"},
	}
}

// AnsweredQuestions are the examples of [VQA] and [Asking], and CandidateAnswers those that a model of VQA could give.
var (
	AnsweredQuestions = NewKind[[]AnsweredQuestion]("Asked")
	CandidateAnswers  = NewKind[[]string]("Candidates")
)

// AnsweredQuestion is a question with what a model answered.
type AnsweredQuestion struct {
	Image   int      // index into the set
	Key     string   // of the image
	Text    string   // of the question
	Answers []Answer // the most probable ones, most probable first
	Right   []string // what people answered, or what is right
}

// Accuracy is that of the model's answer, the first, in per cent.
func (q AnsweredQuestion) Accuracy() (float64, error) {
	if len(q.Answers) == 0 || len(q.Right) == 0 {
		return 0, fmt.Errorf("eval: %q has %d answers of a model and %d right ones; a question needs both", q.Text, len(q.Answers),
			len(q.Right))
	}
	return answerAccuracy(q.Answers[0].Text, q.Right)
}

// Answer is one of a model's, with its probability among the candidates that were ranked.
type Answer struct {
	Text        string
	Probability float64
}

// ReadAnswers reads a list of candidate answers: JSON, or one answer a line.
func ReadAnswers(path string) ([]string, error) {
	list, err := content.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("eval: answers: %w", err)
	}
	var all []string
	if list = bytes.TrimSpace(list); bytes.HasPrefix(list, []byte("[")) {
		if err := plainjson.Unmarshal(list, &all); err != nil {
			return nil, fmt.Errorf("eval: answers: %s: %w; write a list of texts", path, err)
		}
	} else {
		for line := range strings.Lines(string(list)) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("eval: answers: %s lists none; write one a line, or a JSON list", path)
	}
	return all, VQA{Answers: all}.listed()
}

// listed reports what is wrong with the list of answers.
func (v VQA) listed() error {
	seen := map[string]int{}
	for k, candidate := range v.Answers {
		if strings.TrimSpace(candidate) == "" {
			return fmt.Errorf("eval: candidate answer %d is empty; leave it out", k+1)
		}
		if before, twice := seen[candidate]; twice {
			return fmt.Errorf("eval: candidate answer %d, %q, is number %d, too; leave one out", k+1, candidate, before+1)
		}
		seen[candidate] = k
	}
	return nil
}

// Check implements Task.
func (v VQA) Check(f framework.Framework, set datasets.Set) error {
	if _, answers := f.(framework.Answers); !answers {
		return fmt.Errorf("eval: %s answers no questions; take a framework that does, such as ALBEF's fine-tuned for it", f.Name())
	}
	if v.Top < 0 {
		return fmt.Errorf("eval: the best %d candidate answers; use a number above 0, or 0 for %d", v.Top, usualTop)
	}
	if err := v.listed(); err != nil {
		return err
	}
	_, err := v.questions(set)
	return err
}

// questions are those of a set whose answers are known.
func (v VQA) questions(set datasets.Set) ([]datasets.Question, error) {
	shown, err := datasets.OfQuestions(set)
	if err != nil {
		return nil, fmt.Errorf("eval: visual question answering: %w", err)
	}
	known := slices.DeleteFunc(slices.Clone(shown.(datasets.Questioned).Questions()),
		func(q datasets.Question) bool { return len(q.Answers) == 0 })
	if len(known) == 0 {
		return nil, fmt.Errorf("eval: visual question answering: %s has no question with an answer; take a split whose answers are not "+
			"kept back", set.Name())
	}
	return known, nil
}

// candidates are the answers that a model may give.
func (v VQA) candidates(on Subject) ([]string, error) {
	if len(v.Answers) > 0 {
		return v.Answers, nil
	}
	if on.Answers == nil {
		return nil, fmt.Errorf("eval: visual question answering needs candidate answers, and nothing tells those of training; list them " +
			"in VQA.Answers")
	}
	all, err := on.Answers()
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("eval: the questions of training have no answers to choose from; list some in VQA.Answers")
	}
	return all, err
}

// Measure implements Task.
func (v VQA) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := v.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	questions, err := v.questions(on.Set)
	if err != nil {
		return Measured{}, err
	}
	if on.Brief {
		questions = questions[:min(briefQuestions, len(questions))]
	}
	candidates, err := v.candidates(on)
	if err != nil {
		return Measured{}, err
	}
	ranked, err := on.rank(ctx, questions, candidates, v.Top)
	if err != nil {
		return Measured{}, err
	}
	given := make([]string, len(questions))
	for k := range given {
		given[k] = candidates[ranked[k][0].Candidate]
	}
	metrics, err := accuracies(questions, given, func(q datasets.Question) []Metric { return []Metric{VQAAccuracy, ofKind[q.AnswerKind]} })
	if err != nil || on.Brief {
		return Measured{Metrics: metrics}, err
	}
	var shown []AnsweredQuestion
	for _, at := range evenly(shownQuestions, len(questions)) {
		q := questions[at]
		one := AnsweredQuestion{Image: q.Image, Key: on.Set.Key(q.Image), Text: q.Text, Right: q.Answers}
		for _, given := range ranked[at][:min(shownAnswers, len(ranked[at]))] {
			one.Answers = append(one.Answers, Answer{candidates[given.Candidate], given.Probability})
		}
		shown = append(shown, one)
	}
	return AnsweredQuestions.With(CandidateAnswers.With(Measured{Metrics: metrics}, candidates), shown), nil
}

// evenly are n places among so many, evenly spread; all where there are fewer.
func evenly(n, among int) []int {
	places := make([]int, min(n, among))
	for k := range places {
		places[k] = k * among / len(places)
	}
	return places
}

// accuracies are the mean accuracies of answers to questions, by the metrics that each question counts for; one without a name is none.
func accuracies(questions []datasets.Question, given []string, of func(datasets.Question) []Metric) (Result, error) {
	sums, counts := Result{}, map[Metric]float64{}
	for k, q := range questions {
		accuracy, err := answerAccuracy(given[k], q.Answers)
		if err != nil {
			return nil, err
		}
		for _, metric := range of(q) {
			if metric != "" {
				sums[metric] += accuracy
				counts[metric]++
			}
		}
	}
	for metric, n := range counts {
		sums[metric] /= n
	}
	return sums, nil
}

// answerAccuracy is that of an answer, in per cent.
func answerAccuracy(predicted string, given []string) (float64, error) {
	if len(given) == 1 { // known exactly
		if answer.Normalise(predicted) == answer.Normalise(given[0]) {
			return 100, nil
		}
		return 0, nil
	}
	scored, err := answer.Score([]answer.Question{{Predicted: predicted, Answers: given}})
	return scored.Overall, err
}

// rank ranks candidate answers to questions, [questions][top]; 0 for the usual number.
func (s Subject) rank(ctx context.Context, questions []datasets.Question, candidates []string, top int) ([][]framework.RankedAnswer,
	error) {
	if s.Tokenizer == nil {
		return nil, fmt.Errorf("eval: %s answers questions without a vocabulary; give Subject.Tokenizer", s.Model.Framework().Name())
	}
	if top == 0 {
		top = usualTop
	}
	tokens := s.Model.Framework().(framework.Answers).AnswerTokens()
	var ids []int32
	for _, candidate := range candidates {
		ids = append(ids, s.Tokenizer.Encode(candidate, tokens)...)
	}
	var all [][]framework.RankedAnswer
	for from := 0; from < len(questions); from += askedAtOnce {
		var asked []int32
		images := make([]int, askedAtOnce)
		for k := range images {
			q := questions[min(from+k, len(questions)-1)] // the last batch repeats its last question: one compiled shape serves all
			images[k], asked = q.Image, append(asked, s.Tokenizer.EncodeCaption(q.Text, s.MaxLen)...)
		}
		pixels, skipped, err := loader.Images(ctx, s.Set, images, s.Size, s.Features)
		if err != nil {
			return nil, fmt.Errorf("eval: %s: %w", s.Set.Name(), err)
		}
		for _, skip := range skipped {
			if err := s.accept(skip); err != nil {
				return nil, err
			}
		}
		ranked, err := s.Model.Rank(asked, pixels, ids, top)
		if err != nil {
			return nil, err
		}
		all = append(all, ranked[:min(askedAtOnce, len(questions)-from)]...)
	}
	return all, nil
}
