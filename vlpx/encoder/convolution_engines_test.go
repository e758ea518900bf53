package encoder_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
)

// convolutionCase is a convolution of maps [batch, side, side, in].
type convolutionCase struct{ batch, side, in, size, stride, out int }

// A convolution and its gradients are those of pure Go on ONNX Runtime, where package fusion has an operation for them.
func TestConvolutionOnONNXRuntime(t *testing.T) {
	onnx, reference := enginetest.Open(t, "onnx:cpu"), enginetest.Open(t, "go:ops_sequential")
	for _, c := range []convolutionCase{
		{20, 32, 3, 7, 2, 32}, {20, 8, 32, 3, 1, 48}, {20, 9, 16, 3, 2, 32}, {70, 2, 64, 3, 1, 64}, {3, 1, 16, 3, 1, 16}, {3, 2, 16, 3, 2, 16},
		{20, 8, 32, 1, 2, 16}, {3, 7, 5, 3, 1, 7},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			got, want := c.run(t, onnx), c.run(t, reference)
			for i, what := range []string{"result", "images' gradient", "kernels' gradient"} {
				var furthest, largest float64
				for j := range want[i] {
					furthest = max(furthest, math.Abs(float64(got[i][j]-want[i][j])))
					largest = max(largest, math.Abs(float64(want[i][j])))
				}
				if !(furthest <= 1e-5*largest) {
					t.Errorf("a %s is %v off, of at most %v", what, furthest, largest)
				}
			}
		})
	}
}

// run is the convolution of normal draws, and the gradients of maps and kernels for other draws.
func (c convolutionCase) run(t *testing.T, on compute.Backend) [][]float32 {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	draw := func(dims ...int) *tensors.Tensor {
		n := 1
		for _, d := range dims {
			n *= d
		}
		numbers := make([]float32, n)
		for i := range numbers {
			numbers[i] = float32(r.NormFloat64())
		}
		return tensors.FromFlatDataAndDimensions(numbers, dims...)
	}
	store, places := model.NewStore(), (c.side+c.stride-1)/c.stride
	exec := must.Get(model.NewExec(on, store, func(s *model.Scope, in []*Node) []*Node {
		y := encoder.Convolution(s.In("c"), in[0], c.size, c.stride, c.out, false)
		kernels := s.Store().GetVariable("/c/" + encoder.Weights).NodeValue(y.Graph())
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, in[1])), in[0], kernels)...)
	}))(t)
	defer exec.Finalize()
	x, along := draw(c.batch, c.side, c.side, c.in), draw(c.batch, places, places, c.out)
	must.Get(exec.Call(x, along))(t) // declares the variable
	must.Do(t, store.GetVariable("/c/"+encoder.Weights).SetValue(draw(c.size, c.size, c.in, c.out)))
	var numbers [][]float32
	for _, out := range must.Get(exec.Call(x, along))(t) {
		numbers = append(numbers, tensors.MustCopyFlatData[float32](out))
	}
	return numbers
}
