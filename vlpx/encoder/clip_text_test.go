package encoder

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

var tinyCLIPText = CLIPText{Vocab: 9, Positions: 6, Width: 4, Layers: 2, Heads: 2, MLP: 5}

// The end is the first token of the largest id, or the last one that is no padding.
func TestEnd(t *testing.T) {
	ids := [][]int32{{2, 8, 5, 8, 0}, {2, 5, 3, 0, 0}, {2, 3, 1, 4, 8}, {0, 0, 0, 0, 0}}
	n := newNetwork(t, func(_ *model.Scope, in []*Node) []*Node {
		place := func(e End) *Node {
			return ConvertDType(ArgMax(ConvertDType(e.of(in[0]), dtypes.Int32), -1), dtypes.Float32)
		}
		return []*Node{place(""), place(LastToken)}
	}, ids)
	got := n.run(ids)
	near(t, "largest id", got[0], []float64{1, 1, 4, 0}, 0)
	near(t, "last token", got[1], []float64{3, 2, 4, 0}, 0)
}

// What follows a token does not reach it; what precedes it does.
func TestCausal(t *testing.T) {
	first, other := [][]int32{{2, 5, 3, 8, 0}}, [][]int32{{2, 5, 4, 8, 0}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		x := tinyCLIPText.states(s.In("text"), in[0], nil, false)
		x.AssertDims(1, 5, 4)
		return []*Node{x}
	}, first)
	a, b := n.run(first)[0], n.run(other)[0]
	for place, same := range []bool{true, true, false, false, false} {
		if got := slices.Equal(a[4*place:4*place+4], b[4*place:4*place+4]); got != same {
			t.Errorf("state %d is the same with another token 2: got %v, want %v", place, got, same)
		}
	}
}

// A text's feature does not depend on the padding behind it.
func TestTextsOfAnyLength(t *testing.T) {
	for _, end := range []End{"", LastToken} {
		c := tinyCLIPText
		c.End = end
		short, long := [][]int32{{2, 5, 8}}, [][]int32{{2, 5, 8, 0, 0, 0}}
		n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node { return []*Node{c.Encode(s.In("text"), in[0], false)} }, short)
		near(t, "padded with end "+string(end), n.run(long)[0], n.run(short)[0], 1e-6)
	}
}

func TestProjectIsWithoutBias(t *testing.T) {
	x := [][]float32{{1, 2}, {0, 0}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node { return []*Node{Project(s.In("p"), in[0], 3, false)} }, x)
	n.set("/p/"+Weights, []float32{1, 2, 3, 10, 20, 30})
	near(t, "projection", n.run(x)[0], []float64{21, 42, 63, 0, 0, 0}, 0)
}
