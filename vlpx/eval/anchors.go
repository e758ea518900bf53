package eval

import (
	"context"
	"fmt"
	"math"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// side are anchors, each with the others that it has negatives among: sample i is anchor i's own.
type side struct {
	name            string
	anchors, others []float32 // embeddings, [samples, dim]
	dim             int
	learned         []float32 // [samples]; nil where the method learns none
}

// sides are those of a training split by a model: of images with images, or of pairs in both directions.
func (s Subject) sides(ctx context.Context) ([]*side, error) {
	if _, embeds := s.Model.Framework().(framework.Embeds); !embeds {
		images, err := s.Images(ctx)
		if err != nil {
			return nil, err
		}
		return checked(s.Set, &side{name: negative.ImageAnchors, anchors: images.Features, others: images.Features,
			dim: len(images.Features) / s.Set.Len()})
	}
	if err := captioned("thresholds of pairs", s.Set); err != nil {
		return nil, err
	}
	if s.Model.Vectors() > 1 {
		return nil, fmt.Errorf("eval: thresholds of pairs by %s, whose images have several vectors; take a framework with one an image",
			s.Model.Framework().Name())
	}
	e, err := s.Encode(ctx)
	if err != nil {
		return nil, err
	}
	images := make([]float32, 0, len(e.texts.Features))
	for _, i := range e.captionImage {
		images = append(images, e.images.Features[i*e.dim:(i+1)*e.dim]...)
	}
	return checked(s.Set, &side{name: negative.ImageAnchors, anchors: images, others: e.texts.Features, dim: e.dim},
		&side{name: negative.TextAnchors, anchors: e.texts.Features, others: images, dim: e.dim})
}

// checked tells of sides that have no negatives, or no numbers.
func checked(set datasets.Set, sides ...*side) ([]*side, error) {
	for _, s := range sides {
		if n := len(s.anchors) / s.dim; n < 2 {
			return nil, fmt.Errorf("eval: thresholds among %d samples of %s; an anchor needs others", n, set.Name())
		}
		for at, x := range s.anchors {
			if math.IsNaN(float64(x)) {
				return nil, fmt.Errorf("eval: the embedding of %s %d of %s has NaN; the model that gave it has diverged", s.name,
					at/s.dim, set.Name())
			}
		}
	}
	return sides, nil
}

// learn reads the thresholds that a method kept; it may have kept none.
func (s *side) learn(state func(string) ([]float32, bool, error)) error {
	if state == nil {
		return nil
	}
	kept, there, err := state(negative.ThresholdPath(s.name))
	if err != nil || !there {
		return err
	}
	n := len(s.anchors) / s.dim
	if len(kept) == 1 {
		for len(kept) < n {
			kept = append(kept, kept[0])
		}
	}
	if len(kept) != n {
		return fmt.Errorf("eval: the method keeps %d thresholds of %ss; the training split has %d", len(kept), s.name, n)
	}
	s.learned = kept
	return nil
}

// gather are some rows of a matrix of a width.
func gather(x []float32, rows []int, width int) []float32 {
	some := make([]float32, 0, len(rows)*width)
	for _, i := range rows {
		some = append(some, x[i*width:(i+1)*width]...)
	}
	return some
}
