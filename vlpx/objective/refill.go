package objective

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// RefillProbabilities is the distribution that masked words are refilled from (Fan et al., 2022, equation 2; METHODS.md 12.2), for logits
// [rows, tokens, vocabulary], of the same shape.
func RefillProbabilities(logits *Node, temperature float64) *Node {
	return Softmax(DivScalar(StopGradient(logits), temperature), -1)
}

// DrawWords draws words by uniform numbers: the first word up to which the probabilities sum to more than the number.
//
//   - probabilities: [rows, tokens, vocabulary].
//   - uniforms: in [0, 1), [rows, draws, tokens].
//
// The result is of the shape of uniforms, int32.
func DrawWords(probabilities, uniforms *Node) *Node {
	sums := CumSum(probabilities, -1)
	draws, vocab := uniforms.Shape().Dim(1), probabilities.Shape().Dim(-1)
	drawn := make([]*Node, draws) // one at a time, since all at once would take vocabulary times as much memory
	for k := range drawn {
		u := Squeeze(Slice(uniforms, AxisRange(), AxisRange(k, k+1)), 1)
		below := ConvertDType(LessOrEqual(sums, BroadcastToDims(InsertAxes(u, -1), sums.Shape().Dimensions...)), dtypes.Int32)
		drawn[k] = MinScalar(ReduceSum(below, -1), vocab-1)
	}
	return Stack(drawn, 1)
}

// Refilled puts words into the masked positions of masked captions and leaves the others as they are (METHODS.md 12.2).
//
//   - masked, labels: see MaskedPhrases, [rows, tokens] int32.
//   - words: [rows, draws, tokens] int32.
//
// The result is of the shape of words.
func Refilled(masked, labels, words *Node) *Node {
	over := func(x *Node) *Node { return BroadcastToDims(InsertAxes(x, 1), words.Shape().Dimensions...) }
	return Where(over(GreaterOrEqual(labels, ZerosLike(labels))), words, over(masked))
}
