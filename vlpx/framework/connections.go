package framework

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// Reference is a mini-batch as the frozen reference model sees it, without gradient and without dropout.
type Reference struct {
	Image, Text *Node // embeddings
	// Match gives the probability that images and texts of the batch match, by their positions, [rows].
	Match func(images, texts *Node) *Node
}

// Referring returns a function that runs the frozen reference model on a mini-batch when it is first called. Look encodes the mini-batch
// with the weights below a scope; match gives ITM's logits [rows, 2] of pairs by their positions.
func Referring(store *model.Store, g *Graph,
	look func(s *model.Scope) (image, text *Node, match func(images, texts *Node) *Node)) func() *Reference {
	var once *Reference
	return func() *Reference {
		if once != nil {
			return once
		}
		once = &Reference{}
		var match func(images, texts *Node) *Node
		Evaluating(store, g, func() { once.Image, once.Text, match = look(store.Scope(Frozen)) })
		once.Image, once.Text = StopGradient(once.Image), StopGradient(once.Text)
		once.Match = func(images, texts *Node) (probability *Node) {
			Evaluating(store, g, func() {
				probability = StopGradient(Squeeze(Slice(Softmax(match(images, texts), -1), AxisRange(), AxisRange(1, 2)), 1))
			})
			return probability
		}
		return once
	}
}

// Contrasted builds the contrast of a mini-batch whose embeddings and temperature f has: with the reference model, if it asks it, and
// with what the method's Positives decide. It returns what the contrast saw, and the pairs that ITM sees: of Matching, which does not
// see the negatives that are left out, or of the Positives.
//
//   - noise: standard Gumbel draws for sampled matching, [2, batch, batch].
//   - known: the pairs of an earlier pass on the mini-batch, which stay; nil for none.
func Contrasted(m negative.Method, f negative.Features, noise *Node, refer func() *Reference, known *negative.Pairs) (
	negative.Features, negative.Contrasted, negative.Pairs,
) {
	if _, informed := m.Contrast.(negative.Informed); informed {
		f.ReferenceImage, f.ReferenceText = refer().Image, refer().Text
	}
	if m.Positives != nil {
		connections := connect(m, f, noise, refer)
		f.Connections = &connections
	}
	c := f.Unpicked(m.Contrasted(f))
	switch {
	case known != nil:
		return f, c, *known
	case f.Connections != nil:
		return f, c, f.Connections.Pairs
	}
	return f, c, m.ITMPairs(f, c, noise)
}

// connect has the negatives that the method's matching picks judged by its Positives. They are picked by the online embeddings.
func connect(m negative.Method, f negative.Features, noise *Node, refer func() *Reference) negative.Connections {
	i2t := StopGradient(objective.Similarities(f.Image, f.Text, f.Temperature))
	c := m.Picked(f, negative.Contrasted{I2T: i2t, T2I: Transpose(i2t, 0, 1)}, noise)
	batch := i2t.Shape().Dim(0)
	if m.Positives.Judge() == negative.Oracle {
		truth := f.Fields.Of(field.Truth)
		picked := func(places *Node) *Node { return OneHot(places, batch, truth.DType()) }
		c.ImageScores = ReduceSum(Mul(Transpose(truth, 0, 1), picked(c.Images)), -1)
		c.TextScores = ReduceSum(Mul(truth, picked(c.Texts)), -1)
		return m.Positives.Connect(c)
	}
	own := Iota(i2t.Graph(), shapes.Make(dtypes.Int32, batch), 0)
	scores := refer().Match(Concatenate([]*Node{c.Images, own}, 0), Concatenate([]*Node{own, c.Texts}, 0))
	c.ImageScores, c.TextScores = Slice(scores, AxisRange(0, batch)), Slice(scores, AxisRange(batch, 2*batch))
	return m.Positives.Connect(c)
}

// Report adds to the outputs of a step what its contrast gives: weights and labels, the negatives that are left out, the hardest ones,
// and what the Positives judged.
//
//   - c: without the similarities of negatives that are left out, see negative.Features.Unpicked.
func Report(outputs field.Nodes, f negative.Features, c negative.Contrasted) {
	outputs[field.Temperature] = f.Temperature
	outputs[field.HardestImages], outputs[field.HardestTexts] = negative.HardestNegatives(c)
	outputs.Add(field.Weights, c.Weights)
	outputs.Add(field.Labels, c.Labels)
	ofImages, ofTexts := f.FoundNegatives()
	outputs.Add(field.FoundOfImages, ofImages)
	outputs.Add(field.FoundOfTexts, ofTexts)
	if k := f.Connections; k != nil {
		outputs[field.PickedImages], outputs[field.PickedTexts] = k.Images, k.Texts
		outputs[field.ImageScores], outputs[field.TextScores] = k.ImageScores, k.TextScores
	}
}
