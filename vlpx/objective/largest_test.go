package objective

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// Largest is what sorting gives, ties included, on both engines, and its gradient goes to what it takes.
func TestLargest(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 1))
	const rows, width, k = 5, 9, 4
	x := make([]float32, rows*width)
	for i := range x {
		x[i] = float32(draw.IntN(7) - 3) // so that some are equal
	}
	for _, name := range []string{"go:ops_sequential", "onnx:cpu"} {
		out, err := ExecOnceN(enginetest.Open(t, name), func(in []*Node) []*Node {
			values, places := Largest(in[0], k)
			return []*Node{values, places, Gradient(ReduceAllSum(Mul(values, values)), in[0])[0]}
		}, tensors.FromFlatDataAndDimensions(x, rows, width))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		values, places, gradient := flat[float32](t, out[0]), flat[int32](t, out[1]), flat[float32](t, out[2])
		for r := range rows {
			row := x[r*width : (r+1)*width]
			order := make([]int, width)
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
			for j := range width {
				at, want := order[j], float32(0)
				if j < k {
					want = 2 * row[at]
					if values[r*k+j] != row[at] || int(places[r*k+j]) != at {
						t.Errorf("%s: row %v: %d is %g at %d, want %g at %d", name, row, j, values[r*k+j], places[r*k+j], row[at], at)
					}
				}
				if gradient[r*width+at] != want {
					t.Errorf("%s: row %v: gradient %g at %d, want %g", name, row, gradient[r*width+at], at, want)
				}
			}
		}
	}
}

func flat[T int32 | float32](t *testing.T, x *tensors.Tensor) []T {
	t.Helper()
	numbers := must.Get(tensors.CopyFlatData[T](x))(t)
	return numbers
}

// Neither end overflows, and the gradient is the softmax.
func TestLogSumExp(t *testing.T) {
	got := compiled(t, func(in []*Node) []*Node {
		y := LogSumExp(in[0])
		return []*Node{y, Gradient(ReduceAllSum(y), in[0])[0]}
	})(matrix{[]float64{2000, 2000, -2000, -2000 + math.Log(3)}, []int{2, 2}})
	for i, want := range []float64{2000 + math.Ln2, -2000 + math.Log(4)} {
		near(t, "value", got[0][i], want)
	}
	for i, want := range []float64{.5, .5, .25, .75} {
		near(t, "gradient", got[1][i], want)
	}
}
