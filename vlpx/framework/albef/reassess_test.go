package albef

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/steptest"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// threePairs is a mini-batch of three images and captions of five tokens, at the end of epoch 0.
func threePairs() []*tensors.Tensor {
	pixels := make([]float32, 3*16*16*3)
	for i := range pixels {
		pixels[i] = float32(math.Sin(float64(i * i)))
	}
	const no = objective.Ignored
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(pixels, 3, 16, 16, 3),
		tensors.FromValue([][]int32{{2, 5, 6, 3, 0}, {2, 7, 8, 9, 3}, {2, 10, 3, 0, 0}}),
		tensors.FromValue([][]int32{{2, 4, 6, 3, 0}, {2, 7, 4, 4, 3}, {2, 4, 3, 0, 0}}),
		tensors.FromValue([][]int32{{no, 5, no, no, no}, {no, no, 8, 9, no}, {no, 10, no, no, no}}),
		tensors.FromValue(make([]float32, 2*3*3)),
		tensors.FromScalar(float32(1)),
	}
}

// threeFields are threePairs in a graph, by their names.
func threeFields(in []*Node) field.Nodes {
	return field.Nodes{field.Image: in[0], field.Captions: in[1], field.Masked: in[2], field.Words: in[3],
		field.Noise:    Reshape(in[4], 2, 3, 3),
		field.Progress: in[5]}
}

// assess is the first pass of a step.
func assess(a Model, s *model.Scope, m negative.Method, in field.Nodes, which negative.Objectives) (*batch, passed) {
	b := a.batch(s.Store(), framework.Use{Method: m, Room: 6}, in)
	return b, b.assess(which)
}

// measured are the scalars that build makes of the three pairs, by the weights of a store.
func measured(t *testing.T, on compute.Backend, store *model.Store, build func(s *model.Scope, in field.Nodes) []*Node) []float64 {
	t.Helper()
	var numbers []float64
	for _, of := range steptest.Run(t, on, store, func(s *model.Scope, in []*Node) []*Node { return build(s, threeFields(in)) },
		threePairs()...) {
		numbers = append(numbers, of[0])
	}
	return numbers
}

func initialised(t *testing.T, on compute.Backend, m negative.Method) *model.Store {
	t.Helper()
	store := model.NewStore()
	must.Do(t, framework.Initialise(small(), use(small(), m), on, store, negative.Start{Pairs: 9, BatchSize: 3, Dim: 6, Epochs: 2,
		Seed: 3}))
	return store
}

// nextOnes gives each text the next image and each image the next text, whatever their similarities.
type nextOnes struct{}

func (nextOnes) Pairs(c negative.Contrasted, _ *Node) negative.Pairs {
	g := c.I2T.Graph()
	return negative.Pairs{
		Images: Const(g, []int32{0, 1, 2, 1, 2, 0, 0, 1, 2}),
		Texts:  Const(g, []int32{0, 1, 2, 0, 1, 2, 1, 2, 0}),
		Labels: Const(g, []int32{1, 1, 1, 0, 0, 0, 0, 0, 0}),
	}
}

var subsets = []negative.Objectives{
	negative.Of(negative.ITC), negative.Of(negative.ITM), negative.Of(negative.MLM), negative.Of(negative.ITC, negative.ITM),
	negative.Of(negative.ITM, negative.MLM), negative.All,
}

// By the same weights a mini-batch has the same losses at its second assessment.
func TestReassessAgrees(t *testing.T) {
	for _, m := range []negative.Method{negative.Plain(), negative.GRITVLP(3, 6)} {
		on := enginetest.PureGo(t)
		got := measured(t, on, initialised(t, on, m), func(s *model.Scope, in field.Nodes) []*Node {
			b, l := assess(small(), s, m, in, negative.All)
			out := []*Node{l.losses[negative.ITC], l.losses[negative.ITM], l.losses[negative.MLM]}
			for _, which := range subsets {
				out = append(out, b.reassess(which, b.encode(which), l))
			}
			return out
		})
		for k, which := range subsets {
			if want := sumOf(which, got); math.Abs(got[3+k]-want) > 1e-6*want {
				t.Errorf("%s, %s: got %g, want %g", m.Name, which, got[3+k], want)
			}
		}
	}
}

// sumOf adds those of ITC, ITM and MLM that an objective names.
func sumOf(which negative.Objectives, losses []float64) float64 {
	sum := 0.0
	for k, in := range []bool{which.Has(negative.ITC), which.Has(negative.ITM), which.Has(negative.MLM)} {
		if in {
			sum += losses[k]
		}
	}
	return sum
}

// Weights that the graph moves between the two assessments count in the second, which keeps to the pairs it is given. The
// call leaves the moved weights in the store, where another graph measures what they give.
func TestReassessAfterAnUpdate(t *testing.T) {
	m := negative.GRITVLP(3, 6)
	given := m
	given.Matching = nextOnes{}
	on := enginetest.PureGo(t)
	store := initialised(t, on, m)
	got := measured(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
		b, l := assess(small(), s, m, in, negative.All)
		pairs := nextOnes{}.Pairs(negative.Contrasted{I2T: l.features.Image}, nil)
		out := []*Node{l.losses[negative.ITC], l.losses[negative.ITM], l.losses[negative.MLM]}
		for v := range s.Store().Scope(framework.Model).IterVariables() {
			v.SetNodeValue(AddScalar(MulScalar(v.NodeValue(in[field.Image].Graph()), 1.5), 0.05))
		}
		for _, which := range subsets {
			out = append(out, b.reassess(which, b.encode(which), passed{pairs: pairs}))
		}
		return out
	})
	moved := measured(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
		_, l := assess(small(), s, given, in, negative.All)
		return []*Node{l.losses[negative.ITC], l.losses[negative.ITM], l.losses[negative.MLM]}
	})
	for k, which := range subsets {
		want, before := sumOf(which, moved), sumOf(which, got)
		if math.Abs(got[3+k]-want) > 1e-5*want {
			t.Errorf("%s: got %g, want %g by the moved weights", which, got[3+k], want)
		}
		if math.Abs(want-before) < 1e-3 {
			t.Errorf("%s: %g before and %g after: the weights did not move it", which, before, want)
		}
	}
}

// Where the method distils, MLM's second assessment is against the masked words alone.
func TestReassessWithoutDistillation(t *testing.T) {
	m, on := negative.ALBEF(6), enginetest.PureGo(t)
	got := measured(t, on, initialised(t, on, m), func(s *model.Scope, in field.Nodes) []*Node {
		b, l := assess(small(), s, m, in, negative.All)
		_, plainly := assess(small(), s, negative.Plain(), in, negative.All)
		return []*Node{
			b.reassess(negative.Of(negative.MLM), b.encode(negative.Of(negative.MLM)), l), plainly.losses[negative.MLM], l.losses[negative.MLM],
		}
	})
	if math.Abs(got[0]-got[1]) > 1e-6*got[1] || math.Abs(got[0]-got[2]) < 1e-3 {
		t.Errorf("got %g, want %g as without distillation, not %g", got[0], got[1], got[2])
	}
}
