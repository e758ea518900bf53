package albef

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// seen is a mini-batch as the frozen reference model sees it, without gradient and without dropout.
type seen struct {
	image Image
	text  Text
	// match gives the probability that images and texts of the batch match, by their positions, [rows].
	match func(images, texts *Node) *Node
}

// frozen returns a function that runs the frozen reference model's encoders on a mini-batch when it is first called.
func (a Model) frozen(s *model.Scope, b Batch) func() *seen {
	var once *seen
	return func() *seen {
		if once != nil {
			return once
		}
		g, scope := b.Pixels.Graph(), s.Store().Scope(framework.Frozen)
		evaluating := func(build func()) { framework.Evaluating(s.Store(), g, build) }
		once = &seen{}
		evaluating(func() { once.image, once.text = a.EncodeImage(scope, b.Pixels), a.EncodeText(scope, b.IDs) })
		once.image.Feature, once.text.Feature = StopGradient(once.image.Feature), StopGradient(once.text.Feature)
		once.match = func(images, texts *Node) (probability *Node) {
			evaluating(func() {
				chosen := oneHot(texts, b.Pixels)
				fused := a.Fuse(scope, encoder.SelectRows(chosen, once.text.States), encoder.SelectRows(chosen, once.text.Bias), once.image.Tokens, oneHot(images, b.Pixels))
				probability = StopGradient(matched(a.MatchLogits(scope, fused)))
			})
			return probability
		}
		return once
	}
}

// matched is the probability of "the text is true of the image" by ITM's logits [rows, 2].
func matched(logits *Node) *Node {
	return Squeeze(Slice(Softmax(logits, -1), AxisRange(), AxisRange(1, 2)), 1)
}

// connect has the negatives that the method's matching picks judged by its Positives. They are picked by the online embeddings.
func (a Model) connect(m negative.Method, b Batch, f negative.Features, frozen func() *seen) negative.Connections {
	i2t := StopGradient(objective.Similarities(f.Image, f.Text, f.Temperature))
	online := negative.Contrasted{I2T: i2t, T2I: Transpose(i2t, 0, 1)}
	candidates := m.Picked(f, online, b.Noise)
	batch := b.Pixels.Shape().Dim(0)
	if m.Positives.Judge() == negative.Oracle {
		candidates.ImageScores = ReduceSum(Mul(Transpose(b.Truth, 0, 1), oneHot(candidates.Images, b.Truth)), -1)
		candidates.TextScores = ReduceSum(Mul(b.Truth, oneHot(candidates.Texts, b.Truth)), -1)
		return m.Positives.Connect(candidates)
	}
	own := Iota(b.Pixels.Graph(), shapes.Make(dtypes.Int32, batch), 0)
	scores := frozen().match(Concatenate([]*Node{candidates.Images, own}, 0), Concatenate([]*Node{own, candidates.Texts}, 0))
	candidates.ImageScores = Slice(scores, AxisRange(0, batch))
	candidates.TextScores = Slice(scores, AxisRange(batch, 2*batch))
	return m.Positives.Connect(candidates)
}

// further are the rows that new positives add to MLM: images with their new texts, then texts with their new images. Rows to
// spare predict nothing.
type further struct {
	masked, labels *Node // [room, tokens] int32
	padded         *Node // ids whose zeros are the padding, [room, tokens] int32
	choice         *Node // of the images, one-hot, [room, batch]
	count          *Node // of the new positives, a scalar
}

func (a Model) joining(b Batch, c negative.Connections) *further {
	f := c.Further(b.Room)
	ids := Gather(b.IDs, InsertAxes(f.Texts, -1))
	masked, labels := objective.MaskByCodes(ids, f.Pick(b.Fresh))
	taken := BroadcastToDims(InsertAxes(f.Taken, -1), labels.Shape().Dimensions...)
	return &further{
		masked: masked, padded: a.padding(masked, ids), labels: Where(taken, labels, ConstAs(labels, objective.Ignored)), choice: oneHot(f.Images, b.Pixels),
		count: f.Count,
	}
}
