package encoder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Deviations of -3, -1, 1 and 3 have the variance 5; a constant row has nothing left but the offset.
func TestLayerNormByHand(t *testing.T) {
	const epsilon = 1e-6
	x := [][]float32{{1, 3, 5, 7}, {4, 4, 4, 4}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node { return []*Node{LayerNorm(s.In("n"), in[0], epsilon)} }, x)
	n.set("/n/"+Gain, []float32{1, 1, 2, 1})
	n.set("/n/"+Offset, []float32{0, 0, 0.5, -1})
	root := math.Sqrt(5 + epsilon)
	want := []float64{-3 / root, -1 / root, 2/root + 0.5, 3/root - 1, 0, 0, 0.5, -1}
	near(t, "layer normalisation", n.run(x)[0], want, 1e-6)
}

func TestGELUByHand(t *testing.T) {
	x := []float32{0, 1, -1, 8, -8}
	n := newNetwork(t, func(_ *model.Scope, in []*Node) []*Node { return []*Node{gelu(in[0])} }, x)
	// The normal distribution function of 1 is 0.8413447.
	near(t, "GELU", n.run(x)[0], []float64{0, 0.8413447, -0.1586553, 8, 0}, 1e-6)
}

func TestLinearAgainstLoop(t *testing.T) {
	x := normals(rand.New(rand.NewPCG(3, 3)), 2*3*4)
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		y := Linear(s.In("l"), in[0], 5, false)
		y.AssertDims(2, 3, 5)
		return []*Node{y}
	}, shaped(x, 2, 3, 4))
	var want []float64
	for _, row := range rows(x, 4) {
		want = append(want, n.linear("/l", row)...)
	}
	near(t, "linear", n.run(shaped(x, 2, 3, 4))[0], want, 1e-5)
}

// bfloat16 keeps 8 bits of the factors: a product of a few terms is good to a few hundredths, and it is not exact.
func TestHalfIsNearFloat32(t *testing.T) {
	x := shaped(normals(rand.New(rand.NewPCG(4, 4)), 8*16), 8, 16)
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		half := Linear(s.In("l"), in[0], 16, true)
		half.AssertDims(8, 16)
		return []*Node{half, Linear(s.At("l"), in[0], 16, false)}
	}, x)
	got := n.run(x)
	near(t, "half", got[0], got[1], 0.1)
	if slices.Equal(got[0], got[1]) {
		t.Error("half gives float32's very numbers; it was not used")
	}
}

// While training a share of the values is dropped and the rest grown to keep the mean; otherwise nothing happens.
func TestDropout(t *testing.T) {
	const size, rate = 20_000, 0.2
	ones := make([]float32, size)
	for i := range ones {
		ones[i] = 1
	}
	for _, training := range []bool{true, false} {
		got := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
			s.Store().SetTraining(in[0].Graph(), training)
			return []*Node{dropout(s.In("d"), in[0], rate)}
		}, ones).run(ones)[0]
		dropped := 0
		for i, x := range got {
			switch {
			case x == 0:
				dropped++
			case training && math.Abs(float64(x)-1/(1-rate)) > 1e-6, !training && x != 1:
				t.Fatalf("training %v, value %d: got %v", training, i, x)
			}
		}
		want := 0.0
		if training {
			want = size * rate
		}
		if math.Abs(float64(dropped)-want) > 5*math.Sqrt(want*(1-rate)) {
			t.Errorf("training %v: got %d of %d dropped, want about %v", training, dropped, size, want)
		}
	}
}
