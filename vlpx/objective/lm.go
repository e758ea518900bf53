package objective

import . "github.com/gomlx/gomlx/core/graph"

// LM is the language modelling loss: the mean cross entropy of the tokens of the whole batch that are predicted (see NextTokens;
// METHODS.md 15.7).
//
//   - ids: texts, [batch, tokens] (int32).
//   - likelihood: of their tokens, [batch, tokens], from NextTokens.
//
// With no token to predict the loss is zero. The result is a scalar in nats.
func LM(ids, likelihood *Node) *Node { return LMBehind(ids, likelihood, 1) }

// LMBehind is LM of texts whose first tokens, so many of each, are a prompt that is not predicted (BLIP-2's second stage, LAVIS blip2_opt.py).
func LMBehind(ids, likelihood *Node, prompt int) *Node {
	behind := GreaterOrEqual(Iota(ids.Graph(), ids.Shape(), 1), Scalar(ids.Graph(), ids.DType(), prompt))
	return Neg(maskedMean(likelihood, Mul(Predicted(ids, likelihood), ConvertDType(behind, likelihood.DType()))))
}

// NextTokens returns the log-likelihood of each token of texts by those before it, in nats, [batch, tokens]; 0 for a token that is not
// predicted: a text's first one and padding.
//
//   - ids: texts, padded with zeros behind their last token, which is none; [batch, tokens] (int32).
//   - logits: over the vocabulary at all tokens but the last, [batch, tokens-1, vocabulary].
func NextTokens(ids, logits *Node) *Node {
	batch, tokens := ids.Shape().Dim(0), ids.Shape().Dim(1)
	logits.AssertDims(batch, tokens-1, -1)
	likelihood := logLikelihood(logits, Slice(ids, AxisRange(), AxisRange(1)))
	return Mul(GrowLeft(likelihood, 1, 1, 0), Predicted(ids, logits))
}

// Predicted marks the tokens of texts that a language model predicts, all but the first of each and its padding: 1 or 0 in the type of
// like, [batch, tokens].
func Predicted(ids, like *Node) *Node {
	places := Iota(ids.Graph(), ids.Shape(), 1)
	last := ReduceAndKeep(Where(NotEqual(ids, ZerosLike(ids)), places, ZerosLike(places)), ReduceMax, 1)
	within := LogicalAnd(LessOrEqual(places, BroadcastToShape(last, ids.Shape())), GreaterThan(places, ZerosLike(places)))
	return ConvertDType(within, like.DType())
}
