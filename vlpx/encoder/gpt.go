package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// GPT is the transformer of GPT-2 (Radford et al., 2019): a token sees those before it, and its state predicts the next one.
type GPT struct {
	Vocab, Positions          int
	Width, Layers, Heads, MLP int
	Dropout                   float64
	// Recompute keeps the states between the parts of a layer alone for the gradient, and computes what lies within them again.
	Recompute bool `json:",omitempty"`
}

const gptEpsilon = 1e-5

// States turns ids [batch, tokens] (int32), tokens at most Positions, into normalised states [batch, tokens, Width].
func (t GPT) States(s *model.Scope, ids *Node, half bool) *Node {
	block := Block{Width: t.Width, Heads: t.Heads, MLP: t.MLP, PreNorm: true, Epsilon: gptEpsilon, Dropout: t.Dropout, Half: half,
		Activation: NewGELU,
		Recompute:  t.Recompute}
	return block.causal(s, ids, t.Vocab, t.Positions, t.Layers, nil)
}

// Next returns the logits over the vocabulary of the token behind each state [..., Width], by a decoder that is the word embedding, without
// a bias. The scope must be the one given to States.
func (t GPT) Next(s *model.Scope, states *Node, half bool) *Node {
	words := Variable(s.At("word"), states.Graph(), Embedding, t.Vocab, t.Width)
	return MatMulRows(states, Transpose(words, 0, 1), half)
}
