package albef

import (
	. "github.com/gomlx/gomlx/core/graph"

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
func (b *batch) teach(decay float64, which negative.Objectives) teacher {
	g, batch := b.pixels.Graph(), b.pixels.Shape().Dim(0)
	framework.Follow(b.store, g, decay)
	m := b.store.Scope(framework.Momentum)
	image := b.EncodeImage(m, b.pixels)
	words := func(states, bias, choice *Node) *Node {
		return StopGradient(b.maskedWords(m, b.Fuse(m, states, bias, image.Tokens, choice)))
	}
	t := teacher{image: StopGradient(image.Feature), read: func(f *further) *Node {
		text := b.encodeText(b.store.Scope(framework.Momentum), f.masked, f.padded)
		return words(text.States, text.Bias, f.choice)
	}}
	if !which.Has(negative.MLM) {
		t.text = StopGradient(b.EncodeText(m, b.ids).Feature)
		return t
	}
	both := b.encodeText(m, Concatenate([]*Node{b.ids, b.masked}, 0), Concatenate([]*Node{b.ids, b.padding(b.masked, b.ids)}, 0))
	masked := AxisRange(batch, 2*batch)
	t.text = StopGradient(Slice(both.Feature, AxisRange(0, batch)))
	t.words = words(Slice(both.States, masked), Slice(both.Bias, masked), each(image.Tokens))
	return t
}
