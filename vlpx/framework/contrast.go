package framework

import (
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// Normalise divides each row of x by its L2 norm, at least 1e-12 (METHODS.md, notation).
func Normalise(x *Node) *Node {
	square := ReduceAndKeep(Square(x), ReduceSum, -1)
	return Div(x, Sqrt(MaxScalar(square, 1e-24)))
}

// Contrasting is what the step of a framework whose only loss is the contrastive one is made of.
type Contrasting struct {
	// Embed embeds pairs by their fields, with the weights below a scope: images and captions, or two views of the images and further ones,
	// [pairs, dim] each, normalised.
	Embed func(s *model.Scope, in field.Nodes) []*Node
	// Head makes the embeddings of what Embed returns of a whole mini-batch, with the weights below a scope, where these depend on each
	// other, as by batch normalisation; nil where Embed returns them.
	Head func(s *model.Scope, encoded []*Node) []*Node
	// Temperature is tau with the weights below a scope, a scalar.
	Temperature func(*model.Scope, *Graph) *Node
	// Views says that all embeddings are of views of the same images.
	Views bool
}

// Contrast is the step of a framework whose only loss is the contrastive one, which it calls negative.ITC: the method's Contrast of the
// embeddings, with momentum encoders and a frozen reference model where it asks for them. Its inputs are those of Embed, and
// Use.Fields(field.Progress).
func Contrast(s *model.Scope, u Use, in field.Nodes, c Contrasting) Forward {
	return Composed(s, u, in, c)
}

// Encode implements [Halves].
func (c Contrasting) Encode(s *model.Scope, _ Use, in field.Nodes) []*Node { return c.Embed(s, in) }

// Assess implements [Halves].
func (c Contrasting) Assess(s *model.Scope, u Use, in field.Nodes, seen Seen) (Forward, Reassess) {
	store, g := s.Store(), in.Of(field.Progress).Graph()
	f := u.Features(store, in)
	f.Views = c.Views
	embed := func(root string, encoded []*Node) (image, text *Node) {
		if c.Head != nil {
			encoded = c.Head(store.Scope(root), encoded)
		}
		f.Support = encoded[2:]
		return encoded[0], encoded[1]
	}
	if seen.Momentum != nil {
		image, text := embed(Momentum, seen.Momentum)
		f.MomentumImage, f.MomentumText = StopGradient(image), StopGradient(text)
	}
	if seen.Reference != nil {
		Evaluating(store, g, func() {
			image, text := embed(Frozen, seen.Reference)
			f.ReferenceImage, f.ReferenceText = StopGradient(image), StopGradient(text)
		})
	}
	contrasted := func(online []*Node) negative.Contrasted {
		f.Temperature = c.Temperature(store.Scope(Model), g)
		f.Image, f.Text = embed(Model, online)
		return u.Method.Contrasted(f)
	}
	first := contrasted(seen.Online)
	forward := Forward{
		Losses:  map[negative.Loss]*Node{negative.ITC: first.Loss},
		Outputs: field.Nodes{field.ImageEmbedding: f.Image, field.TextEmbedding: f.Text},
	}
	Report(forward.Outputs, f, f.Unpicked(first))
	return forward, func(_ negative.Objectives, online []*Node) *Node { return contrasted(online).Loss }
}

// Follow moves the momentum weights towards the online ones as they were before this step's update (METHODS.md 1.3).
func Follow(store *model.Store, g *Graph, decay float64) {
	for v := range store.Scope(Momentum).IterVariables() {
		online := store.GetVariable(Model + strings.TrimPrefix(v.Path(), Momentum))
		v.SetNodeValue(MovingAverage(v.NodeValue(g), StopGradient(online.NodeValue(g)), decay))
	}
}

// MovingAverage is decay times the average plus the rest of the value: the momentum update of ALBEF.
func MovingAverage(average, value *Node, decay float64) *Node {
	return Add(MulScalar(average, decay), MulScalar(value, 1-decay))
}

// Evaluating builds a part of a graph as evaluation does, without dropout.
func Evaluating(store *model.Store, g *Graph, build func()) {
	training := store.IsTraining(g)
	store.SetTraining(g, false)
	defer store.SetTraining(g, training)
	build()
}
