package eval

import (
	"errors"
	"fmt"
	"math"
)

// Unscored is the score of a pair that re-ranking leaves out (ALBEF Retrieval.py fills the matrix with it).
const Unscored = -100

// ImageText is an image with a candidate caption, both by index.
type ImageText struct{ Image, Text int }

// Rerank replaces cosine similarities by the scores of image-text matching on the nearest candidates (METHODS.md 15.2): for
// each image its k nearest captions and, independently, for each caption its k nearest images; all other pairs get [Unscored].
//
//   - sims: cosine similarities [images, captions].
//   - k: candidates of a query; more than there are means all. Equal similarities are taken in index order.
//   - score: raw logits of "match" for the pairs, in their order. It is called once with the pairs of both directions, each
//     pair once, by image and then by caption, and is free to split them into batches.
//
// The results are the i2t [images, captions] and t2i [captions, images] of [Recall].
func Rerank(sims Scores, k int, score func(pairs []ImageText) ([]float64, error)) (i2t, t2i Scores, err error) {
	fail := func(err error) (Scores, Scores, error) { return Scores{}, Scores{}, err }
	if k < 1 {
		return fail(fmt.Errorf("eval: re-ranking %d candidates a query; want at least 1", k))
	}
	if sims.Rows == 0 || sims.Cols == 0 {
		return fail(errors.New("eval: no pairs to re-rank"))
	}
	if err := sims.check("similarities", sims.Rows, sims.Cols); err != nil {
		return fail(err)
	}
	ofImage, ofCaption := nearest(sims, k), nearest(sims.Transpose(), k)
	var pairs []ImageText
	for i := range sims.Rows {
		for t := range sims.Cols {
			if ofImage[i*sims.Cols+t] || ofCaption[t*sims.Rows+i] {
				pairs = append(pairs, ImageText{i, t})
			}
		}
	}
	logits, err := score(pairs)
	if err != nil {
		return fail(fmt.Errorf("eval: re-ranking: %w", err))
	}
	if len(logits) != len(pairs) {
		return fail(fmt.Errorf("eval: re-ranking: %d logits for %d pairs", len(logits), len(pairs)))
	}

	i2t, t2i = unscored(sims.Rows, sims.Cols), unscored(sims.Cols, sims.Rows)
	for p, pair := range pairs {
		if math.IsNaN(logits[p]) {
			return fail(fmt.Errorf("eval: re-ranking: logit of image %d and caption %d is NaN; the model that gave it has diverged", pair.Image, pair.Text))
		}
		if cell := pair.Image*sims.Cols + pair.Text; ofImage[cell] {
			i2t.Data[cell] = logits[p]
		}
		if cell := pair.Text*sims.Rows + pair.Image; ofCaption[cell] {
			t2i.Data[cell] = logits[p]
		}
	}
	return i2t, t2i, nil
}

// Adding is a score for [Rerank] that adds the similarities [images, captions] of pairs to what another gives them, as BLIP-2 does
// (METHODS.md 13).
func Adding(sims Scores, score func(pairs []ImageText) ([]float64, error)) func(pairs []ImageText) ([]float64, error) {
	return func(pairs []ImageText) ([]float64, error) {
		scores, err := score(pairs)
		for p := range scores {
			scores[p] += sims.Row(pairs[p].Image)[pairs[p].Text]
		}
		return scores, err
	}
}

// nearest marks the k highest scores of each row.
func nearest(s Scores, k int) []bool {
	chosen := make([]bool, len(s.Data))
	top := make([]int, 0, min(k, s.Cols)+1) // columns of the row's highest scores so far, descending
	for i := range s.Rows {
		row := s.Row(i)
		top = top[:0]
		for c, v := range row {
			if len(top) == k && v <= row[top[k-1]] {
				continue
			}
			top = append(top, c)
			at := len(top) - 1
			for ; at > 0 && row[top[at-1]] < v; at-- {
				top[at] = top[at-1]
			}
			top[at] = c
			top = top[:min(len(top), k)]
		}
		for _, c := range top {
			chosen[i*s.Cols+c] = true
		}
	}
	return chosen
}

func unscored(rows, cols int) Scores {
	s := NewScores(rows, cols)
	for i := range s.Data {
		s.Data[i] = Unscored
	}
	return s
}
