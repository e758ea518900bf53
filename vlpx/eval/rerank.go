package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Unscored is the score of a pair that re-ranking leaves out (ALBEF Retrieval.py fills the matrix with it).
const Unscored = -100

// ImageText is an image with a candidate caption, both by index.
type ImageText struct{ Image, Text int }

// Reranked are the scores of some candidates of each query; others are [Unscored].
type Reranked struct {
	cols       int
	candidates [][]int32   // of each query, ascending
	scores     [][]float64 // theirs
	row        []float64   // scratch
}

// newReranked has no scores yet.
func newReranked(candidates [][]int32, cols int) *Reranked {
	r := &Reranked{cols: cols, candidates: candidates, scores: make([][]float64, len(candidates)), row: make([]float64, cols)}
	for q, of := range candidates {
		r.scores[q] = make([]float64, 0, len(of))
	}
	return r
}

// add gives query q's next candidate its score, if c is that.
func (r *Reranked) add(q, c int, score float64) {
	if next := len(r.scores[q]); next < len(r.candidates[q]) && int(r.candidates[q][next]) == c {
		r.scores[q] = append(r.scores[q], score)
	}
}

// Shape implements Rows.
func (r *Reranked) Shape() (rows, cols int) { return len(r.candidates), r.cols }

// Row implements Rows.
func (r *Reranked) Row(i int) []float64 {
	for c := range r.row {
		r.row[c] = Unscored
	}
	for k, c := range r.candidates[i] {
		r.row[c] = r.scores[i][k]
	}
	return r.row
}

// check implements Rows. Scores that are NaN were refused.
func (r *Reranked) check(name string, rows, cols int) error {
	if len(r.candidates) != rows || r.cols != cols {
		return fmt.Errorf("eval: %s is [%d, %d], want [%d, %d]", name, len(r.candidates), r.cols, rows, cols)
	}
	return nil
}

// Rerank replaces cosine similarities by the scores of image-text matching on the nearest candidates (METHODS.md 15.2): for
// each image its k nearest captions and, independently, for each caption its k nearest images; all other pairs get [Unscored].
//
//   - i2t, t2i: cosine similarities [images, captions], and transposed.
//   - k: candidates of a query; more than there are means all. Equal similarities are taken in index order.
//   - score: raw logits of "match" for the pairs, in their order. It is called once with the pairs of both directions, each
//     pair once, by image and then by caption, and is free to split them into batches.
//
// The results are the i2t [images, captions] and t2i [captions, images] of [Recall].
func Rerank(i2t, t2i Rows, k int, score func(pairs []ImageText) ([]float64, error)) (ofImages, ofCaptions *Reranked, err error) {
	fail := func(err error) (*Reranked, *Reranked, error) { return nil, nil, err }
	images, captions := i2t.Shape()
	if k < 1 {
		return fail(fmt.Errorf("eval: re-ranking %d candidates a query; want at least 1", k))
	}
	if images == 0 || captions == 0 {
		return fail(errors.New("eval: no pairs to re-rank"))
	}
	if err := errors.Join(i2t.check("similarities", images, captions), t2i.check("transposed similarities", captions, images)); err != nil {
		return fail(err)
	}
	ofImages, ofCaptions = newReranked(nearest(i2t, k), captions), newReranked(nearest(t2i, k), images)
	asked := make([][]int32, images) // the captions of each image, of both directions
	for i, of := range ofImages.candidates {
		asked[i] = slices.Clone(of)
	}
	for t, of := range ofCaptions.candidates {
		for _, i := range of {
			asked[i] = append(asked[i], int32(t))
		}
	}
	var pairs []ImageText
	for i, of := range asked {
		slices.Sort(of)
		for _, t := range slices.Compact(of) {
			pairs = append(pairs, ImageText{i, int(t)})
		}
	}
	logits, err := score(pairs)
	if err != nil {
		return fail(fmt.Errorf("eval: re-ranking: %w", err))
	}
	if len(logits) != len(pairs) {
		return fail(fmt.Errorf("eval: re-ranking: %d logits for %d pairs", len(logits), len(pairs)))
	}
	for p, pair := range pairs {
		if math.IsNaN(logits[p]) {
			return fail(fmt.Errorf("eval: re-ranking: logit of image %d and caption %d is NaN; the model that gave it has diverged",
				pair.Image, pair.Text))
		}
		ofImages.add(pair.Image, pair.Text, logits[p])
		ofCaptions.add(pair.Text, pair.Image, logits[p])
	}
	return ofImages, ofCaptions, nil
}

// Adding is a score for [Rerank] that adds the similarities [images, captions] of pairs to what another gives them, as BLIP-2 does
// (METHODS.md 13).
func Adding(sims Rows, score func(pairs []ImageText) ([]float64, error)) func(pairs []ImageText) ([]float64, error) {
	return func(pairs []ImageText) ([]float64, error) {
		scores, err := score(pairs)
		if err != nil {
			return nil, err
		}
		for p, x := range scoresOf(sims, pairs[:len(scores)]) {
			scores[p] += x
		}
		return scores, nil
	}
}

// nearest are the k highest scores of each row, by ascending column.
func nearest(s Rows, k int) [][]int32 {
	rows, cols := s.Shape()
	chosen := make([][]int32, rows)
	top := make([]int32, 0, min(k, cols)+1) // columns of the row's highest scores so far, descending
	for i := range chosen {
		row := s.Row(i)
		top = top[:0]
		for c, v := range row {
			if len(top) == k && v <= row[top[k-1]] {
				continue
			}
			top = append(top, int32(c))
			at := len(top) - 1
			for ; at > 0 && row[top[at-1]] < v; at-- {
				top[at] = top[at-1]
			}
			top[at] = int32(c)
			top = top[:min(len(top), k)]
		}
		chosen[i] = slices.Clone(top)
		slices.Sort(chosen[i])
	}
	return chosen
}
