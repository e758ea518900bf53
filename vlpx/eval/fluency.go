package eval

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// Fluency is how little a language model expects the sentences that another run made of captions: their perplexity, as of [Perplexity]
// (TAGS-DC, section 4.2; METHODS.md 15.7). Captions without the version do not count; where
// none has it there is no metric.
type Fluency struct {
	Of      string // the run whose sentences they are, by its identity
	Version Version
}

func init() {
	Register("fluency", Fluency{Version: Written},
		sentencesOf(func(f *Fluency, run string) { f.Of = run }), versionOf(func(f *Fluency, v Version) { f.Version = v }))
}

// SentencePerplexity is the metric of Fluency.
const SentencePerplexity Metric = "sentence perplexity"

// Metrics implements Task.
func (Fluency) Metrics() []Info {
	return []Info{{SentencePerplexity, "Fluency", "perplexity", "", true, "e to the mean nats of a token of another run's sentences by " +
		"those before it"}}
}

// Check implements Task.
func (t Fluency) Check(f framework.Framework, _ datasets.Set) error {
	if _, predicts := f.(framework.Predicts); !predicts {
		return fmt.Errorf("eval: fluency is measured by a language model, and %s is none; take one, such as GPT-2", f.Name())
	}
	return about(t.Of, t.Version)
}

// Measure implements Task.
func (t Fluency) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := t.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	sentences, err := on.versions(t.Of, t.Version)
	if err != nil || len(sentences) == 0 {
		return Measured{Metrics: Result{}}, err
	}
	var texts []string
	for _, x := range sentences {
		texts = append(texts, x.Of(t.Version))
	}
	all, err := on.Likelihoods(ctx, texts)
	if err != nil {
		return Measured{}, err
	}
	return Measured{Metrics: Result{SentencePerplexity: Pooled(all).Perplexity()}}, nil
}
