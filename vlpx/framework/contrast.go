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
	// Embed embeds the mini-batch with the weights below a scope: images and captions, or two views of the images and further ones, [batch,
	// dim] each, normalised.
	Embed func(*model.Scope) []*Node
	// Temperature is tau with the weights below a scope, a scalar.
	Temperature func(*model.Scope, *Graph) *Node
	// Views says that all embeddings are of views of the same images.
	Views bool
}

// Contrast is the step of a framework whose only loss is the contrastive one, which it calls negative.ITC: the method's Contrast of the
// embeddings, with momentum encoders and a frozen reference model where it asks for them. Its inputs are those of Embed, and
// Use.Fields(field.Progress).
func Contrast(s *model.Scope, u Use, in field.Nodes, c Contrasting) Forward {
	store, g := s.Store(), in.Of(field.Progress).Graph()
	f := u.Features(store, in)
	f.Views = c.Views
	embed := func(s *model.Scope) (image, text *Node) {
		all := c.Embed(s)
		f.Support = all[2:]
		return all[0], all[1]
	}
	if distiller, distils := u.Method.Contrast.(negative.Distiller); distils {
		Follow(store, g, distiller.Momentum())
		image, text := embed(store.Scope(Momentum))
		f.MomentumImage, f.MomentumText = StopGradient(image), StopGradient(text)
	}
	if _, informed := u.Method.Contrast.(negative.Informed); informed {
		Evaluating(store, g, func() {
			image, text := embed(store.Scope(Frozen))
			f.ReferenceImage, f.ReferenceText = StopGradient(image), StopGradient(text)
		})
	}
	contrasted := func() negative.Contrasted {
		f.Temperature = c.Temperature(store.Scope(Model), g)
		f.Image, f.Text = embed(store.Scope(Model))
		return u.Method.Contrasted(f)
	}
	first := contrasted()
	forward := Forward{
		Losses:  map[negative.Loss]*Node{negative.ITC: first.Loss},
		Outputs: field.Nodes{field.ImageEmbedding: f.Image, field.TextEmbedding: f.Text},
		Again:   func(negative.Objectives) *Node { return contrasted().Loss },
	}
	Report(forward.Outputs, f, f.Unpicked(first))
	return forward
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
