package albef

import (
	"cmp"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

func init() { framework.Register(Model{}) }

// Model is ALBEF, the model of Li et al. (2021): a ViT, a BERT whose upper half fuses text with image, projections to a shared
// embedding, and heads for ITM and MLM (METHODS.md 1.1).
type Model struct {
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

// Paper is the exact architecture, 210M parameters: ViT-B/16 at 256 pixels and BERT-base with six fusion layers.
func Paper() Model {
	return Model{
		Vision: encoder.ViT{Image: 256, Patch: 16, Width: 768, Layers: 12, Heads: 12, MLP: 3072},
		Text: encoder.BERT{Vocab: 30522, Positions: 512, Width: 768, Heads: 12, MLP: 3072, Layers: 6, Fusion: 6,
			Dropout: 0.1},
		Embed: 256,
		Half:  true,
	}
}

// Validate reports whether the sizes fit together.
func (a Model) Validate() error {
	if err := cmp.Or(a.Vision.Validate(), a.Text.Validate()); err != nil {
		return fmt.Errorf("albef: %w", err)
	}
	switch {
	case a.Temperature != 0 && !(a.Temperature >= coldest && a.Temperature <= hottest):
		return fmt.Errorf("albef: a temperature of %g; it lies in [%g, %g]", a.Temperature, coldest, hottest)
	case a.Embed <= 0 || a.Text.Fusion <= 0:
		return fmt.Errorf("albef: the shared embedding (%d) and the fusion layers (%d) must be positive (settings embed, fusion)", a.Embed,
			a.Text.Fusion)
	}
	return nil
}

// Name implements framework.Framework.
func (Model) Name() string { return "ALBEF" }

// Losses implements framework.Framework.
func (Model) Losses() []negative.Loss {
	return []negative.Loss{negative.ITC, negative.ITM, negative.MLM}
}

// Check implements framework.Framework.
func (a Model) Check(u framework.Use) error {
	if err := a.Validate(); err != nil {
		return err
	}
	switch {
	case !u.Objectives.Has(negative.ITC):
		return fmt.Errorf("albef: training by %s alone; ITC picks the pairs of the others, so name it, too", u.Objectives)
	case u.Tokens < 3 || u.Tokens > a.Text.Positions:
		return fmt.Errorf("albef: captions of %d tokens; the text encoder takes 3 to %d (settings maxlen, positions)", u.Tokens, a.Text.Positions)
	case u.Image != a.Vision.Image:
		return fmt.Errorf("albef: images of %d pixels for an encoder of %d", u.Image, a.Vision.Image)
	}
	return nil
}

// Inputs implements framework.Framework.
func (a Model) Inputs(u framework.Use) []field.Field {
	names := []field.Name{field.Captions, field.Masked, field.Words, field.Noise, field.Progress}
	if u.Method.Positives != nil && u.Objectives.Has(negative.MLM) {
		names = append(names, field.Fresh)
	}
	return append(u.Fields(names...), u.Images(field.Image, a.Vision.Input()...))
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
func (a Model) EncodeImage(s *model.Scope, images *Node) Image {
	tokens := a.Vision.Encode(s.In("vision"), images, a.Half)
	return Image{tokens, a.project(s.In("vision_projection"), a.summary(tokens))}
}

// summary is what the embedding reads of tokens [batch, tokens, width], [batch, width].
func (a Model) summary(tokens *Node) *Node {
	if a.MeanPool {
		return ReduceMean(tokens, 1)
	}
	return class(tokens)
}

// Represent implements framework.Represents: what is projected to the embedding.
func (a Model) Represent(s *model.Scope, images *Node) *Node {
	return a.Vision.Summary(s.In("vision"), images, a.MeanPool, a.Half)
}

// InHalf implements framework.InHalf.
func (a Model) InHalf() bool { return a.Half }

// Words implements framework.Worded.
func (Model) Words() string { return "/text/embeddings/word/" + encoder.Embedding }

// Vocabulary implements framework.Growing.
func (a Model) Vocabulary() int { return a.Text.Vocab }

// WithVocabulary implements framework.Growing.
func (a Model) WithVocabulary(size int) framework.Framework {
	a.Text.Vocab = size
	return a
}

// Adapt implements framework.Pretrained.
func (a Model) Adapt(p framework.Part, s weights.Source) (_ framework.Framework, err error) {
	if p == framework.Vision {
		a.Vision, err = s.Adapt(a.Vision)
	}
	return a, err
}

// First implements framework.Pretrained.
func (a Model) First(p framework.Part, s weights.Source) (weights.Values, weights.Report, error) {
	if p == framework.Vision {
		return s.ImageEncoder(a.Vision, framework.Model+"/vision")
	}
	return s.TextEncoder(a.Text, framework.Model+"/text")
}

// Lock implements framework.Lockable.
func (a Model) Lock(width int) framework.Framework {
	a.Vision.Locked = width
	return a
}

// Dim implements framework.Embeds.
func (a Model) Dim() int { return a.Embed }

// EmbedImage implements framework.Embeds.
func (a Model) EmbedImage(s *model.Scope, images *Node) framework.Embedded {
	image := a.EncodeImage(s, images)
	return framework.Embedded{Feature: image.Feature, States: image.Tokens}
}

// EmbedText implements framework.Embeds.
func (a Model) EmbedText(s *model.Scope, ids *Node) framework.Embedded {
	text := a.EncodeText(s, ids)
	return framework.Embedded{Feature: text.Feature, States: text.States}
}

// Match implements framework.Matches.
func (a Model) Match(s *model.Scope, text, ids, image *Node) *Node {
	return a.Matched(s, Text{States: text, Bias: paddingBias(ids, text.DType())}, image, each(image))
}

// Initialise implements framework.Initialising.
func (a Model) Initialise(store *model.Store, root string, seed uint64) error {
	if err := encoder.Initialise(store, root, seed); err != nil || a.Temperature == 0 {
		return err
	}
	return store.Scope(root).GetVariable(encoder.Temperature).SetValue(tensors.FromScalar(float32(a.Temperature)))
}

// EncodeText encodes ids [batch, tokens], padded with zeros.
func (a Model) EncodeText(s *model.Scope, ids *Node) Text { return a.encodeText(s, ids, ids) }

// encodeText encodes ids whose padding is where other ids of the same shape are zero; see padding.
func (a Model) encodeText(s *model.Scope, ids, padded *Node) Text {
	bias := paddingBias(padded, encoder.DType(s))
	states := a.Text.Encode(s.In("text"), ids, bias, a.Half)
	return Text{states, bias, a.project(s.In("text_projection"), class(states))}
}

// Fuse reads text states [rows, tokens, width] with the images that choice [rows, images] names (one-hot), and returns
// the multimodal states [rows, tokens, width].
func (a Model) Fuse(s *model.Scope, states, bias, image, choice *Node) *Node {
	return a.Text.Fuse(s.At("text"), states, bias, image, choice, a.Half)
}

// MatchLogits returns ITM's logits [rows, 2] of multimodal states of the class token, [rows, width].
func (a Model) MatchLogits(s *model.Scope, fused *Node) *Node {
	return encoder.Linear(s.In("itm"), fused, 2, a.Half)
}

// Matched are ITM's logits [rows, 2] of texts that read the images that choice names, as Fuse has them.
func (a Model) Matched(s *model.Scope, text Text, image, choice *Node) *Node {
	class, _ := a.Text.FuseFor(s.At("text"), text.States, text.Bias, image, choice, text.States.Shape().Dim(0), a.Half)
	return a.MatchLogits(s, class)
}

// project maps a summary [batch, width] to the shared embedding.
func (a Model) project(s *model.Scope, summary *Node) *Node {
	return framework.Normalise(encoder.Linear(s, summary, a.Embed, a.Half))
}

// class is the state of the first token, [batch, width].
func class(states *Node) *Node { return Squeeze(encoder.Class(states), 1) }

// padding gives the ids that report the padding of masked ids of captions.
func (a Model) padding(masked, captions *Node) *Node {
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
func (a Model) maskedWords(s *model.Scope, fused *Node) *Node {
	return a.Text.Words(s.At("text"), fused, a.Half)
}

// coldest and hottest are the bounds of tau (METHODS.md 1.1).
const coldest, hottest = 0.001, 0.5

// temperature is tau, clamped in place to its bounds before each use, with no gradient through the clamp (METHODS.md 1.1).
func (a Model) temperature(s *model.Scope, g *Graph) *Node {
	tau := encoder.Variable(s, g, encoder.Temperature)
	if a.FreeTemperature {
		return tau
	}
	v := s.GetVariable(encoder.Temperature)
	v.SetNodeValue(ClipScalar(v.NodeValue(g), coldest, hottest))
	return v.NodeValue(g)
}
