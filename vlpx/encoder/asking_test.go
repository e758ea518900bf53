package encoder

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// What is computed of the tokens that ask alone is what the whole layer gives them, and so are the gradients of inputs and weights.
func TestAskingIsAPartOfTheWhole(t *testing.T) {
	const rows, tokens, images, patches, width = 3, 5, 2, 4, 6
	r := rand.New(rand.NewPCG(3, 5))
	states, pixels := normals(r, rows*tokens*width), normals(r, images*patches*width)
	mask := [][]float32{{1, 1, 1, 0, 0}, {1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}}
	choice := [][]float32{{0, 1}, {1, 0}, {0, 1}}
	blocks := map[string]Block{
		"BERT":        twoHeads,
		"EVA":         {Width: width, Heads: 2, MLP: 5, PreNorm: true, Epsilon: 1e-5, KeysUnbiased: true},
		"recomputing": {Width: width, Heads: 3, MLP: 5, Epsilon: 1e-5, Activation: Quick, Recompute: true},
	}
	for name, b := range blocks {
		layers := map[string]func(s *model.Scope, in []*Node, ask Asking) *Node{
			"self": func(s *model.Scope, in []*Node, ask Asking) *Node { return b.Self(s, in[0], PaddingBias(in[1]), ask) },
			"cross": func(s *model.Scope, in []*Node, ask Asking) *Node {
				return b.Cross(s, in[0], PaddingBias(in[1]), ask, func(s *model.Scope) Memory { return b.chosen(in[3], b.memory(s, in[2])) })
			},
		}
		for kind, layer := range layers {
			middle := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(2, 4)) }
			for place, ask := range map[string]Asking{"class": Class, "middle": middle} {
				x, image := shaped(states, rows, tokens, width), shaped(pixels, images, patches, width)
				n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
					whole, part := ask(layer(s.ResetVisited(), in, nil)), layer(s.ResetVisited(), in, ask)
					of := []*Node{in[0], in[2]}
					if kind == "self" {
						of = of[:1]
					}
					for v := range s.IterVariables() {
						if v.DType() == dtypes.Float32 { // but the state of random numbers
							of = append(of, v.NodeValue(in[0].Graph()))
						}
					}
					flat := func(state *Node) *Node {
						slopes := Gradient(ReduceAllSum(Mul(state, IotaFull(state.Graph(), state.Shape()))), of...)
						values := []*Node{Reshape(state, -1)}
						for _, slope := range slopes {
							values = append(values, Reshape(slope, -1))
						}
						return Concatenate(values, 0)
					}
					return []*Node{flat(whole), flat(part)}
				}, x, mask, image, choice)
				got := n.run(x, mask, image, choice)
				near(t, name+", "+kind+"-attention, "+place, got[1], got[0], 1e-3)
			}
		}
	}
}
