package objective

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// PairwiseSigmoid is SigLIP's loss (METHODS.md 2.1): each image with each text is a question of its own, "is this a pair?", answered by the
// sigmoid of its logit.
//
//   - logits: [batch, batch], images in rows.
//
// The result is the sum over the texts of an image and the mean over images, a scalar in nats.
func PairwiseSigmoid(logits *Node) *Node {
	batch := logits.Shape().Dim(0)
	logits.AssertDims(batch, batch)
	own := Diagonal(logits.Graph(), batch)
	return ReduceAllMean(ReduceSum(SoftPlus(Where(own, Neg(logits), logits)), -1))
}

// SoftPlus is ln(1 + exp x) of each number, without overflow. An engine needs no operation of its own for it.
func SoftPlus(x *Node) *Node {
	both := LogSoftmax(Stack([]*Node{ZerosLike(x), x}, -1), -1)
	first := make([]SliceAxisSpec, both.Rank())
	for axis := range first {
		first[axis] = AxisRange()
	}
	first[both.Rank()-1] = AxisElem(0)
	return Neg(Squeeze(Slice(both, first...), -1))
}
