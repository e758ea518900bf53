package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Block is one transformer layer: self-attention, optional cross-attention, feed-forward, each with a residual and a layer
// normalisation, before it (ViT) or after it (BERT).
type Block struct {
	Width, Heads, MLP int
	PreNorm           bool
	Epsilon           float64 // of the layer normalisations
	Dropout           float64 // of attention weights and of each residual's branch
	Half              bool    // products in bfloat16
	Activation        Activation
	KeysUnbiased      bool // keys have no bias, as in EVA: their third of the variable stays zero
	Recompute         bool // what lies within the branches is computed again for the gradient instead of kept
	Fused             bool // attention without bias and dropout is the engine's own operation, where it has one
}

// Asking picks the tokens of a layer's input x [rows, tokens, width] that become its output, [rows, fewer, width]; nil picks all. Others
// only offer keys and values: behind the last layer nothing reads what they would become, so that it is not computed.
type Asking func(x *Node) *Node

// Class asks for the first token alone, [rows, 1, width].
func Class(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(0, 1)) }

// of picks tokens of x.
func (a Asking) of(x *Node) *Node {
	if a == nil {
		return x
	}
	return a(x)
}

// last is a for the last of so many layers, all tokens for others.
func (a Asking) last(layer, layers int) Asking {
	if layer < layers-1 {
		return nil
	}
	return a
}

// Self applies the layer without cross-attention to x [batch, tokens, width].
//
//   - bias: of the attention logits of the tokens that ask.
func (b Block) Self(s *model.Scope, x, bias *Node, ask Asking) *Node {
	x = b.attention(s, x, bias, ask)
	return b.residual(s.In("mlp"), x, b.feedForward)
}

// Cross applies the layer with cross-attention between self-attention and feed-forward, as ALBEF's multimodal layers do. Row r of x attends
// to row r of a memory, which is made in the scope of cross-attention.
func (b Block) Cross(s *model.Scope, x, bias *Node, ask Asking, remember func(*model.Scope) Memory) *Node {
	x = b.attention(s, x, bias, ask)
	x = b.residual(s.In("cross"), x, func(s *model.Scope, x *Node) *Node { return b.crossAttention(s, x, remember(s)) })
	return b.residual(s.In("mlp"), x, b.feedForward)
}

func (b Block) attention(s *model.Scope, x, bias *Node, ask Asking) *Node {
	return b.residualOf(s.In("attention"), x, ask, func(s *model.Scope, x *Node) *Node { return b.selfAttention(s, x, bias, ask) })
}

func (b Block) residual(s *model.Scope, x *Node, branch func(*model.Scope, *Node) *Node) *Node {
	return b.residualOf(s, x, nil, branch)
}

// residualOf adds a branch, which gives the tokens that ask, to these.
func (b Block) residualOf(s *model.Scope, x *Node, ask Asking, branch func(*model.Scope, *Node) *Node) *Node {
	if b.Recompute {
		b.Recompute = false
		return b.residualOf(s, x.Checkpoint(), ask, branch).StopCheckpoint()
	}
	if b.PreNorm {
		return Add(ask.of(x), branch(s, LayerNorm(s.In("norm"), x, b.Epsilon)))
	}
	return LayerNorm(s.In("norm"), Add(ask.of(x), branch(s, x)), b.Epsilon)
}

func (b Block) feedForward(s *model.Scope, x *Node) *Node {
	x = b.Activation.apply(Linear(s.In("in"), x, b.MLP, b.Half))
	return dropout(s, Linear(s.In("out"), x, b.Width, b.Half), b.Dropout)
}
