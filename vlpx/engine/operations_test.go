package engine

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

func TestOperations(t *testing.T) {
	backend := open(t, Choice{Name: PureGo})
	parameter := func(g *Graph, name string, dims ...int) *Node {
		return Parameter(g, name, shapes.Make(dtypes.Float32, dims...))
	}
	for _, c := range []struct {
		name  string
		build func(g *Graph) []*Node
		want  float64
	}{
		{"no product", func(g *Graph) []*Node { return []*Node{Exp(parameter(g, "x", 3, 4))} }, 0},
		{"a product", func(g *Graph) []*Node { return []*Node{MatMul(parameter(g, "x", 3, 4), parameter(g, "w", 4, 5))} }, 2 * 3 * 4 * 5},
		{"a batch of products", func(g *Graph) []*Node {
			return []*Node{EinsumAxes(parameter(g, "q", 2, 6, 3, 4), parameter(g, "k", 2, 6, 5, 4), [][2]int{{3, 3}},
				[][2]int{{0, 0}, {1, 1}})}
		}, 2 * 2 * 6 * 3 * 5 * 4},
		{"a product that two results need", func(g *Graph) []*Node {
			y := MatMul(parameter(g, "x", 3, 4), parameter(g, "w", 4, 5))
			return []*Node{Exp(y), Neg(y)}
		}, 2 * 3 * 4 * 5},
		{"a product that nothing needs", func(g *Graph) []*Node {
			x := parameter(g, "x", 3, 4)
			MatMul(x, parameter(g, "w", 4, 5))
			return []*Node{Neg(x)}
		}, 0},
		{"a product with both gradients", func(g *Graph) []*Node {
			x, w := parameter(g, "x", 3, 4), parameter(g, "w", 4, 5)
			return Gradient(ReduceAllSum(Square(MatMul(x, w))), x, w)
		}, 3 * 2 * 3 * 4 * 5},
		{"a convolution", func(g *Graph) []*Node {
			return []*Node{Convolve(parameter(g, "x", 2, 8, 8, 3), parameter(g, "k", 3, 3, 3, 7)).PadSame().Done()}
		}, 2 * (2 * 8 * 8 * 7) * (3 * 3 * 3)},
		{"a strided convolution with both gradients", func(g *Graph) []*Node {
			x, k := parameter(g, "x", 2, 8, 8, 3), parameter(g, "k", 2, 2, 3, 7)
			y := Convolve(x, k).Strides(2).NoPadding().Done()
			return append(Gradient(ReduceAllSum(Square(y)), x, k), y)
		}, 3 * 2 * (2 * 4 * 4 * 7) * (2 * 2 * 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGraph(backend, c.name)
			defer g.Finalize()
			got, err := Operations(c.build(g)...)
			if err != nil || got != c.want {
				t.Errorf("got %v operations, %v; want %v", got, err, c.want)
			}
		})
	}
}
