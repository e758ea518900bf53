package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// ViT is a vision transformer with a class token and learned positions (Dosovitskiy et al., 2021; METHODS.md 1.1).
type ViT struct {
	Image, Patch              int // pixels a side
	Width, Layers, Heads, MLP int
	// Locked is the width of the tokens that a locked encoder gives in the place of pixels, one for the class and one a patch; 0 where
	// the transformer reads pixels.
	Locked int `json:",omitempty"`
	// CLIP makes it CLIP's: patches have no bias, the tokens are normalised before the first layer, too, and epsilon is 1e-5 (Radford et
	// al., 2021).
	CLIP bool `json:",omitempty"`
	// Activation of the feed-forward: the exact GELU, or Quick.
	Activation Activation `json:",omitempty"`
	// EVA makes it EVA's: attention's keys have no bias (LAVIS eva_vit.py).
	EVA bool `json:",omitempty"`
	// Open ends it without a normalisation, as BLIP-2 has its encoders, which normalises their tokens by itself.
	Open bool `json:",omitempty"`
	// Recompute keeps the states between the parts of a layer alone for the gradient, and computes what lies within them again.
	Recompute bool `json:",omitempty"`
	// Fused makes attention the engine's own operation, where it has one: in bfloat16 on CUDA, which then keeps no weights of attention.
	Fused bool `json:",omitempty"`
}

// Tokens is the number of tokens of an image: the class token and the patches.
func (v ViT) Tokens() int { return 1 + (v.Image/v.Patch)*(v.Image/v.Patch) }

// Input is the shape of what Encode reads of an image: its pixels [Image, Image, 3], or a locked encoder's tokens [Tokens, Locked].
func (v ViT) Input() []int {
	if v.Locked > 0 {
		return []int{v.Tokens(), v.Locked}
	}
	return []int{v.Image, v.Image, 3}
}

// Epsilon is that of the layer normalisations.
func (v ViT) Epsilon() float64 {
	if v.CLIP {
		return 1e-5
	}
	return 1e-6
}

// Encode turns images [batch, Input...] into tokens [batch, Tokens, Width]; token 0 is the class token. A locked encoder's tokens know
// their places: they are brought to the width and go into the layers.
func (v ViT) Encode(s *model.Scope, images *Node, half bool) *Node {
	return v.encode(s, images, nil, half)
}

// Summary is what stands for images [batch, Input...], the class token or the mean of all tokens, [batch, Width].
func (v ViT) Summary(s *model.Scope, images *Node, mean, half bool) *Node {
	if mean {
		return ReduceMean(v.Encode(s, images, half), 1)
	}
	return Squeeze(v.encode(s, images, Class, half), 1)
}

// encode is Encode of the tokens that something reads behind the last layer.
func (v ViT) encode(s *model.Scope, images *Node, read Asking, half bool) *Node {
	images.AssertDims(append([]int{-1}, v.Input()...)...)
	epsilon := v.Epsilon()
	x := images
	if v.Locked > 0 {
		x = Linear(s.In("adapter"), x, v.Width, half)
	} else {
		x = v.embed(s, x, half)
	}
	if v.CLIP {
		x = LayerNorm(s.In("first_norm"), x, epsilon)
	}
	block := Block{Width: v.Width, Heads: v.Heads, MLP: v.MLP, PreNorm: true, Epsilon: epsilon, Half: half, Activation: v.Activation,
		KeysUnbiased: v.EVA,
		Recompute:    v.Recompute, Fused: v.Fused}
	for layer := range v.Layers {
		x = block.Self(s.In("layer_%d", layer), x, nil, read.last(layer, v.Layers))
	}
	if v.Open {
		return x
	}
	return LayerNorm(s.In("norm"), x, epsilon)
}

// embed turns pixels [batch, Image, Image, 3] into tokens [batch, Tokens, Width]: the class token and the patches, with their positions.
func (v ViT) embed(s *model.Scope, pixels *Node, half bool) *Node {
	g, batch, side := pixels.Graph(), pixels.Shape().Dim(0), v.Image/v.Patch
	x := Reshape(pixels, batch, side, v.Patch, side, v.Patch, 3)
	x = Reshape(TransposeAllAxes(x, 0, 1, 3, 2, 4, 5), batch, side*side, v.Patch*v.Patch*3)
	if v.CLIP {
		x = MatMulRows(x, Variable(s.In("patch"), g, Weights, v.Patch*v.Patch*3, v.Width), half)
	} else {
		x = Linear(s.In("patch"), x, v.Width, half)
	}
	class := BroadcastToDims(Reshape(Variable(s.In("class"), g, Embedding, 1, v.Width), 1, 1, v.Width), batch, 1, v.Width)
	x = Concatenate([]*Node{class, x}, 1)
	return Add(x, InsertAxes(Variable(s.In("position"), g, Embedding, v.Tokens(), v.Width), 0))
}
