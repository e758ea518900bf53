package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// What ONNX Runtime computes by fused operations is what pure Go computes one operation after another, to the bit: broadcast operands,
// slices, paddings, patches, choices, products of small matrices, and tensors of which a thread computes a part.
func TestFusedOperationsChangeNoNumber(t *testing.T) {
	onnx, reference := enginetest.Open(t, "onnx:cpu"), enginetest.Open(t, "go:ops_sequential")
	for seed := range uint64(20) {
		want, got := results(t, reference, seed), results(t, onnx, seed)
		for i := range want {
			if !slices.EqualFunc(got[i], want[i], func(x, y float32) bool {
				return math.Float32bits(x) == math.Float32bits(y) ||
					x != x && y != y
			}) {
				t.Errorf("seed %d: result %d differs between the engines", seed, i)
			}
		}
	}
}

// given are tensors that a seed draws.
func given(seed uint64) []any {
	draw := rand.New(rand.NewPCG(seed, 17))
	rows, width := 1+draw.IntN(300), 1+draw.IntN(70)
	return []any{random(draw, rows, width), random(draw, width), random(draw, rows, 1),
		random(draw, 1+draw.IntN(6), 3+draw.IntN(12), 3+draw.IntN(12), 1+draw.IntN(20))}
}

func random(draw *rand.Rand, dims ...int) *tensors.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = float32(draw.IntN(9)-4) / 4 // so that some are equal
	}
	return tensors.FromFlatDataAndDimensions(numbers, dims...)
}

func results(t *testing.T, on compute.Backend, seed uint64) [][]float32 {
	t.Helper()
	exec := must.Get(graph.NewExec(on, func(given []*graph.Node) []*graph.Node {
		x, row, column, maps := given[0], given[1], given[2], given[3]
		centred := graph.Sub(x, column)
		scaled := graph.Add(graph.Mul(graph.Div(centred, graph.AddScalar(graph.Sqrt(graph.Abs(column)), .5)), graph.InsertAxes(row, 0)), x)
		clipped := graph.Where(graph.GreaterThan(scaled, x), scaled, graph.Neg(x))
		chosen := graph.Add(graph.Where(graph.GreaterOrEqual(x, column), x, clipped),
			graph.Where(graph.LessOrEqual(x, graph.InsertAxes(row, 0)), clipped, scaled))
		chosen = graph.Sub(chosen, graph.Add(graph.Where(graph.LessThan(x, graph.InsertAxes(row, 0)), x, scaled),
			graph.Where(graph.Equal(x, graph.InsertAxes(row, 0)), scaled, x)))
		largest := graph.ReduceMax(clipped, -1) // not of one number each: the fused operations end here
		again := graph.Sub(graph.Mul(scaled, scaled), graph.InsertAxes(largest, -1))

		padded := graph.Pad(maps, graph.ScalarZero(maps.Graph(), maps.DType()), compute.PadAxis{}, compute.PadAxis{Start: 1, End: 1},
			compute.PadAxis{Start: 1, End: 1})
		var taps []*graph.Node
		height, width := maps.Shape().Dim(1), maps.Shape().Dim(2)
		for i := range 3 {
			taps = append(taps, graph.Slice(padded, graph.AxisRange(), graph.AxisRange(i, i+height), graph.AxisRange(1, 1+width),
				graph.AxisRange()))
		}
		patches := graph.Concatenate(taps, -1)
		sum := graph.Add(graph.Mul(taps[0], taps[1]), graph.Sub(taps[2], maps))
		spread := graph.Add(
			graph.Pad(sum, graph.ScalarZero(maps.Graph(), maps.DType()), compute.PadAxis{}, compute.PadAxis{Start: 2}),
			graph.Pad(maps, graph.ScalarZero(maps.Graph(), maps.DType()), compute.PadAxis{}, compute.PadAxis{End: 2}))
		turned := graph.Add(graph.TransposeAllAxes(maps, 1, 0, 2, 3), graph.ScalarOne(maps.Graph(), maps.DType()))
		stack, size, keys, wide := maps.Shape().Dim(0), maps.Shape().Dim(1), maps.Shape().Dim(2), maps.Shape().Dim(3)
		heads := graph.TransposeAllAxes(graph.Reshape(graph.Concatenate([]*graph.Node{maps, maps, maps}, -1), stack, size*keys, 3, wide),
			2, 0, 1, 3)
		of := func(i int) *graph.Node { return graph.Squeeze(graph.Slice(heads, graph.AxisRange(i, i+1)), 0) } // [stack, size*keys, wide]
		scores := graph.Einsum("sqd,skd->sqk", graph.MulScalar(of(0), .5), of(1))
		mixed := graph.Einsum("skq,skd->sqd", scores, of(2))
		beside := graph.MulScalar(graph.TransposeAllAxes(mixed, 1, 0, 2), 2)
		across := graph.TransposeAllAxes(graph.Einsum("sqd,skd->sqk", of(2), of(1)), 0, 2, 1)
		return []*graph.Node{scaled, clipped, chosen, largest, again, patches, sum, spread, turned, scores, beside, across}
	}))(t)
	defer exec.Finalize()
	outputs, err := exec.Call(given(seed)...)
	if err != nil {
		t.Fatal(fmt.Errorf("on %s: %w", on.Name(), err))
	}
	numbers := make([][]float32, len(outputs))
	for i, out := range outputs {
		numbers[i] = tensors.MustCopyFlatData[float32](out)
	}
	return numbers
}
