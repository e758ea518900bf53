package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// matrix is a float64 tensor of any shape, in row-major order.
type matrix struct {
	data []float64
	dims []int
}

// drawn is a matrix of normal draws.
func drawn(r *rand.Rand, dims ...int) matrix {
	m := matrix{dims: dims}
	size := 1
	for _, d := range dims {
		size *= d
	}
	for range size {
		m.data = append(m.data, 2*r.NormFloat64())
	}
	return m
}

// row is a row of a matrix of rank two, or of one of rank three with its first two axes as one.
func (m matrix) row(i int) []float64 {
	n := m.dims[len(m.dims)-1]
	return m.data[i*n : (i+1)*n]
}

// compiled builds a graph on the pure-Go engine. The function it returns runs it on matrices and int32 labels.
func compiled(t *testing.T, build func(in []*Node) []*Node) func(in ...any) [][]float64 {
	t.Helper()
	backend := enginetest.PureGo(t)
	exec := must.Get(NewExec(backend, build))(t)
	return func(in ...any) [][]float64 {
		t.Helper()
		args := make([]any, len(in))
		for i, x := range in {
			args[i] = x
			if m, ok := x.(matrix); ok {
				args[i] = tensors.FromFlatDataAndDimensions(m.data, m.dims...)
			}
		}
		results := must.Get(exec.Call(args...))(t)
		var flat [][]float64
		for _, x := range results {
			values := must.Get(tensors.CopyFlatData[float64](x))(t)
			flat = append(flat, values)
		}
		return flat
	}
}

// value runs a graph of one scalar.
func value(t *testing.T, build func(in []*Node) *Node, in ...any) float64 {
	t.Helper()
	return compiled(t, func(in []*Node) []*Node { return []*Node{build(in)} })(in...)[0][0]
}

// checkGradient compares the gradient of a loss by its first input with central differences.
func checkGradient(t *testing.T, loss func(in []*Node) *Node, in ...any) {
	t.Helper()
	of := compiled(t, func(in []*Node) []*Node {
		l := loss(in)
		return append([]*Node{l}, Gradient(l, in[0])...)
	})
	got, x := of(in...)[1], in[0].(matrix)
	const h = 1e-5
	for i, at := range x.data {
		x.data[i] = at + h
		up := of(in...)[0][0]
		x.data[i] = at - h
		down := of(in...)[0][0]
		x.data[i] = at
		if want := (up - down) / (2 * h); math.Abs(got[i]-want) > 1e-8 {
			t.Errorf("gradient %d: got %v, want %v", i, got[i], want)
		}
	}
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-12) {
		t.Errorf("%s: got %.15f, want %.15f", name, got, want)
	}
}

// logSoftmax is the logarithm of the softmax of a row at an index, slowly.
func logSoftmax(row []float64, at int) float64 {
	var sum float64
	for _, x := range row {
		sum += math.Exp(x - row[at])
	}
	return -math.Log(sum)
}
