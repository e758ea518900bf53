package objective

import . "github.com/gomlx/gomlx/core/graph"

// CrossEntropy returns the mean cross entropy between soft targets and logits, one row an anchor (METHODS.md, notation).
//
//   - logits: similarities over temperature, [batch, candidates].
//   - targets: weights over the candidates, [batch, candidates]; rows need not sum to one.
//
// The result is a scalar in nats.
func CrossEntropy(logits, targets *Node) *Node {
	logits.AssertRank(2)
	targets.AssertDims(logits.Shape().Dimensions...)
	return Neg(ReduceAllMean(ReduceSum(Mul(targets, LogSoftmax(logits, -1)), -1)))
}

// ITC is the image-text contrastive loss: the mean of the cross entropies of the image anchors' and the text anchors'
// logits, each [batch, candidates] with targets of the same shape.
func ITC(i2t, t2i, i2tTargets, t2iTargets *Node) *Node {
	return MulScalar(Add(CrossEntropy(i2t, i2tTargets), CrossEntropy(t2i, t2iTargets)), 0.5)
}

// Similarities returns the logits of anchors [batch, dim] against keys [candidates, dim]: cosines over temperature for
// normalised vectors, [batch, candidates].
func Similarities(anchors, keys, temperature *Node) *Node {
	return Div(MatMul(anchors, Transpose(keys, 0, 1)), temperature)
}

// Softened mixes targets with softer ones of the same shape: (1-weight) targets + weight soft; weight is a scalar.
func Softened(targets, soft, weight *Node) *Node {
	return Add(Mul(weight, soft), Mul(OneMinus(weight), targets))
}

// Own is the target that knows the own pair only: ones on the diagonal of [batch, candidates].
func Own(logits *Node) *Node {
	batch, candidates := logits.Shape().Dim(0), logits.Shape().Dim(1)
	own := ConvertDType(Diagonal(logits.Graph(), batch), logits.DType())
	if candidates == batch {
		return own
	}
	return GrowRight(own, 1, candidates-batch, 0)
}
