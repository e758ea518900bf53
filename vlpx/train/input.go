package train

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// made are the fields that a trainer makes of a mini-batch.
var made = map[field.Name]bool{
	field.Image: true, field.View: true, field.Captions: true, field.Masked: true, field.Words: true, field.Noise: true,
	field.Progress: true, field.Rate: true, field.Index: true, field.Items: true, field.Class: true, field.Truth: true, field.Fresh: true,
}

// fieldNames lists them.
func fieldNames() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(made)) {
		names = append(names, fmt.Sprintf("%q", name))
	}
	return strings.Join(names, ", ")
}

// input makes the fields that the step reads of a mini-batch, with the step's own draws: masks and matching noise.
func (t *trainer) input(b loader.Batch) field.Values {
	in := field.Values{}
	for _, f := range t.step.inputs {
		if f.Shape.DType == dtypes.Int32 {
			in[f.Name] = tensors.FromFlatDataAndDimensions(t.whole(f.Name, b), f.Shape.Dimensions...)
		} else {
			in[f.Name] = tensors.FromFlatDataAndDimensions(t.real(f.Name, b), f.Shape.Dimensions...)
		}
	}
	return in
}

// real are the numbers of a field.
func (t *trainer) real(name field.Name, b loader.Batch) []float32 {
	c := t.job.Config
	switch name {
	case field.Image:
		return b.Pixels
	case field.View:
		return b.View
	case field.Noise:
		return gumbel(c.Seed, t.Epoch, t.Step, 2*c.BatchSize*c.BatchSize)
	case field.Progress:
		return []float32{float32(float64(t.Epoch) + float64(t.Step)/float64(t.steps))}
	case field.Rate:
		return []float32{float32(c.Schedule.At(t.Epoch, t.Step))}
	case field.Truth:
		return t.truth(b.Pairs)
	}
	panic(fmt.Sprintf("train: the field %q has no numbers", name))
}

// whole are the whole numbers of a field.
func (t *trainer) whole(name field.Name, b loader.Batch) []int32 {
	c := t.job.Config
	each := func(of func(pair int) int) []int32 {
		numbers := make([]int32, len(b.Pairs))
		for k, pair := range b.Pairs {
			numbers[k] = int32(of(pair))
		}
		return numbers
	}
	switch name {
	case field.Captions:
		return b.IDs
	case field.Masked:
		masked, _ := objective.MaskTokens(b.IDs, t.masks("mask", len(b.IDs)), t.special())
		return masked
	case field.Words:
		_, labels := objective.MaskTokens(b.IDs, t.masks("mask", len(b.IDs)), t.special())
		return labels
	case field.Fresh:
		return t.masks("mask of new positives", 2*c.BatchSize*c.MaxLen).Codes(t.special())
	case field.Index:
		return each(func(pair int) int { return pair })
	case field.Items:
		return each(func(pair int) int { return t.pairs[pair].Image })
	case field.Class:
		return each(func(pair int) int { return t.labelled.Class(t.pairs[pair].Image) })
	}
	panic(fmt.Sprintf("train: the field %q has no whole numbers", name))
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

// truth tells which captions of a mini-batch are true of which images, 1 or 0, [batch, batch] with images in rows; a pair that
// the relation does not know counts as 0.
func (t *trainer) truth(batch []int) []float32 {
	truth := make([]float32, 0, len(batch)*len(batch))
	for _, image := range batch {
		for _, text := range batch {
			var holds float32
			if is, known := t.relation.Holds(t.pairs[image].Image, text); is && known {
				holds = 1
			}
			truth = append(truth, holds)
		}
	}
	return truth
}

// readable tells why the data lacks what a field is made of.
func (t *trainer) readable() error {
	c, set := t.job.Config, t.job.Set
	for _, f := range c.Inputs() {
		switch {
		case f.Name.OfCaptions():
			if t.job.Tokenizer == nil {
				return fmt.Errorf("train: %s reads %s, and %s has none; take data with captions", c.Framework.Name(), f.Name, set.Name())
			}
			if f.Name != field.Captions && t.job.Tokenizer.MASK() < 0 {
				return fmt.Errorf("train: the vocabulary has no token that masks a word, and %s reads %s; give BERT's, or leave -vocab out",
					c.Framework.Name(), f.Name)
			}
			for i := range set.Len() {
				if len(set.Captions(i)) == 0 {
					return fmt.Errorf("train: %s reads %s, and image %s of %s has no caption; leave it out or give it one",
						c.Framework.Name(), f.Name, set.Key(i), set.Name())
				}
			}
		case f.Name == field.Truth:
			if t.relation == nil {
				return fmt.Errorf("train: %s asks %s which captions are true of which images, and nothing is known of that; use generated scenes, "+
					"or a learned Con-D", c.Method.Name, set.Name())
			}
		case f.Name == field.Class:
			labelled, ok := set.(datasets.Labelled)
			if !ok {
				return fmt.Errorf("train: %s reads the class of each image, and %s has none; take data with classes", c.Framework.Name(), set.Name())
			}
			t.labelled = labelled
		}
	}
	return nil
}
