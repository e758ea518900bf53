package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// ViT is a vision transformer with a class token and learned positions (Dosovitskiy et al., 2021; METHODS.md 1.1).
type ViT struct {
	Image, Patch              int // pixels a side
	Width, Layers, Heads, MLP int
	// CLIP makes it CLIP's: patches have no bias, the tokens are normalised before the first layer, too, and epsilon is 1e-5 (Radford et
	// al., 2021).
	CLIP bool `json:",omitempty"`
	// Activation of the feed-forward: the exact GELU, or Quick.
	Activation Activation `json:",omitempty"`
}

// Encode turns pixels [batch, Image, Image, 3] into tokens [batch, 1 + patches, Width]; token 0 is the class token.
func (v ViT) Encode(s *model.Scope, pixels *Node, half bool) *Node {
	g := pixels.Graph()
	pixels.AssertDims(-1, v.Image, v.Image, 3)
	batch, side := pixels.Shape().Dim(0), v.Image/v.Patch
	x := Reshape(pixels, batch, side, v.Patch, side, v.Patch, 3)
	x = Reshape(TransposeAllAxes(x, 0, 1, 3, 2, 4, 5), batch, side*side, v.Patch*v.Patch*3)
	epsilon := 1e-6
	if v.CLIP {
		epsilon = 1e-5
		x = MatMulRows(x, Variable(s.In("patch"), g, Weights, v.Patch*v.Patch*3, v.Width), half)
	} else {
		x = Linear(s.In("patch"), x, v.Width, half)
	}
	class := BroadcastToDims(Reshape(Variable(s.In("class"), g, Embedding, 1, v.Width), 1, 1, v.Width), batch, 1, v.Width)
	x = Concatenate([]*Node{class, x}, 1)
	x = Add(x, InsertAxes(Variable(s.In("position"), g, Embedding, side*side+1, v.Width), 0))
	if v.CLIP {
		x = LayerNorm(s.In("first_norm"), x, epsilon)
	}
	block := Block{Width: v.Width, Heads: v.Heads, MLP: v.MLP, PreNorm: true, Epsilon: epsilon, Half: half, Activation: v.Activation}
	for layer := range v.Layers {
		x = block.Self(s.In("layer_%d", layer), x, nil)
	}
	return LayerNorm(s.In("norm"), x, epsilon)
}
