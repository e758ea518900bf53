package explore

import (
	"context"
	"fmt"
	"image"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// Sheet is a caption with its image and the sentences that the explored model writes from it.
type Sheet struct {
	eval.Sheet
	Run, Set string // the explored model and its data
	Key      string // of the image
	Image    image.Image

	Temperatures []float64 // of refilling
	Corrects     bool      // the model has learned which words of a sentence were replaced, and what stood there
	Judged       bool      // whether a sentence is true of the image can be known
}

// Writes reports whether the explored model has learned to fill in masked words and to score what comes of it.
func (x *Explorer) Writes() bool {
	return writes(x.config) && (x.model == nil || x.model.Tokenizer.MASK() >= 0)
}

func writes(c train.Config) bool {
	f := c.Framework.Framework
	_, fills := f.(framework.Fills)
	_, scores := f.(framework.Scores)
	_, matches := f.(framework.Matches)
	return fills && c.Objectives.Has(negative.MLM) && (scores || matches && c.Objectives.Has(negative.ITM))
}

// corrects reports whether the explored model has learned to report which words were replaced, and to correct them.
func (x *Explorer) corrects() bool {
	w := x.config.Method.Writing
	return x.inference.Corrects() && w != nil && w.Weight(negative.WoD) > 0 && w.Weight(negative.WoC) > 0
}

// Write has the explored model write sentences from a pair's caption.
func (x *Explorer) Write(ctx context.Context, w eval.Writer, pair int) (Sheet, error) {
	subject, err := x.subject()
	if err != nil {
		return Sheet{}, err
	}
	written, err := w.Write(ctx, subject, pair)
	if err != nil {
		return Sheet{}, err
	}
	of := x.pairs[pair].Image
	s := Sheet{
		Sheet: written, Run: x.name, Set: x.set.Name(), Key: x.set.Key(of), Temperatures: w.At(), Corrects: x.corrects(),
		Judged: x.judged(),
	}
	s.Image, err = x.picture(ctx, of)
	return s, err
}

// subject is the explored model on its pairs.
func (x *Explorer) subject() (eval.Subject, error) {
	if !x.Writes() {
		return eval.Subject{}, fmt.Errorf("explore: %s has not learned to fill in masked words and to score sentences; explore a run "+
			"with ITM and MLM", x.name)
	}
	return eval.Subject{
		Model: x.inference, Set: x.set, Tokenizer: x.model.Tokenizer, Size: x.config.Transform.Size, Features: x.locked,
		MaxLen: x.config.MaxLen,
		Accept: func(s loader.Skip) error {
			x.skip(s)
			return nil
		},
	}, nil
}

// judged reports whether it can be known which sentences are true.
func (x *Explorer) judged() bool { return datasets.Language(x.set) != nil }

// captionsLooked are the captions, the first of an image each, from which sentences are written to find telling ones.
const captionsLooked = 100

// InformativeCaptions are n captions, pairs, the first of an image each. Where sentences can be judged, they are those of the first 100
// whose written sentences show best that some are true: those that pass the filter with the most of both kinds, true and false, counted by
// the scarcer kind; of equals those with more true ones, then the lower pair. Else they are the first ones.
func (x *Explorer) InformativeCaptions(ctx context.Context, w eval.Writer, n int) ([]int, error) {
	if !x.judged() {
		return x.first[:min(n, len(x.first))], nil
	}
	subject, err := x.subject()
	if err != nil {
		return nil, err
	}
	captions := slices.Clone(x.first[:min(captionsLooked, len(x.first))])
	counts := map[int]tally{}
	for _, pair := range captions {
		sheet, err := w.Draft(ctx, subject, pair)
		if err != nil {
			return nil, err
		}
		counts[pair] = passed(sheet)
	}
	slices.SortStableFunc(captions, func(a, b int) int { return counts[b].compare(counts[a]) })
	return captions[:min(n, len(captions))], nil
}

// passed counts the sentences of a sheet that pass the filter and whose truth is known.
func passed(s eval.Sheet) (k tally) {
	for _, one := range s.Written {
		switch {
		case one.Refused != eval.Passed || !one.Known:
		case one.True:
			k.trues++
		default:
			k.falses++
		}
	}
	return k
}
