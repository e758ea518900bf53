package framework

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// Halves are the two parts of a step: encoders, which see each pair by itself, and losses, which see the whole mini-batch.
type Halves interface {
	// Encode encodes pairs by their fields for the losses of a use, with the weights below a scope: nodes with a row a pair, which depends
	// on that pair alone.
	Encode(s *model.Scope, u Use, in field.Nodes) []*Node
	// Assess builds the losses of a mini-batch that is encoded, as Framework.Step does. It reads no field of images.
	Assess(s *model.Scope, u Use, in field.Nodes, seen Seen) (Forward, Reassess)
}

// Reassess builds the sum of some losses of the same mini-batch, encoded anew, on the same choices: see Forward.Again.
type Reassess func(which negative.Objectives, online []*Node) *Node

// Seen is a mini-batch as encoders see it, each as Halves.Encode returns it.
type Seen struct {
	Online    []*Node
	Momentum  []*Node // of momentum encoders, without gradient; nil unless the contrast is a negative.Distiller
	Reference []*Node // of the frozen reference model, without gradient; nil unless the contrast is negative.Informed
}

// Divisible is a Framework whose mini-batches can be encoded in chunks, so that memory bounds the chunk and not the mini-batch: by cached
// gradients (Gao et al., 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup"). Its Step is made of the two
// halves, as by [Composed].
type Divisible interface {
	Framework
	Halves
	// Divides reports why the mini-batches of a use cannot be divided, such as batch normalisation; nil where they can.
	Divides(u Use) error
}

// Composed is the step that two halves make.
func Composed(s *model.Scope, u Use, in field.Nodes, h Halves) Forward {
	store := s.Store()
	Prepare(store, in.Of(field.Progress).Graph(), u)
	seen := Consult(store, u, in, h)
	seen.Online = h.Encode(store.Scope(Model), u, in)
	forward, again := h.Assess(s, u, in, seen)
	forward.Again = func(which negative.Objectives) *Node {
		u.Objectives = which
		return again(which, h.Encode(store.Scope(Model), u, in))
	}
	return forward
}

// Prepare builds what a step does once before anything is encoded: momentum encoders follow the weights.
func Prepare(store *model.Store, g *Graph, u Use) {
	if distiller, distils := u.Method.Contrast.(negative.Distiller); distils {
		Follow(store, g, distiller.Momentum())
	}
}

// Consult encodes pairs by the models that a method asks besides the one that is trained.
func Consult(store *model.Store, u Use, in field.Nodes, h Halves) (seen Seen) {
	if _, distils := u.Method.Contrast.(negative.Distiller); distils {
		seen.Momentum = still(h.Encode(store.Scope(Momentum), u, in))
	}
	if _, informed := u.Method.Contrast.(negative.Informed); informed {
		Evaluating(store, in.Of(field.Progress).Graph(), func() { seen.Reference = still(h.Encode(store.Scope(Frozen), u, in)) })
	}
	return seen
}

// still are nodes without gradient.
func still(nodes []*Node) []*Node {
	var all []*Node
	for _, x := range nodes {
		all = append(all, StopGradient(x))
	}
	return all
}
