package uniter

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

func init() { framework.Register(Model{}) }

// Model is UNITER: regions and tokens are one sequence, and all layers see both.
type Model struct {
	Text    encoder.BERT // the single stream, whose Fusion is 0
	Regions encoder.Regions
	Half    bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
	// Pretraining is UNITER's first stage: the two-way head for image-text matching on random pairs, and masked words. Without it the model
	// is fine-tuned for retrieval: one matching score a pair, in a triplet loss, and what a method's Writing asks for.
	Pretraining bool `json:",omitempty"`
	// Margin is alpha of the triplet loss, in scores, which lie between 0 and 1; published: 0.2.
	Margin float64 `json:",omitempty"`
}

// Paper is UNITER-base on a detector's boxes.
func Paper() Model {
	return Model{
		Text:    encoder.BERT{Vocab: 28996, Positions: 512, Width: 768, Heads: 12, MLP: 3072, Layers: 12, Dropout: 0.1},
		Regions: encoder.Regions{Count: 36, Features: 2048},
		Half:    true, Margin: 0.2,
	}
}

// Name implements framework.Framework.
func (Model) Name() string { return "UNITER" }

// Losses implements framework.Framework.
func (m Model) Losses() []negative.Loss {
	if m.Pretraining {
		return []negative.Loss{negative.ITM, negative.MLM}
	}
	return []negative.Loss{negative.ITM, negative.MLM, negative.ISTM, negative.WoD, negative.WoC}
}

// Check implements framework.Framework.
func (m Model) Check(u framework.Use) error {
	t, r, method := m.Text, m.Regions, u.Method.WithDefaults()
	if err := t.Validate(); err != nil {
		return fmt.Errorf("uniter: %w", err)
	}
	switch {
	case t.Fusion != 0:
		return fmt.Errorf("uniter: %d fusion layers; all layers see both sides, so leave them out", t.Fusion)
	case r.Count < 1 || r.Features < 1:
		return fmt.Errorf("uniter: %d regions of %d features; an image has at least one region, see regions.source", r.Count, r.Features)
	case !m.Pretraining && !(m.Margin > 0):
		return fmt.Errorf("uniter: a margin of %g; it is above 0", m.Margin)
	case !m.Pretraining && !picks(method):
		return &framework.Lacking{Method: method.Name, Framework: m.Name(), Needs: "embeddings of images and captions",
			Advice: "take a matching that picks one negative an anchor, or one that retrieves from a pool"}
	case !method.Plain("Batches", "Matching", "Positives", "Writing"):
		return &framework.Lacking{Method: method.Name, Framework: m.Name(), Needs: "a contrastive loss", Advice: "take a method whose " +
			"contrast is InfoNCE's"}
	case u.Tokens < 3 || u.Tokens > t.Positions:
		return fmt.Errorf("uniter: captions of %d tokens; the encoder takes 3 to %d (settings maxlen, positions)", u.Tokens, t.Positions)
	}
	return nil
}

// picks reports whether a method picks negatives by scores alone.
func picks(m negative.Method) bool {
	_, is := m.Matching.(negative.Picking)
	return is || m.Retrieves() > 0
}

// Inputs implements framework.Framework.
func (m Model) Inputs(u framework.Use) []field.Field {
	image := m.Regions.Input()
	if m.Pretraining {
		return append(u.Fields(field.Captions, field.Masked, field.Words), u.Images(field.Image, image...))
	}
	fields := append(u.Fields(field.Captions), u.Images(field.Image, image...))
	if u.Method.Retrieves() > 0 {
		fields = append(fields, u.Field(field.Items), u.Field(field.PoolCaptions), u.Field(field.PoolItems),
			field.Float32(field.PoolImages, append([]int{u.Method.Pool()}, image...)...))
	} else {
		fields = append(fields, u.Field(field.Noise))
	}
	return fields
}

// InHalf implements framework.InHalf.
func (m Model) InHalf() bool { return m.Half }

// Words implements framework.Worded.
func (Model) Words() string { return "/text/embeddings/word/" + encoder.Embedding }

// WithRegions implements framework.Regional.
func (m Model) WithRegions(count, features int) framework.Framework {
	m.Regions = encoder.Regions{Count: count, Features: features}
	return m
}

// Encode returns the states of captions with their images, [rows, tokens+regions, Width], the tokens first.
//
//   - ids: of the captions, padded with zeros, [rows, tokens] int32.
//   - padded: ids whose zeros are the padding, as ids. It is that of the caption where ids are masked, among which a random word may be
//     [PAD].
//   - images: as encoder.Regions.Input, [images, Count, ...].
//   - choice: the image of each row, one-hot, [rows, images]; nil where row r reads image r.
//
// The scope is that of the model's variables. Images are embedded once, however many captions read them.
func (m Model) Encode(s *model.Scope, ids, padded, images, choice *Node) *Node {
	return m.encode(s, ids, padded, images, choice, nil)
}

// summarise is Encode of the class token alone, [rows, 1, Width].
func (m Model) summarise(s *model.Scope, ids, images, choice *Node) *Node {
	return m.encode(s, ids, ids, images, choice, encoder.Class)
}

func (m Model) encode(s *model.Scope, ids, padded, images, choice *Node, read encoder.Asking) *Node {
	text := s.At("text")
	tokens := m.Text.Embed(text, ids, nil)
	regions := m.Regions.Embed(s.At("regions"), images, m.Text.Segment(text, ids.Graph(), 1), m.Text.Dropout, m.Half)
	mask := m.Regions.Mask(images)
	if choice != nil {
		regions, mask = encoder.SelectRows(choice, regions), encoder.SelectRows(choice, mask)
	}
	words := ConvertDType(GreaterThan(padded, ZerosLike(padded)), regions.DType())
	bias := encoder.PaddingBias(Concatenate([]*Node{words, mask}, 1))
	return m.Text.Read(text, Concatenate([]*Node{tokens, regions}, 1), bias, read, m.Half)
}

// tokens are the states of the captions among those of Encode, [rows, tokens, Width].
func (m Model) tokens(states *Node) *Node {
	return Slice(states, AxisRange(), AxisRange(0, states.Shape().Dim(1)-m.Regions.Count))
}

// Pooled is the summary of captions with their images by Encode's states, of which it reads the class token's, [rows, Width].
func (m Model) Pooled(s *model.Scope, states *Node) *Node {
	return m.Text.Pooled(s.At("text"), states, m.Half)
}

// MatchLogits returns ITM's logits of "not matched" and "matched" by Encode's states, [rows, 2], in pre-training.
func (m Model) MatchLogits(s *model.Scope, states *Node) *Node {
	return encoder.Linear(s.At("itm"), m.Pooled(s, states), 2, m.Half)
}

// rank returns the logit of the matching score by Encode's states, [rows].
func (m Model) rank(s *model.Scope, states *Node) *Node {
	return Squeeze(encoder.Linear(s.At("rank"), m.Pooled(s, states), 1, m.Half), -1)
}

// MaskedWords returns the logits over the vocabulary at each token by Encode's states, [rows, tokens, vocabulary].
func (m Model) MaskedWords(s *model.Scope, states *Node) *Node {
	return m.Text.Words(s.At("text"), m.tokens(states), m.Half)
}

// Score implements framework.Scores.
func (m Model) Score(s *model.Scope, ids, images *Node) *Node {
	states := m.summarise(s, ids, images, nil)
	if m.Pretraining {
		logits := m.MatchLogits(s, states)
		of := func(k int) *Node { return Squeeze(Slice(logits, AxisRange(), AxisRange(k, k+1)), -1) }
		return Sub(of(1), of(0))
	}
	return m.rank(s, states)
}

// Fill implements framework.Fills.
func (m Model) Fill(s *model.Scope, masked, captions, images *Node) *Node {
	return m.MaskedWords(s, m.Encode(s, masked, captions, images, nil))
}

// Correct implements framework.Corrects.
func (m Model) Correct(s *model.Scope, ids, images *Node) (replaced, words *Node) {
	states := m.tokens(m.Encode(s, ids, ids, images, nil))
	original := Softmax(encoder.Linear(s.At("wod"), states, 2, m.Half), -1)
	replaced = Squeeze(Slice(original, AxisRange(), AxisRange(), AxisRange(0, 1)), -1)
	return replaced, ArgMax(m.Text.WordsBy(s.At("text"), corrector, states, m.Half), -1)
}
