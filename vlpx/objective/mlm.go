package objective

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Ignored is the label of a position that MLM does not predict.
const Ignored = -100

// MLM is the masked language modelling loss: the mean cross entropy over the masked positions of the whole batch
// (METHODS.md 1.6).
//
//   - logits: over the vocabulary, [batch, tokens, vocabulary].
//   - labels: the original ids, Ignored where not masked, [batch, tokens] of an integer type.
//
// With no position masked the loss is zero. The result is a scalar in nats.
func MLM(logits, labels *Node) *Node {
	masked := ConvertDType(GreaterOrEqual(labels, ScalarZero(labels.Graph(), labels.DType())), logits.DType())
	ids := ConvertDType(MaxScalar(labels, 0), dtypes.Int32)
	return Neg(maskedMean(logLikelihood(logits, ids), masked))
}

// DistilledMLM mixes MLM with the cross entropy against the momentum model's predictions on the same masked ids:
// (1-alpha) MLM + alpha distillation. The teacher's logits carry no gradient; alpha is a scalar.
func DistilledMLM(logits, labels, teacher, alpha *Node) *Node {
	masked := ConvertDType(GreaterOrEqual(labels, ScalarZero(labels.Graph(), labels.DType())), logits.DType())
	ll := ReduceSum(Mul(LogSoftmax(logits, -1), Softmax(StopGradient(teacher), -1)), -1)
	return Sub(Mul(OneMinus(alpha), MLM(logits, labels)), Mul(alpha, maskedMean(ll, masked)))
}

// logLikelihood is that of ids [batch, tokens] by logits [batch, tokens, vocabulary], in nats, [batch, tokens].
func logLikelihood(logits, ids *Node) *Node {
	return ReduceSum(Mul(LogSoftmax(logits, -1), OneHot(ids, logits.Shape().Dim(-1), logits.DType())), -1)
}

func maskedMean(x, mask *Node) *Node {
	return Div(ReduceAllSum(Mul(x, mask)), MaxScalar(ReduceAllSum(mask), 1))
}
