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
// normalised vectors, [batch, candidates]. Either may have several vectors; see Cosines.
func Similarities(anchors, keys, temperature *Node) *Node {
	return Div(Cosines(anchors, keys), temperature)
}

// Cosines are the products of normalised anchors [batch, dim] with keys [candidates, dim], [batch, candidates]. Where one of them has
// several vectors, [batch, vectors, dim], as an image has by BLIP-2's queries, it is the largest of these (METHODS.md 13).
func Cosines(anchors, keys *Node) *Node {
	if keys.Rank() == 3 {
		return Transpose(Cosines(keys, anchors), 0, 1)
	}
	keys.AssertRank(2)
	if anchors.Rank() == 2 {
		return MatMul(anchors, Transpose(keys, 0, 1))
	}
	batch, vectors, dim := anchors.Shape().Dim(0), anchors.Shape().Dim(1), anchors.Shape().Dim(2)
	each := MatMul(Reshape(anchors, batch*vectors, dim), Transpose(keys, 0, 1))
	return ReduceMax(Reshape(each, batch, vectors, keys.Shape().Dim(0)), 1)
}

// Nearest takes of each anchor's vectors [batch, vectors, dim] the one that is most similar to its own key [batch, dim], as grouped
// mini-batches see an image of BLIP-2 (METHODS.md 13): [batch, dim]. Ties go to the lower place.
func Nearest(anchors, keys *Node) *Node {
	cosines := ReduceSum(Mul(anchors, InsertAxes(keys, 1)), -1)
	best := OneHot(ArgMax(cosines, -1), anchors.Shape().Dim(1), anchors.DType())
	return ReduceSum(Mul(anchors, InsertAxes(best, -1)), 1)
}

// Softened mixes targets with softer ones of the same shape: (1-weight) targets + weight soft; weight is a scalar.
func Softened(targets, soft, weight *Node) *Node {
	return Add(Mul(weight, soft), Mul(OneMinus(weight), targets))
}

// Smoothed spreads a share of targets [batch, candidates] evenly over all candidates: label smoothing.
func Smoothed(targets *Node, share float64) *Node {
	return AddScalar(MulScalar(targets, 1-share), share/float64(targets.Shape().Dim(-1)))
}

// OneHotTargets is the target that knows the own pair only: ones on the diagonal of [batch, candidates].
func OneHotTargets(logits *Node) *Node {
	batch, candidates := logits.Shape().Dim(0), logits.Shape().Dim(1)
	own := ConvertDType(Diagonal(logits.Graph(), batch), logits.DType())
	if candidates == batch {
		return own
	}
	return GrowRight(own, 1, candidates-batch, 0)
}
