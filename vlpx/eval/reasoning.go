package eval

import (
	"context"
	"fmt"
	"math"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/framework"
)

// Reasoning is NLVR2's task (Suhr et al., 2019; METHODS.md 15.6): whether statements about two images are true.
type Reasoning struct{}

func init() { Register("nlvr2", Reasoning{}) }

// Metrics of Reasoning.
const (
	ReasoningAccuracy    Metric = "NLVR2 accuracy"
	ReasoningConsistency Metric = "NLVR2 consistency"
)

// Verdicts are the examples of [Reasoning], spread evenly over the split.
var Verdicts = NewKind[[]Verdict]("Verdicts")

// Verdict is what a model holds of a statement.
type Verdict struct {
	datasets.Statement
	Keys        [2]string // of its images
	Probability float64   // that it is true, by the model
}

// verdictExamples is the number of statements that are kept to look at.
const verdictExamples = 8

// Metrics implements Task.
func (Reasoning) Metrics() []Info {
	const group = "NLVR2"
	return []Info{
		{ReasoningAccuracy, group, "accuracy", "%", false, "statements about two images that are judged right"},
		{ReasoningConsistency, group, "consistency", "%", false, "distinct statements that are judged right of all their pairs of images"},
	}
}

// Check implements Task.
func (Reasoning) Check(f framework.Framework, set datasets.Set) error {
	if _, judges := f.(framework.Judges); !judges {
		return fmt.Errorf("eval: %s judges no statements about two images; take a framework that does, such as ALBEF NLVR2", f.Name())
	}
	_, err := statements(set)
	return err
}

// statements are those about the images of a set, at least one.
func statements(set datasets.Set) ([]datasets.Statement, error) {
	view, err := datasets.OfStatements(set)
	if err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	all := view.(datasets.Stated).Statements()
	if len(all) == 0 {
		return nil, fmt.Errorf("eval: there are no statements about the images of %s that are used; take more images", set.Name())
	}
	return all, nil
}

// Measure implements Task.
func (r Reasoning) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := r.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	all, err := statements(on.Set)
	if err != nil {
		return Measured{}, err
	}
	logits, err := on.two(ctx, len(all), func(k int) (string, int, int) { return all[k].Text, all[k].Left, all[k].Right }, on.Model.Judge)
	if err != nil {
		return Measured{}, err
	}
	right := make([]bool, len(all))
	for k, s := range all {
		right[k] = (logits[2*k+1] > logits[2*k]) == s.True
	}
	accuracy, consistency := judgements(all, right)
	var shown []Verdict
	for k := range min(verdictExamples, len(all)) {
		at := k * len(all) / min(verdictExamples, len(all))
		probability := 1 / (1 + math.Exp(float64(logits[2*at])-float64(logits[2*at+1])))
		shown = append(shown, Verdict{all[at], [2]string{on.Set.Key(all[at].Left), on.Set.Key(all[at].Right)}, probability})
	}
	return Verdicts.With(Measured{Metrics: Result{ReasoningAccuracy: accuracy, ReasoningConsistency: consistency}}, shown), nil
}

// judgements are the accuracy and the consistency of verdicts that are right or not, in per cent. A statement counts once in the
// consistency, however many pairs of images it is about, and is right where it is of all of them, as in NLVR2's own evaluation.
func judgements(all []datasets.Statement, right []bool) (accuracy, consistency float64) {
	hits, consistent := 0, map[string]bool{}
	for k, s := range all {
		if right[k] {
			hits++
		}
		before, seen := consistent[s.Text]
		consistent[s.Text] = right[k] && (before || !seen)
	}
	sound := 0
	for _, is := range consistent {
		if is {
			sound++
		}
	}
	return 100 * float64(hits) / float64(len(all)), 100 * float64(sound) / float64(len(consistent))
}

// twoBatch is the number of texts with two images in one forward pass.
const twoBatch = 32

// two runs texts with two images of the set each through a model and returns its logits, [texts, any].
func (s Subject) two(ctx context.Context, texts int, of func(k int) (text string, left, right int),
	run func(ids []int32, left, right []float32) ([]float32, error)) (logits []float32, err error) {
	if s.Tokenizer == nil {
		return nil, fmt.Errorf("eval: %s reads no texts; leave out tasks that ask it for some", s.Model.Framework().Name())
	}
	for from := 0; from < texts; from += twoBatch {
		var ids []int32
		var images []int // left ones, then right ones
		rights := make([]int, 0, twoBatch)
		for k := range twoBatch {
			text, left, right := of(min(from+k, texts-1)) // the last batch repeats its last text: one compiled shape serves all
			ids = append(ids, s.Tokenizer.EncodeCaption(text, s.MaxLen)...)
			images, rights = append(images, left), append(rights, right)
		}
		numbers, skipped, err := loader.Images(ctx, s.Set, append(images, rights...), s.Size, s.Features)
		if err != nil {
			return nil, fmt.Errorf("eval: %s: %w", s.Set.Name(), err)
		}
		for _, skip := range skipped {
			if err := s.accept(skip); err != nil {
				return nil, err
			}
		}
		out, err := run(ids, numbers[:len(numbers)/2], numbers[len(numbers)/2:])
		if err != nil {
			return nil, err
		}
		logits = append(logits, out[:len(out)/twoBatch*min(twoBatch, texts-from)]...)
	}
	return logits, nil
}
