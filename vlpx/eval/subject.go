package eval

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
)

// Subject is a model with the split that it is measured on.
type Subject struct {
	Model     *framework.Inference
	Set       datasets.Set
	Tokenizer *text.Tokenizer // nil where the model reads no captions
	Size      int             // pixels a side
	Features  loader.Features // of the set's images, where a locked encoder makes them; nil: the model reads pixels
	MaxLen    int             // tokens a caption
	// Accept, if not nil, is asked of each image that cannot be decoded whether it may take part as the mean colour; its error ends
	// the evaluation. If it is nil, no such image may.
	Accept func(loader.Skip) error
	// Brief asks for no more than is wanted after each epoch of training.
	Brief bool
	// Training is the model on the split that it was trained on, with the same images and captions, for tasks that learn from these or look
	// at them; On is the model on a split of another collection. They live as long as the measuring. nil where the program that measures
	// has none.
	Training func(ctx context.Context) (Subject, error)
	On       func(ctx context.Context, c datasets.Collection, split string) (Subject, error)
	// Answers are the distinct ones to the questions that the model was trained on. nil where the program that measures knows of no
	// training.
	Answers func() ([]string, error)
	// State is what the method kept by the end of training at a path below framework.State, such as a threshold of each pair, flat, and
	// whether it kept that; nil keeps nothing.
	State func(path string) ([]float32, bool, error)
	// Examples are those of a finished run, by its identity. nil where the program that measures has no runs.
	Examples func(run string) (Examples, error)
}

// evalBatch is the number of images, captions or pairs in one forward pass.
const evalBatch = 64

// Images runs all images of the set through the image encoder, [images, ...].
func (s Subject) Images(ctx context.Context) (framework.Encoded, error) {
	return s.images(ctx, s.every())
}

// images runs images of the set through the image encoder, [images, ...].
func (s Subject) images(ctx context.Context, of []int) (all framework.Encoded, err error) {
	err = s.forwardOf(ctx, of, func(images []float32, count int) error {
		out, err := s.Model.Images(images)
		if err == nil {
			all.Append(out, count, evalBatch)
		}
		return err
	})
	return all, err
}

// Represent gives what probes read of all images of the set, [images, width] (see [framework.Represents]).
func (s Subject) Represent(ctx context.Context) (all []float32, err error) {
	err = s.forward(ctx, func(images []float32, count int) error {
		out, err := s.Model.Representations(images)
		all = append(all, out[:len(out)/evalBatch*count]...)
		return err
	})
	return all, err
}

// forward gives all images of the set to an encoder, evalBatch at a time, with the number of them that count.
func (s Subject) forward(ctx context.Context, encode func(images []float32, count int) error) error {
	return s.forwardOf(ctx, s.every(), encode)
}

// every lists all images of the set.
func (s Subject) every() []int {
	all := make([]int, s.Set.Len())
	for i := range all {
		all[i] = i
	}
	return all
}

// forwardOf is forward with images of the set.
func (s Subject) forwardOf(ctx context.Context, of []int, encode func(images []float32, count int) error) error {
	if len(of) == 0 {
		return fmt.Errorf("eval: %s has no images; a task needs at least one", s.Set.Name())
	}
	for from := 0; from < len(of); from += evalBatch {
		batch := make([]int, evalBatch)
		for i := range batch {
			batch[i] = of[min(from+i, len(of)-1)] // the last batch repeats its last image: one compiled shape serves all
		}
		pixels, skipped, err := loader.Images(ctx, s.Set, batch, s.Size, s.Features)
		if err != nil {
			return fmt.Errorf("eval: %s: %w", s.Set.Name(), err)
		}
		for _, skip := range skipped {
			if err := s.accept(skip); err != nil {
				return err
			}
		}
		if err := encode(pixels, min(evalBatch, len(of)-from)); err != nil {
			return err
		}
	}
	return nil
}

// Texts runs texts through the text encoder, [texts, ...]; the ids are theirs, [texts, MaxLen].
func (s Subject) Texts(ctx context.Context, texts []string) (all framework.Encoded, ids []int32, err error) {
	if s.Tokenizer == nil {
		return all, nil, fmt.Errorf("eval: %s reads no captions; leave out tasks that ask it for some", s.Model.Framework().Name())
	}
	for _, t := range texts {
		ids = append(ids, s.Tokenizer.EncodeCaption(t, s.MaxLen)...)
	}
	for from := 0; from < len(texts); from += evalBatch {
		if err := ctx.Err(); err != nil {
			return all, nil, err
		}
		count := min(evalBatch, len(texts)-from)
		batch := make([]int32, evalBatch*s.MaxLen)
		copy(batch, ids[from*s.MaxLen:(from+count)*s.MaxLen])
		out, err := s.Model.Texts(batch)
		if err != nil {
			return all, nil, err
		}
		all.Append(out, count, evalBatch)
	}
	return all, ids, nil
}

// accept asks whether an image may take part that cannot be decoded.
func (s Subject) accept(skip loader.Skip) error {
	if s.Accept == nil {
		return fmt.Errorf("eval: %w", skip.Err)
	}
	return s.Accept(skip)
}

// Similarities are the cosines of images [images, vectors, dim] with texts [texts, dim], of each image's vectors the largest: [images,
// texts].
func Similarities(images, texts []float32, vectors, dim int) Scores {
	if vectors == 1 {
		return Cosines(images, texts, dim)
	}
	s := NewScores(len(images)/(vectors*dim), len(texts)/dim)
	for i := range s.Rows { // one at a time: all vectors at once would take as many times the space
		each, row := Cosines(images[i*vectors*dim:(i+1)*vectors*dim], texts, dim), s.Row(i)
		copy(row, each.Row(0))
		for v := 1; v < vectors; v++ {
			for t, x := range each.Row(v) {
				row[t] = max(row[t], x)
			}
		}
	}
	return s
}

// Cosines are the dot products of rows of embeddings of a width, [rows, columns].
func Cosines(rows, columns []float32, dim int) Scores {
	s := NewScores(len(rows)/dim, len(columns)/dim)
	for i, x := range multiply(rows, columns, dim, make([]float32, len(s.Data))) {
		s.Data[i] = float64(x)
	}
	return s
}
