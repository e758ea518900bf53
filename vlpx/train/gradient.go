package train

import (
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Optimiser is the root of the optimiser's variables: AdamW's step count and two moments for each weight, or LARS's momentum.
const Optimiser = "/optimiser"

// learned are the weights that a loss depends on, in the order of their paths, with their values and gradients.
type learned struct {
	weights           []*model.Variable
	values, gradients []*Node
}

// learn builds the gradient of a loss by the trainable variables of the model and of the method's parts.
func learn(store *model.Store, loss *Node) learned {
	l, _ := learnBy(store, loss)
	return l
}

// learnBy is learn, with the gradient by further nodes.
func learnBy(store *model.Store, loss *Node, further ...*Node) (l learned, of []*Node) {
	l.weights = inUse(store, loss.Graph())
	l.values = values(l.weights, loss.Graph())
	all := Gradient(loss, append(slices.Clone(l.values), further...)...)
	l.gradients = all[:len(l.values)]
	return l, all[len(l.values):]
}

// inUse are the trainable variables that a graph reads, in the order of their paths.
func inUse(store *model.Store, g *Graph) (weights []*model.Variable) {
	for _, root := range []string{framework.Model, framework.State} {
		for v := range store.Scope(root).IterVariables() {
			if v.Trainable && v.InUseByGraph(g) {
				weights = append(weights, v)
			}
		}
	}
	slices.SortFunc(weights, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	return weights
}

// values are the nodes of variables in a graph.
func values(of []*model.Variable, g *Graph) (nodes []*Node) {
	for _, v := range of {
		nodes = append(nodes, v.NodeValue(g))
	}
	return nodes
}

// norm is that of the whole gradient.
func (l learned) norm() *Node {
	square := ScalarZero(l.gradients[0].Graph(), l.gradients[0].DType())
	for _, d := range l.gradients {
		square = Add(square, ReduceAllSum(Square(d)))
	}
	return Sqrt(square)
}

// ofPart reports whether a weight is one that a part of the method trains, and whether that decays.
func ofPart(v *model.Variable) (is, decays bool) {
	if below, is := strings.CutPrefix(v.Path(), framework.State); is {
		_, of, trained := negative.Trained(below)
		return trained, of.Decays
	}
	return false, false
}

// setter gives variables new values, unless hold, a boolean scalar or nil, is true.
func setter(g *Graph, hold *Node) func(v *model.Variable, value *Node) {
	return func(v *model.Variable, value *Node) {
		if hold != nil {
			value = Where(hold, v.NodeValue(g), value)
		}
		v.SetNodeValue(value)
	}
}

// kept is a variable of the optimiser, zero at first.
func kept(store *model.Store, name string, shape shapes.Shape) *model.Variable {
	return keptFrom(store, name, shape, initializer.Zero)
}

// keptFrom is kept, with another first value.
func keptFrom(store *model.Store, name string, shape shapes.Shape, first model.VariableInitializer) *model.Variable {
	path := Optimiser + "/" + strings.TrimPrefix(name, "/")
	return store.VariableWithShape(path, shape, first).SetTrainable(false)
}
