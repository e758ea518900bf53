package explore

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"vlpx.internal/datasets"
)

// Side says which side of a pair is the anchor.
type Side int

const (
	OfImage Side = iota // the anchor is an image, its negatives are captions
	OfText              // the anchor is a caption, its negatives are images
)

// cosines are those of an anchor with all candidates of the other side: captions, [pairs], or images, [images]. The captions of
// the anchor's own image, and a caption's own image, are its positives: minus infinity.
func (x *Explorer) cosines(anchor int, side Side) []float32 {
	dim, own := x.start.Dim, x.pairs[anchor].Image
	from, candidates, at := x.image, x.text, own
	if side == OfText {
		from, candidates, at = x.text, x.image, anchor
	}
	rows := len(candidates) / dim
	out := blas32.Vector{N: rows, Inc: 1, Data: make([]float32, rows)}
	matrix := blas32.General{Rows: rows, Cols: dim, Stride: dim, Data: candidates}
	blas32.Gemv(blas.NoTrans, 1, matrix, blas32.Vector{N: dim, Inc: 1, Data: from[at*dim : (at+1)*dim]}, 0, out)
	for _, positive := range x.positives(own, side) {
		out.Data[positive] = float32(math.Inf(-1))
	}
	return out.Data
}

// positives are the candidates that belong to an image.
func (x *Explorer) positives(image int, side Side) []int {
	if side == OfText {
		return []int{image}
	}
	own := make([]int, datasets.PairsOf(x.set, image))
	for c := range own {
		own[c] = x.first[image] + c
	}
	return own
}

// nearest are the n most similar candidates, most similar first; of equals the lower one.
func nearest(cosines []float32, n int) []int {
	top := make([]int, 0, n+1)
	for candidate, c := range cosines {
		if math.IsInf(float64(c), -1) || len(top) == n && !(c > cosines[top[n-1]]) {
			continue
		}
		at := len(top)
		for at > 0 && cosines[top[at-1]] < c {
			at--
		}
		top = slices.Insert(top, at, candidate)
		top = top[:min(n, len(top))]
	}
	return top
}

// pairOf is the pair that a candidate stands in: a caption's own, an image's with its first caption.
func (x *Explorer) pairOf(candidate int, side Side) int {
	if side == OfText {
		return x.first[candidate]
	}
	return candidate
}

// meeting is the image and the caption, a pair, of an anchor with another pair as its negative.
func (x *Explorer) meeting(anchor, other int, side Side) (image, caption int) {
	if side == OfText {
		return x.pairs[other].Image, anchor
	}
	return x.pairs[anchor].Image, other
}
