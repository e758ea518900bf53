package objective

import . "github.com/gomlx/gomlx/core/graph"

// Triplet is the loss of matching scores that TAGS-DC trains with (Fan et al., 2022, equation 4; METHODS.md 12.4): the mean over the
// negatives of what a negative's score, plus a margin, is above its positive's. A score is the sigmoid of a logit.
//
//   - positives: logits of the anchors' positives, [anchors].
//   - negatives: logits, [anchors, negatives].
//   - counts: 1 for a negative that counts and 0 for a row to spare, [anchors, negatives]; nil where all count.
//
// Without a negative that counts it is zero. The result is a scalar.
func Triplet(positives, negatives, counts *Node, margin float64) *Node {
	negatives.AssertDims(positives.Shape().Dim(0), -1)
	above := MaxScalar(AddScalar(Sub(Sigmoid(negatives), InsertAxes(Sigmoid(positives), -1)), margin), 0)
	if counts == nil {
		return ReduceAllMean(above)
	}
	return maskedMean(above, ConvertDType(counts, above.DType()))
}
