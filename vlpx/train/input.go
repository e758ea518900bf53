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

// input makes what a step reads of a mini-batch, from what is known of the data.
type input struct {
	job      Job
	pairs    []datasets.Pair
	relation datasets.Relation    // nil where nothing is known
	labelled datasets.Labelled    // nil where images have no classes
	stated   []datasets.Statement // of each pair; none where the step reads no second images or verdicts
	language datasets.Spoken      // nil where nobody knows whether a sentence is true
	answers  answers              // to the questions, where the framework reads some
	shares   map[int][2]float32   // of false negatives, of the pairs needed so far
	reads    []field.Field        // of the step
}

// newInput finds what the data knows, and says what it lacks.
func newInput(job Job) (input, error) {
	job.Set = job.Config.Sees(job.Set)
	i := input{job: job, pairs: datasets.Pairs(job.Set), language: datasets.Language(job.Set), reads: job.Config.Inputs()}
	if related, ok := job.Set.(datasets.Related); ok {
		i.relation = datasets.Counted(related.Relation())
	}
	i.labelled, _ = job.Set.(datasets.Labelled)
	var err error
	if i.stated, err = i.statements(); err != nil {
		return i, err
	}
	if err := i.readable(); err != nil {
		return i, err
	}
	g, grows := job.Config.Framework.Framework.(framework.Growing)
	if grows && job.Tokenizer != nil && job.Tokenizer.Size() > g.Vocabulary() {
		return i, fmt.Errorf("train: a vocabulary of %d words for %s, which has room for %d; plan the run with the vocabulary of its data",
			job.Tokenizer.Size(), g.Name(), g.Vocabulary())
	}
	return i, nil
}

// loading is what the loader reads, and how.
func (i *input) loading() loader.Config {
	c, reads := i.job.Config, field.Names(i.job.Config.Inputs())
	return loader.Config{
		Set: i.job.Set, Pairs: i.pairs, Tokenizer: i.job.Tokenizer, Transform: c.Transform, Features: i.job.Features,
		MaxLen: c.MaxLen, Seed: c.Seed, CacheBytes: imageCache, View: slices.Contains(reads, field.View), Others: i.others(),
		Blind: !slices.Contains(reads, field.Image) && !slices.Contains(reads, field.View),
	}
}

// imageCache bounds the decoded images that are kept in memory, in bytes. It is our choice: some 21,000 images of 128
// pixels at three bytes each, or 5,400 of 256, which leaves a machine of 4 GB room to train.
const imageCache = 1 << 30

// reals make the numbers of a field of a mini-batch, wholes the whole numbers.
var (
	reals = map[field.Name]func(*input, *miniBatch) []float32{
		field.Image: func(_ *input, b *miniBatch) []float32 { return b.Pixels },
		field.View:  func(_ *input, b *miniBatch) []float32 { return b.View },
		field.Other: func(_ *input, b *miniBatch) []float32 { return b.Other },
		field.Assignment: func(i *input, b *miniBatch) []float32 {
			return uniform(random.Stream(i.job.Config.Seed, "assignment", b.at.epoch, b.at.step), 2*i.job.Config.BatchSize)
		},
		field.Noise: func(i *input, b *miniBatch) []float32 {
			return gumbel(i.job.Config.Seed, b.at, 2*i.job.Config.BatchSize*i.job.Config.BatchSize)
		},
		field.Progress: func(i *input, b *miniBatch) []float32 {
			return []float32{float32(float64(b.at.epoch) + float64(b.at.step)/float64(b.at.steps))}
		},
		field.Rate: func(i *input, b *miniBatch) []float32 {
			return []float32{float32(i.job.Config.Schedule.At(b.at.epoch, b.at.step, b.at.steps))}
		},
		field.Truth:         func(i *input, b *miniBatch) []float32 { return i.truth(b.Pairs) },
		field.Known:         func(i *input, b *miniBatch) []float32 { return i.known(b.Pairs) },
		field.FalseShare:    func(i *input, b *miniBatch) []float32 { return i.falseShares(b.Pairs) },
		field.PoolImages:    func(_ *input, b *miniBatch) []float32 { return b.pool.Pixels },
		field.Refills:       func(i *input, b *miniBatch) []float32 { return i.refills(b) },
		field.AnswerWeights: func(i *input, b *miniBatch) []float32 { return i.answers.weigh(b.Pairs) },
	}
	wholes = map[field.Name]func(*input, *miniBatch) []int32{
		field.Captions: func(_ *input, b *miniBatch) []int32 { return b.IDs },
		field.Masked: func(i *input, b *miniBatch) []int32 {
			masked, _ := objective.MaskTokens(b.IDs, i.masks(b.at, "mask", len(b.IDs)), i.special())
			return masked
		},
		field.Words: func(i *input, b *miniBatch) []int32 {
			_, words := objective.MaskTokens(b.IDs, i.masks(b.at, "mask", len(b.IDs)), i.special())
			return words
		},
		field.Fresh: func(i *input, b *miniBatch) []int32 {
			return i.masks(b.at, "mask of new positives", 2*i.job.Config.BatchSize*i.job.Config.MaxLen).Codes(i.special())
		},
		field.PoolCaptions: func(_ *input, b *miniBatch) []int32 { return b.pool.IDs },
		field.PoolItems: func(i *input, b *miniBatch) []int32 {
			return each(b.pool, func(pair int) int { return i.pairs[pair].Image })
		},
		field.Drafts:       func(i *input, b *miniBatch) []int32 { return i.drafts(b).masked },
		field.DraftWords:   func(i *input, b *miniBatch) []int32 { return i.drafts(b).words },
		field.Annotated:    func(i *input, b *miniBatch) []int32 { return i.annotated(b) },
		field.TrueFillings: func(i *input, b *miniBatch) []int32 { return i.trueFillings(b) },
		field.Index:        func(_ *input, b *miniBatch) []int32 { return each(b.Batch, func(pair int) int { return pair }) },
		field.Items: func(i *input, b *miniBatch) []int32 {
			return each(b.Batch, func(pair int) int { return i.pairs[pair].Image })
		},
		field.Verdict: func(i *input, b *miniBatch) []int32 { return i.verdicts(b) },
		field.Answers: func(i *input, b *miniBatch) []int32 { return i.answers.encode(b.Pairs) },
		field.Class: func(i *input, b *miniBatch) []int32 {
			return each(b.Batch, func(pair int) int { return i.labelled.Class(i.pairs[pair].Image) })
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

// fields makes what the step reads of a mini-batch, with the step's own draws: masks and matching noise.
func (i *input) fields(b *miniBatch) field.Values {
	in := field.Values{}
	if b.images != nil {
		in = <-b.images
	}
	for _, f := range i.reads {
		if in.Has(f.Name) {
			continue
		}
		if numbers, ok := reals[f.Name]; ok {
			in[f.Name] = tensors.FromFlatDataAndDimensions(numbers(i, b), f.Shape.Dimensions...)
		} else {
			in[f.Name] = tensors.FromFlatDataAndDimensions(wholes[f.Name](i, b), f.Shape.Dimensions...)
		}
	}
	return in
}

// masks draws those of n tokens.
func (i *input) masks(at moment, purpose string, n int) objective.MaskDraws {
	c := i.job.Config
	return objective.DrawMask(random.Stream(c.Seed, purpose, at.epoch, at.step), n, c.Method.Masking, i.job.Tokenizer.Size())
}

func (i *input) special() objective.Special {
	k := i.job.Tokenizer
	return objective.Special{Pad: k.PAD(), CLS: k.CLS(), Mask: k.MASK()}
}

// gumbel are standard Gumbel draws for a step.
func gumbel(seed uint64, at moment, n int) []float32 {
	noise := make([]float32, n)
	r := random.Stream(seed, "matching", at.epoch, at.step)
	for k := range noise {
		noise[k] = float32(-math.Log(r.ExpFloat64()))
	}
	return noise
}

// readable says why the data lacks what a field is made of.
func (i *input) readable() error {
	c, set := i.job.Config, i.job.Set
	image := 3 * c.Transform.Size * c.Transform.Size
	if i.job.Features != nil {
		image = i.job.Features.Size()
	}
	for _, f := range c.Inputs() {
		switch {
		case f.Name == field.Image || f.Name == field.Other:
			if reads := f.Shape.Size() / c.BatchSize; reads != image {
				return fmt.Errorf("train: %s reads images of %d numbers, and what is made of one has %d; "+
					"give a locked encoder, or regions, of that size",
					c.Framework.Name(), reads, image)
			}
		case f.Name == field.TrueFillings && i.language == nil:
			return fmt.Errorf("train: the filter of %s asks which sentences are true of an image of %s, whose language is not known; use "+
				"generated scenes, or another filter", c.Method.Name, set.Name())
		case f.Name == field.Answers:
			if err := i.answerable(f.Shape); err != nil {
				return err
			}
		case f.Name.OfCaptions():
			if i.job.Tokenizer == nil {
				return fmt.Errorf("train: %s reads %s, and %s has none; take data with captions", c.Framework.Name(), f.Name, set.Name())
			}
			if f.Name != field.Captions && i.job.Tokenizer.MASK() < 0 {
				return fmt.Errorf("train: the vocabulary has no token that masks a word, and %s reads %s; give BERT's, or leave -vocab out",
					c.Framework.Name(), f.Name)
			}
			for k := range set.Len() {
				if len(set.Captions(k)) == 0 && datasets.PairsOf(set, k) > 0 {
					return fmt.Errorf("train: %s reads %s, and image %s of %s has no caption; leave it out or give it one",
						c.Framework.Name(), f.Name, set.Key(k), set.Name())
				}
			}
		case f.Name == field.Truth || f.Name == field.Known || f.Name == field.FalseShare:
			if retrieves := framework.Retrieves(c.Framework.Framework); !retrieves && i.labelled == nil {
				return fmt.Errorf("train: %s asks %s which images are of the same class, and it has no classes; take data with classes",
					c.Method.Name,
					set.Name())
			} else if retrieves && i.relation == nil {
				return fmt.Errorf("train: %s asks %s which captions are true of which images, and nothing is known of that, as no "+
					"caption is equal to another image's; use generated scenes, or a learned Con-D", c.Method.Name, set.Name())
			}
		case f.Name == field.Class:
			if i.labelled == nil {
				return fmt.Errorf("train: %s reads the class of each image, and %s has none; take data with classes",
					c.Framework.Name(), set.Name())
			}
		}
	}
	return nil
}
