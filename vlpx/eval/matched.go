package eval

import (
	"context"
	"errors"
	"math"
	"slices"

	"vlpx.internal/datasets/loader"
)

// matchedAt bounds the images, and the texts, whose states are in memory at once.
const matchedAt = 4 * evalBatch

// Matching is image-text matching's probability that each pair of an image of the set and one of some texts matches, in their order; of a
// framework that scores pairs without an embedding the logistic function of its score. Memory does not grow with the number of pairs, and
// least is encoded twice where pairs come by ascending image.
func (s Subject) Matching(ctx context.Context, texts []string, pairs []ImageText) ([]float64, error) {
	if !s.Model.Scores() {
		return inParts(texts, pairs, func(images []int, texts []string, pairs []ImageText) ([]float64, error) {
			e := &Encodings{}
			if err := s.encode(ctx, e, images, texts); err != nil {
				return nil, err
			}
			return s.match(ctx, s.Model.Probabilities, e, pairs)
		})
	}
	all, err := s.Reranking(ctx, texts, pairs)
	for k, score := range all {
		all[k] = probability(score)
	}
	return all, err
}

// Reranking is the score by which retrieval ranks pairs again, of pairs as for [Subject.Matching]: matching's logit of "match", with the
// pair's similarity where the framework adds it (see [Adding]); of a framework that scores pairs without an embedding its score.
func (s Subject) Reranking(ctx context.Context, texts []string, pairs []ImageText) ([]float64, error) {
	return inParts(texts, pairs, func(images []int, texts []string, pairs []ImageText) ([]float64, error) {
		if s.Model.Scores() {
			return s.scored(ctx, images, texts, pairs)
		}
		e := &Encodings{}
		if err := s.encode(ctx, e, images, texts); err != nil {
			return nil, err
		}
		return s.rerank(ctx, e, e.Similarities())(pairs)
	})
}

// inParts scores pairs by parts of few images and texts, to which the pairs of a part refer by their places.
func inParts(texts []string, pairs []ImageText, score func(images []int, texts []string, pairs []ImageText) ([]float64, error)) (
	all []float64, err error) {
	for len(pairs) > 0 {
		images, shown := map[int]int{}, []int{} // places of images, and of texts, among those that are encoded
		words, worded := map[int]int{}, []string{}
		var batch []ImageText
		for _, p := range pairs {
			image, knownImage := images[p.Image]
			word, knownWord := words[p.Text]
			if !knownImage && len(shown) == matchedAt || !knownWord && len(worded) == matchedAt {
				break
			}
			if !knownImage {
				image = len(shown)
				images[p.Image], shown = image, append(shown, p.Image)
			}
			if !knownWord {
				word = len(worded)
				words[p.Text], worded = word, append(worded, texts[p.Text])
			}
			batch = append(batch, ImageText{image, word})
		}
		scores, err := score(shown, worded, batch)
		if err != nil {
			return nil, err
		}
		all, pairs = append(all, scores...), pairs[len(batch):]
	}
	if slices.ContainsFunc(all, math.IsNaN) {
		return nil, errors.New("eval: matching: a score is NaN; the model that gave it has diverged")
	}
	return all, nil
}

// Embeddings are those of all images of the set, [images, vectors, dim], and of texts, [texts, dim]. What [Subject.Matching] reads of them
// is not kept.
func (s Subject) Embeddings(ctx context.Context, texts []string) (images, ofTexts []float32, err error) {
	err = s.forward(ctx, func(pixels []float32, count int) error {
		out, err := s.Model.Images(pixels)
		images = append(images, out.Features[:len(out.Features)/evalBatch*count]...)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for some := range slices.Chunk(texts, matchedAt) {
		encoded, _, err := s.Texts(ctx, some)
		if err != nil {
			return nil, nil, err
		}
		ofTexts = append(ofTexts, encoded.Features...)
	}
	return images, ofTexts, nil
}

// scored are the scores of pairs by a framework that embeds nothing.
func (s Subject) scored(ctx context.Context, images []int, texts []string, pairs []ImageText) (all []float64, err error) {
	pixels, skipped, err := loader.Images(ctx, s.Set, images, s.Size, s.Features)
	if err != nil {
		return nil, err
	}
	for _, skip := range skipped {
		if err := s.accept(skip); err != nil {
			return nil, err
		}
	}
	size := len(pixels) / len(images)
	some, ids := make([]float32, scoreBatch*size), make([]int32, scoreBatch*s.MaxLen)
	for from := 0; from < len(pairs); from += scoreBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch := pairs[from:min(from+scoreBatch, len(pairs))]
		for k, p := range batch {
			copy(some[k*size:(k+1)*size], pixels[p.Image*size:])
			copy(ids[k*s.MaxLen:(k+1)*s.MaxLen], s.Tokenizer.EncodeCaption(texts[p.Text], s.MaxLen))
		}
		logits, err := s.Model.Score(ids, some)
		if err != nil {
			return nil, err
		}
		for _, x := range logits[:len(batch)] {
			all = append(all, float64(x))
		}
	}
	return all, nil
}
