package albef

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// above is how far ITM's logit of "matched" is above that of "not matched", [rows], for logits [rows, 2].
func above(logits *Node) *Node {
	of := func(k int) *Node { return Squeeze(Slice(logits, AxisRange(), AxisRange(k, k+1)), -1) }
	return Sub(of(1), of(0))
}

// ownImages names the own image of sentences of a mini-batch, so many of each pair side by side, one-hot, [batch each, batch].
func (b *batch) ownImages(each int) *Node {
	batch := b.ids.Shape().Dim(0)
	return oneHot(Reshape(Iota(b.ids.Graph(), shapes.Make(dtypes.Int32, batch, each), 0), batch*each), b.like)
}

// writer is what a Writing is offered of a mini-batch whose images are encoded already.
func (b *batch) writer(image Image) negative.Writer {
	store := b.store
	batch, tokens := b.ids.Shape().Dim(0), b.ids.Shape().Dim(1)
	own := func(ids *Node) *Node { return b.ownImages(ids.Shape().Dim(0) / batch) }
	fill := func(root string, ids, image *Node) *Node {
		each := ids.Shape().Dim(0) / batch
		captions := Reshape(BroadcastToDims(InsertAxes(b.ids, 1), batch, each, tokens), batch*each, tokens)
		scope := store.Scope(root)
		text := b.encodeText(scope, ids, captions)
		return b.maskedWords(scope, b.Fuse(scope, text.States, text.Bias, image, own(ids)))
	}
	w := negative.Writer{
		Captions: b.ids, Fields: b.in, Reporter: b.reporter.For(field.Part("writing", b.method.Writing)),
		Fill: func(ids *Node) *Node { return fill(framework.Model, ids, image.Tokens) },
		Score: func(ids *Node) (scores *Node) {
			framework.Evaluating(store, ids.Graph(), func() {
				scope := store.Scope(framework.Model)
				scores = StopGradient(above(b.Matched(scope, b.EncodeText(scope, ids), image.Tokens, own(ids))))
			})
			return scores
		},
	}
	if b.method.NeedsReference() {
		w.FillFrozen = func(ids *Node) (logits *Node) {
			framework.Evaluating(store, ids.Graph(), func() {
				seen := b.EncodeImage(store.Scope(framework.Frozen), b.pixels)
				logits = StopGradient(fill(framework.Frozen, ids, seen.Tokens))
			})
			return logits
		}
	}
	return w
}

// sentences are the written ones after the text encoder, with the images that they are negatives of.
func (b *batch) sentences(w negative.Written) (text Text, images *Node) {
	dims := w.Sentences.Shape().Dimensions
	return b.EncodeText(b.store.Scope(framework.Model), Reshape(w.Sentences, dims[0]*dims[1], dims[2])), b.ownImages(dims[1])
}

// Fill implements framework.Fills.
func (a Model) Fill(s *model.Scope, masked, captions, images *Node) *Node {
	image := a.EncodeImage(s, images)
	text := a.encodeText(s, masked, captions)
	return a.maskedWords(s, a.Fuse(s, text.States, text.Bias, image.Tokens, each(image.Tokens)))
}
