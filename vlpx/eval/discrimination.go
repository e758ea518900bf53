package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/framework"
)

// Discrimination is whether a model tells a caption from a false sentence that was made of it, by its scores of both with the caption's
// image (TAGS-DC, section 4.3). It is measured on the test split, of which the sentences are.
type Discrimination struct {
	Of string // the run whose sentences they are, by its identity
	// what stands against the caption, such as [Written]; captions without it do not count, and where none has it there is no metric
	Against Version
}

func init() {
	Register("discrimination", Discrimination{Against: Written},
		sentencesOf(func(d *Discrimination, run string) { d.Of = run }), versionOf(func(d *Discrimination, v Version) { d.Against = v }))
}

// DiscriminationAccuracy is the metric of Discrimination.
const DiscriminationAccuracy Metric = "discrimination"

// Metrics implements Task.
func (Discrimination) Metrics() []Info {
	return []Info{{DiscriminationAccuracy, "Discrimination", "accuracy", "%", false, "captions scored above a false sentence made of " +
		"them; a tie is none"}}
}

// Check implements Task.
func (d Discrimination) Check(f framework.Framework, set datasets.Set) error {
	if _, scores := f.(framework.Scores); !scores {
		return fmt.Errorf(
			"eval: discrimination goes by scores of pairs, which %s does not make; take a framework that does, such as UNITER", f.Name())
	}
	if d.Against == Original {
		return fmt.Errorf("eval: discrimination of captions against themselves; name another version, such as %q", Written)
	}
	if err := about(d.Of, d.Against); err != nil {
		return err
	}
	return captioned("discrimination", set)
}

// Measure implements Task.
func (d Discrimination) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := d.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	sentences, err := on.versions(d.Of, d.Against)
	if err != nil || len(sentences) == 0 {
		return Measured{Metrics: Result{}}, err
	}
	pairs := datasets.Pairs(on.Set)
	for _, x := range sentences {
		if x.Pair < 0 || x.Pair >= len(pairs) || pairs[x.Pair].Text(on.Set) != x.Caption {
			return Measured{}, fmt.Errorf("eval: run %s wrote of pair %d, %q, which is another of %s; ask about a run on the same data",
				d.Of, x.Pair, x.Caption, on.Set.Name())
		}
	}
	right := 0
	for batch := range slices.Chunk(sentences, evalBatch) {
		won, err := on.discriminate(ctx, pairs, batch, d.Against)
		if err != nil {
			return Measured{}, err
		}
		right += won
	}
	return Measured{Metrics: Result{DiscriminationAccuracy: 100 * float64(right) / float64(len(sentences))}}, nil
}

// discriminate counts the sentences, evalBatch of them at most, whose caption has a higher score than their other version.
func (s Subject) discriminate(ctx context.Context, pairs []datasets.Pair, sentences []Sentence, v Version) (won int, err error) {
	images := make([]int, evalBatch)
	var captions, others []int32
	for i := range images {
		x := sentences[min(i, len(sentences)-1)] // a short batch repeats its last one: one compiled shape serves all
		images[i] = pairs[x.Pair].Image
		captions = append(captions, s.Tokenizer.EncodeCaption(x.Caption, s.MaxLen)...)
		others = append(others, s.Tokenizer.EncodeCaption(x.Of(v), s.MaxLen)...)
	}
	pixels, skipped, err := loader.Images(ctx, s.Set, images, s.Size, s.Features)
	if err != nil {
		return 0, fmt.Errorf("eval: %s: %w", s.Set.Name(), err)
	}
	for _, skip := range skipped {
		if err := s.accept(skip); err != nil {
			return 0, err
		}
	}
	of, err := s.Model.Score(captions, pixels)
	if err != nil {
		return 0, err
	}
	against, err := s.Model.Score(others, pixels)
	if err != nil {
		return 0, err
	}
	for i, x := range sentences {
		if math.IsNaN(float64(of[i] + against[i])) {
			return 0, fmt.Errorf("eval: the score of %q or of what was made of it is NaN; the model that gave it has diverged", x.Caption)
		}
		if of[i] > against[i] {
			won++
		}
	}
	return won, nil
}
