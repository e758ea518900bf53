package albef

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// referring returns a function that runs the frozen reference model on the mini-batch when it is first called.
func (b *batch) referring() func() *framework.Reference {
	return framework.Referring(b.store, b.pixels.Graph(), func(s *model.Scope) (_, _ *Node, match func(images, texts *Node) *Node) {
		image, text := b.EncodeImage(s, b.pixels), b.EncodeText(s, b.ids)
		return image.Feature, text.Feature, func(images, texts *Node) *Node {
			chosen := oneHot(texts, b.like)
			rows := Text{States: encoder.SelectRows(chosen, text.States), Bias: encoder.SelectRows(chosen, text.Bias)}
			return b.Matched(s, rows, image.Tokens, oneHot(images, b.like))
		}
	})
}

// further are the rows that new positives add to MLM: images with their new texts, then texts with their new images. Rows to
// spare predict nothing.
type further struct {
	masked, labels *Node // [room, tokens] int32
	padded         *Node // ids whose zeros are the padding, [room, tokens] int32
	choice         *Node // of the images, one-hot, [room, batch]
	count          *Node // of the new positives, a scalar
}

func (b *batch) joining(c negative.Connections) *further {
	f := c.Further(b.room)
	ids := Gather(b.ids, InsertAxes(f.Texts, -1))
	masked, labels := objective.MaskByCodes(ids, f.Pick(b.in.Of(field.Fresh)))
	taken := BroadcastToDims(InsertAxes(f.Taken, -1), labels.Shape().Dimensions...)
	return &further{
		masked: masked, padded: b.padding(masked, ids), labels: Where(taken, labels, ConstAs(labels, objective.Ignored)),
		choice: oneHot(f.Images, b.like),
		count:  f.Count,
	}
}
