package eval

import (
	"context"
	"fmt"
	"math"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// Perplexity is how little a language model expects a split's captions: e to the mean of the nats of all their tokens, of which the end of
// a caption is one. Guessing among all tokens alike it is the size of the vocabulary (METHODS.md 15.7).
type Perplexity struct{}

func init() { Register("perplexity", Perplexity{}) }

// CaptionPerplexity is the metric of Perplexity.
const CaptionPerplexity Metric = "perplexity"

// Metrics implements Task.
func (Perplexity) Metrics() []Info {
	return []Info{{CaptionPerplexity, "Language", "perplexity", "", true,
		"e to the mean nats of a token of the captions by those before it"}}
}

// Check implements Task.
func (Perplexity) Check(f framework.Framework, set datasets.Set) error {
	if _, predicts := f.(framework.Predicts); !predicts {
		return fmt.Errorf("eval: perplexity is a language model's, and %s is none; take one, such as GPT-2", f.Name())
	}
	if len(sentences(set)) == 0 {
		return fmt.Errorf("eval: perplexity is of captions, and %s has none; take data with captions", set.Name())
	}
	return nil
}

// sentences are the captions of a set.
func sentences(set datasets.Set) []string {
	var all []string
	for i := range set.Len() {
		all = append(all, set.Captions(i)...)
	}
	return all
}

// Measure implements Task.
func (p Perplexity) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := p.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	all, err := on.Likelihoods(ctx, sentences(on.Set))
	if err != nil {
		return Measured{}, err
	}
	return Measured{Metrics: Result{CaptionPerplexity: Pooled(all).Perplexity()}}, nil
}

// Likelihood is a text's by a language model.
type Likelihood struct {
	Nats   float64 // the logarithm, at most 0
	Tokens int     // that were predicted, the end among them
}

// Pooled is that of all texts together.
func Pooled(all []Likelihood) (sum Likelihood) {
	for _, l := range all {
		sum.Nats, sum.Tokens = sum.Nats+l.Nats, sum.Tokens+l.Tokens
	}
	return sum
}

// Perplexity is e to the mean of the nats of a token; NaN without any.
func (l Likelihood) Perplexity() float64 { return math.Exp(-l.Nats / float64(l.Tokens)) }

// likelihoodBatch is the number of texts in one forward pass: the logits over a vocabulary of 50,000 are large.
const likelihoodBatch = 16

// Likelihoods are those of texts, prepared as captions are, of which MaxLen tokens count. Of the subject it needs Model, Tokenizer and
// MaxLen.
func (s Subject) Likelihoods(ctx context.Context, texts []string) ([]Likelihood, error) {
	if s.Tokenizer == nil {
		return nil, fmt.Errorf("eval: %s reads no captions; leave out tasks that ask it for some", s.Model.Framework().Name())
	}
	all := make([]Likelihood, len(texts))
	for from := 0; from < len(texts); from += likelihoodBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		count := min(likelihoodBatch, len(texts)-from)
		var ids []int32
		for _, text := range texts[from : from+count] {
			ids = append(ids, s.Tokenizer.EncodeCaption(text, s.MaxLen)...)
		}
		likelihood, err := s.Model.LogLikelihood(append(ids, make([]int32, (likelihoodBatch-count)*s.MaxLen)...))
		if err != nil {
			return nil, err
		}
		for i := range count {
			for _, nats := range likelihood[i*s.MaxLen : (i+1)*s.MaxLen] {
				all[from+i].Nats += float64(nats)
			}
			all[from+i].Tokens = predicted(ids[i*s.MaxLen : (i+1)*s.MaxLen])
		}
	}
	return all, nil
}

// predicted counts the tokens of a text that are predicted: all but the first and the zeros behind the end.
func predicted(ids []int32) int {
	for last := len(ids) - 1; last > 0; last-- {
		if ids[last] != 0 {
			return last
		}
	}
	return 0
}
