package blip2

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
	"vlpx.internal/vlpx/objective"
)

func init() { framework.Register(Model{}) }

// Model is BLIP-2's first stage: an image encoder, a normalisation of its tokens, and a Q-Former that reads them and captions (METHODS.md
// 13).
type Model struct {
	Vision encoder.ViT // without a last normalisation; where it is Locked, tokens are read as they are
	Text   encoder.QFormer
	Embed  int // width of the shared embedding
	// Smoothing is the label smoothing of ITG, and of ITC by InfoNCE; published: 0.1.
	Smoothing float64 `json:",omitempty"`
	// Frozen leaves the image encoder as it is, without gradient, as published.
	Frozen bool `json:",omitempty"`
	Half   bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
	// Temperature is tau's first value; 0 takes the published 0.07. It is learned from there, without bounds.
	Temperature float64 `json:",omitempty"`
}

// Paper is the exact architecture: EVA's ViT-g/14 at 224 pixels, and BERT-base with 32 queries.
func Paper() Model {
	return Model{
		Vision: encoder.ViT{Image: 224, Patch: 14, Width: 1408, Layers: 39, Heads: 16, MLP: 6144, EVA: true, Open: true},
		Text: encoder.QFormer{Vocab: 30522, Positions: 512, Queries: 32, Width: 768, Heads: 12, MLP: 3072, Layers: 12, Every: 2,
			Dropout: 0.1},
		Embed: 256, Smoothing: 0.1, Frozen: true, Half: true,
	}
}

// Validate reports whether the sizes fit together.
func (m Model) Validate() error {
	if err := cmp.Or(m.Vision.Validate(), m.Text.Validate()); err != nil {
		return fmt.Errorf("blip2: %w", err)
	}
	switch {
	case m.Embed <= 0:
		return fmt.Errorf("blip2: a shared embedding of %d; it must be positive (setting embed)", m.Embed)
	case !(m.Smoothing >= 0 && m.Smoothing < 1):
		return fmt.Errorf("blip2: a label smoothing of %g; it lies in [0, 1)", m.Smoothing)
	case !(m.Temperature >= 0):
		return fmt.Errorf("blip2: a temperature of %g; it must not be negative", m.Temperature)
	}
	return nil
}

// Name implements framework.Framework.
func (Model) Name() string { return "BLIP-2" }

// Losses implements framework.Framework.
func (Model) Losses() []negative.Loss {
	return []negative.Loss{negative.ITC, negative.ITM, negative.ITG}
}

// Check implements framework.Framework.
func (m Model) Check(u framework.Use) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if _, distils := u.Method.Contrast.(negative.Distiller); distils {
		return &framework.Lacking{Method: u.Method.Name, Framework: m.Name(), Needs: "momentum encoders",
			Advice: "take a method whose contrast does not distil"}
	}
	switch {
	case !u.Objectives.Has(negative.ITC):
		return fmt.Errorf("blip2: training by %s alone; ITC picks the pairs of ITM, so name it, too", u.Objectives)
	case u.Tokens < 3 || u.Tokens > m.Text.Positions:
		return fmt.Errorf("blip2: captions of %d tokens; the Q-Former takes 3 to %d (settings maxlen, positions)", u.Tokens, m.Text.Positions)
	case u.Image != m.Vision.Image:
		return fmt.Errorf("blip2: images of %d pixels for an encoder of %d", u.Image, m.Vision.Image)
	}
	return nil
}

// Inputs implements framework.Framework.
func (m Model) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(field.Captions, field.Noise, field.Progress), u.Images(field.Image, m.Vision.Input()...))
}

// Tokens turns images [batch, encoder.ViT.Input...] into normalised tokens, [batch, tokens, width].
func (m Model) Tokens(s *model.Scope, images *Node) *Node {
	x := images
	if m.Vision.Locked == 0 {
		vision := s.In("vision")
		x = m.Vision.Encode(vision, images, m.Half)
		if m.Frozen {
			x = StopGradient(x)
			for v := range s.Store().Scope(vision.Scope()).IterVariables() {
				v.SetTrainable(false)
			}
		}
	}
	return encoder.LayerNorm(s.In("vision_norm"), x, visionEpsilon)
}

// visionEpsilon is that of the normalisation of the image encoder's tokens.
const visionEpsilon = 1e-5

// Looked is what the queries see of a batch of images.
type Looked struct {
	Tokens  *Node            // of the images, [batch, tokens, width]
	States  *Node            // of the queries, [batch, Queries, Width]
	Offered []encoder.Memory // to ITG, one a layer
	Feature *Node            // the normalised vectors, [batch, Queries, Embed]
}

// Look runs the queries on images.
func (m Model) Look(s *model.Scope, images *Node) Looked {
	l := Looked{Tokens: m.Tokens(s, images)}
	l.States, l.Offered = m.Text.Look(s.At("qformer"), l.Tokens, m.Half)
	l.Feature = m.project(s.In("vision_projection"), l.States)
	return l
}

// Read embeds captions by their ids [batch, tokens], padded with zeros: their states [batch, tokens, Width] and the normalised vectors of
// their first tokens, [batch, Embed].
func (m Model) Read(s *model.Scope, ids *Node) (states, feature *Node) {
	states = m.Text.Read(s.At("qformer"), ids, encoder.PaddingBias(mask(ids, encoder.DType(s))), m.Half)
	first := Squeeze(Slice(states, AxisRange(), AxisRange(0, 1)), 1)
	return states, m.project(s.In("text_projection"), first)
}

// MatchLogits are ITM's logits at each query, [rows, Queries, 2], of captions by their ids [rows, tokens] with the images, by their tokens,
// that choice [rows, images] (one-hot) names.
func (m Model) MatchLogits(s *model.Scope, ids, tokens, choice *Node) *Node {
	bias := encoder.QueryBias(mask(ids, tokens.DType()), m.Text.Queries)
	queries, _ := m.Text.Match(s.At("qformer"), ids, bias, tokens, choice, m.Half)
	return encoder.Linear(s.In("itm"), queries, 2, m.Half)
}

// NextLogits are ITG's logits over the vocabulary at each token of captions by their ids [batch, tokens], whose first token counts as
// [DEC], with what the queries of the images of their rows offer, [batch, tokens, vocabulary].
func (m Model) NextLogits(s *model.Scope, ids *Node, offered []encoder.Memory) *Node {
	first := OnesLike(Slice(ids, AxisRange(), AxisRange(0, 1)))
	begun := Concatenate([]*Node{MulScalar(first, m.Text.Begin()), Slice(ids, AxisRange(), AxisRange(1))}, 1)
	bias := encoder.GenerationBias(mask(ids, encoder.DType(s)), m.Text.Queries)
	states := m.Text.Generate(s.At("qformer"), begun, bias, offered, m.Half)
	return m.Text.Next(s.At("qformer"), states, m.Half)
}

// labels are what ITG predicts of captions by their ids, as objective.Generation reads them.
func labels(ids *Node) *Node {
	return Where(GreaterThan(ids, ZerosLike(ids)), ids, ConstAs(ids, objective.Ignored))
}

func (m Model) project(s *model.Scope, x *Node) *Node {
	return framework.Normalise(encoder.Linear(s, x, m.Embed, m.Half))
}

// mask is 1 where ids have a token, 0 at padding, [batch, tokens].
func mask(ids *Node, dtype dtypes.DType) *Node {
	return ConvertDType(GreaterThan(ids, ZerosLike(ids)), dtype)
}

// Initialise implements framework.Initialising: a layer's two feed-forwards start equal, as published.
func (m Model) Initialise(store *model.Store, root string, seed uint64) error {
	if err := encoder.Initialise(store, root, seed); err != nil {
		return err
	}
	for layer := range m.Text.Layers {
		from := fmt.Sprintf("%s/qformer/layer_%d/mlp", root, layer)
		to := fmt.Sprintf("%s/qformer/layer_%d/query_mlp", root, layer)
		for v := range store.Scope(from).IterVariables() {
			value, err := v.Value()
			if err == nil {
				value, err = value.LocalClone()
			}
			if err == nil {
				err = store.GetVariable(to + v.Path()[len(from):]).SetValue(value)
			}
			if err != nil {
				return fmt.Errorf("blip2: first values of %s: %w", to, err)
			}
		}
	}
	if m.Temperature == 0 {
		return nil
	}
	return store.Scope(root).GetVariable(encoder.Temperature).SetValue(tensors.FromScalar(float32(m.Temperature)))
}
