package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Cancellation is FNC's LeftOut: of an image's candidates, all views of all images of the mini-batch, the TopK most similar ones whose
// similarity is above Threshold (Huynh et al., 2022; METHODS.md 11). A candidate's similarity to an image is the largest of those to the
// image's views, as published; GloFND's description says their mean. With Method.Attract and InfoNCE it is FNC's attraction, without it
// its elimination.
type Cancellation struct {
	TopK      int     // candidates an image, 10 in the published code
	Threshold float64 // cosine, 0.7 in the published code; -1 for none
	Mean      bool    `json:",omitempty"` // the mean over the image's views instead of the largest
	Use       float64 `json:",omitempty"` // epoch from which it is used
}

// Validate reports which value is out of its range.
func (c Cancellation) Validate() error {
	if c.TopK < 1 || !(c.Threshold >= -1 && c.Threshold <= 1) || c.Use < 0 {
		return fmt.Errorf("negative: the %d most similar candidates above a cosine of %g from epoch %g; take at least 1, a cosine in "+
			"[-1, 1], and an epoch from 0",
			c.TopK, c.Threshold, c.Use)
	}
	return nil
}

// Find implements LeftOut.
func (c Cancellation) Find(a Anchors, s Sight) *Node {
	score := ReduceMax(a.Cosines, 1)
	if c.Mean {
		score = ReduceMean(a.Cosines, 1)
	}
	negative := Squeeze(Slice(a.Negative, AxisRange(), AxisElem(0)), 1) // the same for all views
	score = Where(negative, score, ConstAs(score, -1e9))
	k := min(c.TopK, score.Shape().Dim(1))
	least := BroadcastToDims(InsertAxes(atPlace(score, k-1), -1), score.Shape().Dimensions...)
	found := LogicalAnd(GreaterOrEqual(score, least), GreaterThan(score, ConstAs(score, c.Threshold)))
	return s.From(c.Use, BroadcastToDims(InsertAxes(found, 1), a.Cosines.Shape().Dimensions...))
}
