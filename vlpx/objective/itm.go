package objective

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ITM is the image-text matching loss: the mean cross entropy of two-way logits.
//
//   - logits: [pairs, 2], the second for "the text is true of the image".
//   - labels: 1 matched, 0 not, [pairs] of any type.
//   - weights: of the pairs in the mean, [pairs]; nil where all weigh the same.
//
// The result is a scalar in nats (METHODS.md 1.5).
func ITM(logits, labels, weights *Node) *Node {
	logits.AssertDims(-1, 2)
	targets := OneHot(ConvertDType(labels, dtypes.Int32), 2, logits.DType())
	if weights == nil {
		return CrossEntropy(logits, targets)
	}
	weights = ConvertDType(weights, logits.DType())
	each := Neg(ReduceSum(Mul(targets, LogSoftmax(logits, -1)), -1))
	return Div(ReduceAllSum(Mul(weights, each)), ReduceAllSum(weights))
}

// QueryMean is the mean of ITM's logits of an image's queries with a text, [pairs, queries, 2] to [pairs, 2] (METHODS.md 13).
func QueryMean(logits *Node) *Node {
	logits.AssertDims(-1, -1, 2)
	return ReduceMean(logits, 1)
}

// MaskDiagonal replaces the diagonal of [batch, batch] logits by minus infinity in effect, so that the own pair is never
// picked as a negative.
func MaskDiagonal(logits *Node) *Node {
	batch := logits.Shape().Dim(0)
	logits.AssertDims(batch, batch)
	return Where(Diagonal(logits.Graph(), batch), ConstAs(logits, -1e30), logits)
}
