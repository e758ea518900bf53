package objective

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Debiased is the debiased contrastive loss of anchors (Chuang et al., 2020, equation 8; METHODS.md 2.2): of the negatives' exponentials is
// taken away what false ones among them are expected to add.
//
//   - own: the similarity over temperature to the anchor's own candidate, [anchors].
//   - logits: similarities over temperature to all candidates, [anchors, candidates].
//   - negative: which candidates are negatives, bool, as logits.
//   - temperature: a scalar.
//   - prior: the probability of a negative to be a false one, tau+, from 0 to below 1.
//
// The results are the loss in nats and the logarithm of the estimate N_g, [anchors], and whether N_g is at its least value, bool. An anchor
// without negatives has a loss of 0.
func Debiased(own, logits, negative, temperature *Node, prior float64) (loss, estimate, clamped *Node) {
	logits = Where(negative, logits, ConstAs(logits, -1e30))
	largest := StopGradient(Max(own, ReduceMax(logits, -1))) // exponents are relative to it
	count := ReduceSum(ConvertDType(negative, logits.DType()), -1)
	sum := ReduceSum(Exp(Sub(logits, InsertAxes(largest, -1))), -1)
	least := Sub(Sub(Log(MaxScalar(count, 1)), Inverse(temperature)), largest) // a logarithm
	corrected := DivScalar(Sub(sum, MulScalar(Mul(count, Exp(Sub(own, largest))), prior)), 1-prior)
	clamped = LessOrEqual(corrected, Exp(least))
	// Where it is clamped the logarithm has another argument, so that no gradient is of its value.
	estimate = Add(Where(clamped, least, Log(Where(clamped, OnesLike(corrected), corrected))), largest)
	loss = SoftPlus(Sub(estimate, own))
	return Where(GreaterThan(count, ZerosLike(count)), loss, ZerosLike(loss)), estimate, clamped
}
