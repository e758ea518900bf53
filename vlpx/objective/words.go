package objective

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// MatchedWord is the weight of a word that was not replaced in word discrimination, where a replaced one weighs 1. It is the published
// code's, of which the paper does not tell (METHODS.md 12.4).
const MatchedWord = 0.11

// leastProbability bounds what a logarithm is taken of, as in the published code.
const leastProbability = 1e-10

// WordDiscrimination is TAGS-DC's loss of telling which words of a written sentence are the original ones (Fan et al., 2022, equation 8):
// the mean over all tokens of the weighted cross entropy, divided by their number, not by the sum of the weights (METHODS.md 12.4).
//
//   - logits: of "replaced" and "original", [rows, tokens, 2].
//   - original: 1 where the token is the caption's own, else 0, [rows, tokens] of an integer type.
//   - counts: 1 for a token that counts, 0 for padding and rows to spare, [rows, tokens]; nil where all count.
//
// The result is a scalar in nats.
func WordDiscrimination(logits, original, counts *Node) *Node {
	logits.AssertDims(-1, -1, 2)
	own := ConvertDType(original, logits.DType())
	weights := AddScalar(MulScalar(own, MatchedWord-1), 1)
	each := Mul(weights, unlikely(logits, original))
	if counts == nil {
		return ReduceAllMean(each)
	}
	return maskedMean(each, ConvertDType(counts, logits.DType()))
}

// WordCorrection is TAGS-DC's loss of telling the original words of a written sentence (Fan et al., 2022, equation 9): the mean cross
// entropy at the positions that were masked, also where the refilled word is the original one, as in the published code; the equation reads
// as if all tokens counted (METHODS.md 12.4).
//
//   - logits: over the vocabulary, [rows, tokens, vocabulary].
//   - labels: the original ids, Ignored where not masked, [rows, tokens] of an integer type.
//
// With no position masked it is zero. The result is a scalar in nats.
func WordCorrection(logits, labels *Node) *Node {
	masked := ConvertDType(GreaterOrEqual(labels, ZerosLike(labels)), logits.DType())
	return maskedMean(unlikely(logits, MaxScalar(labels, 0)), masked)
}

// unlikely is minus the logarithm of the probability of each label, [rows, tokens].
func unlikely(logits, labels *Node) *Node {
	of := OneHot(ConvertDType(labels, dtypes.Int32), logits.Shape().Dim(-1), logits.DType())
	return Neg(Log(MaxScalar(ReduceSum(Mul(of, Softmax(logits, -1)), -1), leastProbability)))
}
