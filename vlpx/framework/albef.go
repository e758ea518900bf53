package framework

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
)

// ALBEF is the model of Li et al. (2021): a ViT, a BERT whose upper half fuses text with image, projections to a shared
// embedding, and heads for ITM and MLM (METHODS.md 1.1).
type ALBEF struct {
	Vision encoder.ViT
	Text   encoder.BERT
	Embed  int  // width of the shared embedding
	Half   bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
	// MeanPool makes the image's embedding read the mean of its tokens instead of the class token: small encoders that start
	// from nothing find shapes far sooner by it.
	MeanPool bool `json:",omitempty"`
	// Temperature is tau's first value; 0 takes the published 0.07. It is learned from there, within [0.001, 0.5].
	Temperature float64 `json:",omitempty"`
	// FreeTemperature leaves out these bounds, as the published retrieval fine-tuning does.
	FreeTemperature bool `json:",omitempty"`
	// CaptionPadding makes the padding of a masked caption that of the caption, as in the published code. Without it a random word
	// of MLM that happens to be [PAD] counts as padding, too.
	CaptionPadding bool `json:",omitempty"`
}

// Paper is ALBEF's exact architecture, 210M parameters: ViT-B/16 at 256 pixels and BERT-base with six fusion layers.
func Paper() ALBEF {
	return ALBEF{
		Vision: encoder.ViT{Image: 256, Patch: 16, Width: 768, Layers: 12, Heads: 12, MLP: 3072},
		Text: encoder.BERT{Vocab: 30522, Positions: 512, Width: 768, Heads: 12, MLP: 3072, Layers: 6, Fusion: 6,
			Dropout: 0.1},
		Embed: 256,
		Half:  true,
	}
}

// Validate tells whether the sizes fit together.
func (a ALBEF) Validate() error {
	for name, size := range map[string]int{
		"the image": a.Vision.Image, "the vision width": a.Vision.Width, "the vision MLP": a.Vision.MLP,
		"the text width": a.Text.Width, "the text MLP": a.Text.MLP, "the number of positions": a.Text.Positions,
	} {
		if size <= 0 {
			return fmt.Errorf("framework: %s is %d; it must be positive", name, size)
		}
	}
	switch v, t := a.Vision, a.Text; {
	case v.Patch <= 0 || v.Image%v.Patch != 0:
		return fmt.Errorf("framework: an image of %d pixels is not a whole number of patches of %d", v.Image, v.Patch)
	case v.Locked < 0:
		return fmt.Errorf("framework: a locked encoder's width of %d; it must not be negative", v.Locked)
	case v.Heads <= 0 || v.Width%v.Heads != 0:
		return fmt.Errorf("framework: the vision width %d is not a multiple of its %d heads", v.Width, v.Heads)
	case t.Heads <= 0 || t.Width%t.Heads != 0:
		return fmt.Errorf("framework: the text width %d is not a multiple of its %d heads", t.Width, t.Heads)
	case t.Dropout < 0 || t.Dropout >= 1:
		return fmt.Errorf("framework: a dropout of %g; it lies in [0, 1)", t.Dropout)
	case t.Vocab <= 0:
		return fmt.Errorf("framework: the vocabulary is empty")
	case a.Temperature != 0 && !(a.Temperature >= coldest && a.Temperature <= hottest):
		return fmt.Errorf("framework: a temperature of %g; it lies in [%g, %g]", a.Temperature, coldest, hottest)
	case a.Embed <= 0 || t.Fusion <= 0:
		return fmt.Errorf("framework: the shared embedding (%d) and the fusion layers (%d) must be positive", a.Embed, t.Fusion)
	}
	return nil
}

// Image is an encoded batch of images.
type Image struct {
	Tokens  *Node // of the vision transformer, the class token first, [batch, tokens, width]
	Feature *Node // the normalised embedding u, [batch, Embed]
}

// Text is an encoded batch of captions.
type Text struct {
	States  *Node // of the text layers, [batch, tokens, width]
	Bias    *Node // of the attention logits, [batch, 1, 1, tokens]
	Feature *Node // the normalised embedding w, [batch, Embed]
}

// EncodeImage encodes images [batch, encoder.ViT.Input...]: pixels, or the tokens of a locked encoder.
func (a ALBEF) EncodeImage(s *model.Scope, images *Node) Image {
	tokens := a.Vision.Encode(s.In("vision"), images, a.Half)
	summary := class(tokens)
	if a.MeanPool {
		summary = ReduceMean(tokens, 1)
	}
	return Image{tokens, a.project(s.In("vision_projection"), summary)}
}

// EncodeText encodes ids [batch, tokens], padded with zeros.
func (a ALBEF) EncodeText(s *model.Scope, ids *Node) Text { return a.encodeText(s, ids, ids) }

// encodeText encodes ids whose padding is where other ids of the same shape are zero; see padding.
func (a ALBEF) encodeText(s *model.Scope, ids, padded *Node) Text {
	bias := paddingBias(padded, encoder.DType(s))
	states := a.Text.Encode(s.In("text"), ids, bias, a.Half)
	return Text{states, bias, a.project(s.In("text_projection"), class(states))}
}

// Fuse reads text states [rows, tokens, width] with the images that choice [rows, images] names (one-hot), and returns
// the multimodal states [rows, tokens, width].
func (a ALBEF) Fuse(s *model.Scope, states, bias, image, choice *Node) *Node {
	return a.Text.Fuse(s.At("text"), states, bias, image, choice, a.Half)
}

// MatchLogits returns ITM's logits [rows, 2] of multimodal states [rows, tokens, width].
func (a ALBEF) MatchLogits(s *model.Scope, fused *Node) *Node {
	return encoder.Linear(s.In("itm"), class(fused), 2, a.Half)
}

// project maps a summary [batch, width] to the shared embedding.
func (a ALBEF) project(s *model.Scope, summary *Node) *Node {
	return Normalise(encoder.Linear(s, summary, a.Embed, a.Half))
}

// Normalise divides each row of x by its L2 norm, at least 1e-12 (METHODS.md, notation).
func Normalise(x *Node) *Node {
	square := ReduceAndKeep(Square(x), ReduceSum, -1)
	return Div(x, Sqrt(MaxScalar(square, 1e-24)))
}

// class is the state of the first token, [batch, width].
func class(states *Node) *Node {
	return Squeeze(Slice(states, AxisRange(), AxisRange(0, 1)), 1)
}

// padding gives the ids that tell the padding of masked ids of captions.
func (a ALBEF) padding(masked, captions *Node) *Node {
	if a.CaptionPadding {
		return captions
	}
	return masked
}

func paddingBias(ids *Node, dtype dtypes.DType) *Node {
	return encoder.PaddingBias(ConvertDType(GreaterThan(ids, ZerosLike(ids)), dtype))
}

// oneHot is the choice of rows of a batch x by their positions, [rows, batch].
func oneHot(rows, x *Node) *Node { return OneHot(rows, x.Shape().Dim(0), x.DType()) }

// each is the choice that takes every row of a batch x in order, [batch, batch].
func each(x *Node) *Node { return ConvertDType(Diagonal(x.Graph(), x.Shape().Dim(0)), x.DType()) }

// maskedWords are the logits over the vocabulary for MLM, [batch, tokens, vocabulary].
func (a ALBEF) maskedWords(s *model.Scope, fused *Node) *Node {
	return a.Text.Words(s.At("text"), fused, a.Half)
}

// coldest and hottest are the bounds of tau (METHODS.md 1.1).
const coldest, hottest = 0.001, 0.5

// temperature is tau, clamped in place to its bounds before each use, with no gradient through the clamp (METHODS.md 1.1).
func (a ALBEF) temperature(s *model.Scope, g *Graph) *Node {
	tau := encoder.Variable(s, g, encoder.Temperature)
	if a.FreeTemperature {
		return tau
	}
	v := s.GetVariable(encoder.Temperature)
	v.SetNodeValue(ClipScalar(v.NodeValue(g), coldest, hottest))
	return v.NodeValue(g)
}
