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

// LMBehind is LM of texts whose first tokens, so many of each, are a prompt that is not predicted (BLIP-2's second stage, LAVIS
// blip2_opt.py). With 0 of them the first token is predicted, too, by what stands in front of the text.
func LMBehind(ids, likelihood *Node, prompt int) *Node {
	return Neg(maskedMean(likelihood, from(prompt, ids, likelihood)))
}

// NextTokens returns the log-likelihood of each token of texts by those before it, in nats, [batch, tokens]; 0 for a token that is not
// predicted: padding, and a text's first one if nothing stands in front of it.
//
//   - ids: texts, padded with zeros behind their last token, which is none; [batch, tokens] (int32).
//   - logits: over the vocabulary at all tokens but the last, [batch, tokens-1, vocabulary], or at what stands in front of the text and
//     these, [batch, tokens, vocabulary].
func NextTokens(ids, logits *Node) *Node {
	batch, tokens := ids.Shape().Dim(0), ids.Shape().Dim(1)
	if logits.Shape().Dim(1) == tokens {
		return Mul(logLikelihood(logits, ids), from(0, ids, logits))
	}
	logits.AssertDims(batch, tokens-1, -1)
	likelihood := logLikelihood(logits, Slice(ids, AxisRange(), AxisRange(1)))
	return Mul(GrowLeft(likelihood, 1, 1, 0), Predicted(ids, logits))
}

// Predicted marks the tokens of texts that a language model predicts, all but the first of each and its padding: 1 or 0 in the type of
// like, [batch, tokens].
func Predicted(ids, like *Node) *Node { return from(1, ids, like) }

// from marks the tokens of texts from a place on, but for their padding: 1 or 0 in the type of like, [batch, tokens].
func from(place int, ids, like *Node) *Node {
	places := Iota(ids.Graph(), ids.Shape(), 1)
	last := ReduceAndKeep(Where(NotEqual(ids, ZerosLike(ids)), places, ZerosLike(places)), ReduceMax, 1)
	within := LogicalAnd(LessOrEqual(places, BroadcastToShape(last, ids.Shape())), GreaterOrEqual(places, ConstAs(places, place)))
	return ConvertDType(within, like.DType())
}

// Generation is the language modelling loss of image-grounded text generation, with label smoothing: the mean over the tokens of the whole
// batch that are predicted of (1-smoothing) of the cross entropy with the token and smoothing of that with all words evenly (METHODS.md
// 13).
//
//   - logits: over the vocabulary at every token, of which the last predicts nothing, [batch, tokens, vocabulary].
//   - labels: the tokens, Ignored where there is none to predict, [batch, tokens] (int32). The first is not predicted.
//
// With no token to predict the loss is zero. The result is a scalar in nats.
func Generation(logits, labels *Node, smoothing float64) *Node {
	batch, tokens := labels.Shape().Dim(0), labels.Shape().Dim(1)
	logits.AssertDims(batch, tokens, -1)
	logits, labels = Slice(logits, AxisRange(), AxisRange(0, tokens-1)), Slice(labels, AxisRange(), AxisRange(1))
	predicted := ConvertDType(GreaterOrEqual(labels, ZerosLike(labels)), logits.DType())
	each := LogSoftmax(logits, -1)
	own := ReduceSum(Mul(each, OneHot(MaxScalar(labels, 0), logits.Shape().Dim(-1), logits.DType())), -1)
	return Neg(maskedMean(Add(MulScalar(own, 1-smoothing), MulScalar(ReduceMean(each, -1), smoothing)), predicted))
}
