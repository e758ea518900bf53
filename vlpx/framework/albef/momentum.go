package albef

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// teacher is the momentum model's view of a mini-batch, without gradient.
type teacher struct {
	image, text *Node // um and wm, [batch, Embed]
	words       *Node // logits over the vocabulary for the masked captions, [batch, tokens, vocabulary]; nil without MLM
	// read gives the logits for the rows that new positives add, [room, tokens, vocabulary].
	read func(*further) *Node
	mix  *Node // weight of the soft targets, a scalar
}

// teach moves the momentum weights towards the online ones as they were before this step's update, then runs the momentum
// model on the batch (METHODS.md 1.3).
func (a Model) teach(s *model.Scope, decay float64, b Batch, which negative.Objectives) teacher {
	g, batch := b.Pixels.Graph(), b.Pixels.Shape().Dim(0)
	framework.Follow(s.Store(), g, decay)
	m := s.Store().Scope(framework.Momentum)
	image := a.EncodeImage(m, b.Pixels)
	words := func(states, bias, choice *Node) *Node {
		return StopGradient(a.maskedWords(m, a.Fuse(m, states, bias, image.Tokens, choice)))
	}
	t := teacher{image: StopGradient(image.Feature), read: func(f *further) *Node {
		text := a.encodeText(s.Store().Scope(framework.Momentum), f.masked, f.padded)
		return words(text.States, text.Bias, f.choice)
	}}
	if !which.Has(negative.MLM) {
		t.text = StopGradient(a.EncodeText(m, b.IDs).Feature)
		return t
	}
	both := a.encodeText(m, Concatenate([]*Node{b.IDs, b.Masked}, 0), Concatenate([]*Node{b.IDs, a.padding(b.Masked, b.IDs)}, 0))
	masked := AxisRange(batch, 2*batch)
	t.text = StopGradient(Slice(both.Feature, AxisRange(0, batch)))
	t.words = words(Slice(both.States, masked), Slice(both.Bias, masked), each(image.Tokens))
	return t
}
