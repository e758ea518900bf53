package train

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// reals make the numbers of a field of a mini-batch, wholes the whole numbers.
var (
	reals = map[field.Name]func(*trainer, miniBatch) []float32{
		field.Image: func(_ *trainer, b miniBatch) []float32 { return b.Pixels },
		field.View:  func(_ *trainer, b miniBatch) []float32 { return b.View },
		field.Other: func(_ *trainer, b miniBatch) []float32 { return b.Other },
		field.Assignment: func(t *trainer, _ miniBatch) []float32 {
			return uniform(random.Stream(t.job.Config.Seed, "assignment", t.Epoch, t.Step), 2*t.job.Config.BatchSize)
		},
		field.Noise: func(t *trainer, _ miniBatch) []float32 {
			return gumbel(t.job.Config.Seed, t.Epoch, t.Step, 2*t.job.Config.BatchSize*t.job.Config.BatchSize)
		},
		field.Progress: func(t *trainer, _ miniBatch) []float32 {
			return []float32{float32(float64(t.Epoch) + float64(t.Step)/float64(t.steps))}
		},
		field.Rate: func(t *trainer, _ miniBatch) []float32 {
			return []float32{float32(t.job.Config.Schedule.At(t.Epoch, t.Step, t.steps))}
		},
		field.Truth:         func(t *trainer, b miniBatch) []float32 { return t.truth(b.Pairs) },
		field.Known:         func(t *trainer, b miniBatch) []float32 { return t.known(b.Pairs) },
		field.FalseShare:    func(t *trainer, b miniBatch) []float32 { return t.falseShares(b.Pairs) },
		field.PoolImages:    func(_ *trainer, b miniBatch) []float32 { return b.pool.Pixels },
		field.Refills:       func(t *trainer, _ miniBatch) []float32 { return t.refills() },
		field.AnswerWeights: func(t *trainer, b miniBatch) []float32 { return t.answers.weigh(b.Pairs) },
	}
	wholes = map[field.Name]func(*trainer, miniBatch) []int32{
		field.Captions: func(_ *trainer, b miniBatch) []int32 { return b.IDs },
		field.Masked: func(t *trainer, b miniBatch) []int32 {
			masked, _ := objective.MaskTokens(b.IDs, t.masks("mask", len(b.IDs)), t.special())
			return masked
		},
		field.Words: func(t *trainer, b miniBatch) []int32 {
			_, words := objective.MaskTokens(b.IDs, t.masks("mask", len(b.IDs)), t.special())
			return words
		},
		field.Fresh: func(t *trainer, _ miniBatch) []int32 {
			return t.masks("mask of new positives", 2*t.job.Config.BatchSize*t.job.Config.MaxLen).Codes(t.special())
		},
		field.PoolCaptions: func(_ *trainer, b miniBatch) []int32 { return b.pool.IDs },
		field.PoolItems: func(t *trainer, b miniBatch) []int32 {
			return each(b.pool, func(pair int) int { return t.pairs[pair].Image })
		},
		field.Drafts:     func(t *trainer, b miniBatch) []int32 { return t.drafts(b).masked },
		field.DraftWords: func(t *trainer, b miniBatch) []int32 { return t.drafts(b).words },
		field.Annotated:  func(t *trainer, b miniBatch) []int32 { return t.annotated(b) },
		field.Index:      func(_ *trainer, b miniBatch) []int32 { return each(b.Batch, func(pair int) int { return pair }) },
		field.Items: func(t *trainer, b miniBatch) []int32 {
			return each(b.Batch, func(pair int) int { return t.pairs[pair].Image })
		},
		field.Verdict: func(t *trainer, b miniBatch) []int32 { return t.verdicts(b) },
		field.Answers: func(t *trainer, b miniBatch) []int32 { return t.answers.encode(b.Pairs) },
		field.Class: func(t *trainer, b miniBatch) []int32 {
			return each(b.Batch, func(pair int) int { return t.labelled.Class(t.pairs[pair].Image) })
		},
	}
)

// each is a whole number of each pair of a mini-batch.
func each(b loader.Batch, of func(pair int) int) []int32 {
	numbers := make([]int32, len(b.Pairs))
	for k, pair := range b.Pairs {
		numbers[k] = int32(of(pair))
	}
	return numbers
}

// fieldNames lists the fields that are made.
func fieldNames() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(reals)) {
		names = append(names, fmt.Sprintf("%q", name))
	}
	for _, name := range slices.Sorted(maps.Keys(wholes)) {
		names = append(names, fmt.Sprintf("%q", name))
	}
	return strings.Join(names, ", ")
}

// input makes the fields that the step reads of a mini-batch, with the step's own draws: masks and matching noise.
func (t *trainer) input(b miniBatch) field.Values {
	in := field.Values{}
	if b.images != nil {
		in = <-b.images
	}
	for _, f := range t.step.inputs {
		if in.Has(f.Name) {
			continue
		}
		if numbers, ok := reals[f.Name]; ok {
			in[f.Name] = tensors.FromFlatDataAndDimensions(numbers(t, b), f.Shape.Dimensions...)
		} else {
			in[f.Name] = tensors.FromFlatDataAndDimensions(wholes[f.Name](t, b), f.Shape.Dimensions...)
		}
	}
	return in
}

// masks draws those of n tokens.
func (t *trainer) masks(purpose string, n int) objective.MaskDraws {
	c := t.job.Config
	return objective.DrawMask(random.Stream(c.Seed, purpose, t.Epoch, t.Step), n, c.Method.Masking, t.job.Tokenizer.Size())
}

func (t *trainer) special() objective.Special {
	k := t.job.Tokenizer
	return objective.Special{Pad: k.PAD(), CLS: k.CLS(), Mask: k.MASK()}
}

// gumbel are standard Gumbel draws for a step.
func gumbel(seed uint64, epoch, step, n int) []float32 {
	noise := make([]float32, n)
	r := random.Stream(seed, "matching", epoch, step)
	for i := range noise {
		noise[i] = float32(-math.Log(r.ExpFloat64()))
	}
	return noise
}

// readable tells why the data lacks what a field is made of.
func (t *trainer) readable() error {
	c, set := t.job.Config, t.job.Set
	image := 3 * c.Transform.Size * c.Transform.Size
	if t.job.Features != nil {
		image = t.job.Features.Size()
	}
	for _, f := range c.Inputs() {
		switch {
		case f.Name == field.Image || f.Name == field.Other:
			if reads := f.Shape.Size() / c.BatchSize; reads != image {
				return fmt.Errorf("train: %s reads images of %d numbers, and what is made of one has %d; give a locked encoder, or regions, of that size",
					c.Framework.Name(), reads, image)
			}
		case f.Name == field.Answers:
			if err := t.answerable(f.Shape); err != nil {
				return err
			}
		case f.Name.OfCaptions():
			if t.job.Tokenizer == nil {
				return fmt.Errorf("train: %s reads %s, and %s has none; take data with captions", c.Framework.Name(), f.Name, set.Name())
			}
			if f.Name != field.Captions && t.job.Tokenizer.MASK() < 0 {
				return fmt.Errorf("train: the vocabulary has no token that masks a word, and %s reads %s; give BERT's, or leave -vocab out",
					c.Framework.Name(), f.Name)
			}
			for i := range set.Len() {
				if len(set.Captions(i)) == 0 && datasets.PairsOf(set, i) > 0 {
					return fmt.Errorf("train: %s reads %s, and image %s of %s has no caption; leave it out or give it one",
						c.Framework.Name(), f.Name, set.Key(i), set.Name())
				}
			}
		case f.Name == field.Truth || f.Name == field.Known || f.Name == field.FalseShare:
			if retrieves := framework.Retrieves(c.Framework.Framework); !retrieves && t.labelled == nil {
				return fmt.Errorf("train: %s asks %s which images are of the same class, and it has no classes; take data with classes", c.Method.Name, set.Name())
			} else if retrieves && t.relation == nil {
				return fmt.Errorf("train: %s asks %s which captions are true of which images, and nothing is known of that; use generated scenes, "+
					"or a learned Con-D", c.Method.Name, set.Name())
			}
		case f.Name == field.Class:
			if t.labelled == nil {
				return fmt.Errorf("train: %s reads the class of each image, and %s has none; take data with classes", c.Framework.Name(), set.Name())
			}
		}
	}
	return nil
}
