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

// Self applies the layer without cross-attention to x [batch, tokens, width].
func (b Block) Self(s *model.Scope, x, bias *Node) *Node {
	x = b.residual(s.In("attention"), x, func(s *model.Scope, x *Node) *Node { return b.selfAttention(s, x, bias) })
	return b.residual(s.In("mlp"), x, b.feedForward)
}

// Cross applies the layer with cross-attention between self-attention and feed-forward, as ALBEF's multimodal layers do.
// Row r of x attends to the image that choice names: choice is one-hot, [batch, images]; image is [images, tokens, width].
func (b Block) Cross(s *model.Scope, x, bias, image, choice *Node) *Node {
	return b.reading(s, x, bias, func(s *model.Scope) Memory {
		return b.chosen(choice, b.memory(s, image))
	})
}

// reading is Cross with what row r of x attends to in row r of a memory, which is made in the scope of cross-attention.
func (b Block) reading(s *model.Scope, x, bias *Node, remember func(*model.Scope) Memory) *Node {
	x = b.residual(s.In("attention"), x, func(s *model.Scope, x *Node) *Node { return b.selfAttention(s, x, bias) })
	x = b.residual(s.In("cross"), x, func(s *model.Scope, x *Node) *Node { return b.crossAttention(s, x, remember(s)) })
	return b.residual(s.In("mlp"), x, b.feedForward)
}

func (b Block) residual(s *model.Scope, x *Node, branch func(*model.Scope, *Node) *Node) *Node {
	if b.Recompute {
		b.Recompute = false
		return b.residual(s, x.Checkpoint(), branch).StopCheckpoint()
	}
	if b.PreNorm {
		return Add(x, branch(s, LayerNorm(s.In("norm"), x, b.Epsilon)))
	}
	return LayerNorm(s.In("norm"), Add(x, branch(s, x)), b.Epsilon)
}

func (b Block) feedForward(s *model.Scope, x *Node) *Node {
	x = b.Activation.apply(Linear(s.In("in"), x, b.MLP, b.Half))
	return dropout(s, Linear(s.In("out"), x, b.Width, b.Half), b.Dropout)
}
