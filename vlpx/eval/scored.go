package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"

	"vlpx.internal/datasets"
)

const (
	// scoreBatch is the number of pairs in one forward pass of a framework that scores pairs.
	scoreBatch = 256
	// briefImages is how many images of a split, the first ones, retrieval by scores takes in brief: with five captions each 20,480 pairs,
	// some seconds at the scale mini, where its 200 images have 200,000.
	briefImages = evalBatch
)

// byScores measures retrieval by the scores of all pairs, in both directions, and how well these tell judged pairs apart.
func (r Retrieval) byScores(ctx context.Context, on Subject) (Measured, error) {
	if on.Brief {
		on.Set = datasets.First(on.Set, briefImages, 0)
	}
	scores, captionImage, err := on.scores(ctx)
	if err != nil {
		return Measured{}, err
	}
	t2i := scores.Transpose()
	result, items, err := on.measure(scores, t2i, captionImage)
	if err != nil || on.Brief {
		return Measured{Metrics: result}, err
	}
	if related, ok := on.Set.(datasets.Related); ok {
		judged, err := SampleJudged(on.Set.Len(), captionImage, related.Relation(), judgedEach).Matching(probabilities(scores))
		if err != nil {
			return Measured{}, err
		}
		maps.Copy(result, judged)
	}
	return retrieved(result, FirstImages(nil, t2i, captionImage), items), nil
}

// probabilities are the sigmoids of the scores [images, captions] of pairs, UNITER's and TAGS-DC's s (METHODS.md 12).
func probabilities(scores Scores) func([]ImageText) ([]float64, error) {
	return func(pairs []ImageText) (of []float64, err error) {
		for _, p := range pairs {
			of = append(of, probability(scores.Row(p.Image)[p.Text]))
		}
		return of, nil
	}
}

// probability is that of a score, its logistic function.
func probability(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// scores are those of all images with all captions, [images, captions], and the image of each caption. Captions of the same tokens are
// scored once.
func (s Subject) scores(ctx context.Context) (Scores, []int, error) {
	if s.Tokenizer == nil {
		return Scores{}, nil, errors.New("eval: scores of pairs without a vocabulary; give Subject.Tokenizer")
	}
	var captionImage, text []int // of each caption: its image, and its place among the distinct ones
	var ids []int32              // [distinct, MaxLen]
	places := map[string]int{}
	for _, p := range datasets.Pairs(s.Set) {
		tokens := s.Tokenizer.EncodeCaption(p.Text(s.Set), s.MaxLen)
		key := fmt.Sprint(tokens)
		place, known := places[key]
		if !known {
			place = len(places)
			places[key], ids = place, append(ids, tokens...)
		}
		captionImage, text = append(captionImage, p.Image), append(text, place)
	}
	scores, image := NewScores(s.Set.Len(), len(text)), 0
	err := s.forward(ctx, func(images []float32, count int) error {
		all, err := s.scoreAll(ctx, images, count, ids)
		if err != nil {
			return err
		}
		for i := range count {
			row := scores.Row(image + i)
			for t, place := range text {
				row[t] = float64(all[i*len(places)+place])
			}
		}
		image += count
		return nil
	})
	return scores, captionImage, err
}

// scoreAll scores the first count of a batch of evalBatch images with all captions by their ids, [count, captions].
func (s Subject) scoreAll(ctx context.Context, images []float32, count int, ids []int32) ([]float32, error) {
	size, captions := len(images)/evalBatch, len(ids)/s.MaxLen
	pairs := count * captions
	all := make([]float32, 0, pairs)
	some, tokens := make([]float32, scoreBatch*size), make([]int32, scoreBatch*s.MaxLen)
	for from := 0; from < pairs; from += scoreBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := range scoreBatch {
			pair := min(from+k, pairs-1) // the last batch repeats its last pair: one compiled shape serves all
			image, text := pair/captions, pair%captions
			copy(some[k*size:(k+1)*size], images[image*size:])
			copy(tokens[k*s.MaxLen:(k+1)*s.MaxLen], ids[text*s.MaxLen:])
		}
		out, err := s.Model.Score(tokens, some)
		if err != nil {
			return nil, err
		}
		all = append(all, out[:min(scoreBatch, pairs-from)]...)
	}
	return all, nil
}
