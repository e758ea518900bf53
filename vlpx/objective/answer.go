package objective

import . "github.com/gomlx/gomlx/core/graph"

// Answers is the loss of weighted answers to questions: the sum over all answers of a weight times the answer's nats, over the number of
// questions (ALBEF's visual question answering; METHODS.md 15.5).
//
//   - nats: of each answer, [answers], from AnswerNats or DistilledAnswerNats.
//   - weights: such as the share of the people who gave it, 0 for none, [answers].
//
// The result is a scalar in nats.
func Answers(nats, weights *Node, questions int) *Node {
	return DivScalar(ReduceAllSum(Mul(nats, weights)), float64(questions))
}

// AnswerNats is how little the tokens of each answer are expected, summed over the tokens that are predicted (see NextTokens), [answers].
//
//   - ids: answers, padded with zeros, [answers, tokens] (int32).
//   - logits: over the vocabulary at all tokens but the last, [answers, tokens-1, vocabulary].
func AnswerNats(ids, logits *Node) *Node { return Neg(ReduceSum(NextTokens(ids, logits), -1)) }

// DistilledAnswerNats mixes AnswerNats with the cross entropy against the momentum model's predictions of the same tokens: (1-alpha) nats +
// alpha distillation. The teacher's logits, as logits, carry no gradient; alpha is a scalar.
func DistilledAnswerNats(ids, logits, teacher, alpha *Node) *Node {
	soft := ReduceSum(Mul(LogSoftmax(logits, -1), Softmax(StopGradient(teacher), -1)), -1) // [answers, tokens-1]
	predicted := Slice(Predicted(ids, logits), AxisRange(), AxisRange(1))
	return Sub(Mul(OneMinus(alpha), AnswerNats(ids, logits)), Mul(alpha, ReduceSum(Mul(soft, predicted), -1)))
}
