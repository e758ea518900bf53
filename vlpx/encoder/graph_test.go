package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// network is a graph with variables on the pure-Go engine.
type network struct {
	t     *testing.T
	store *model.Store
	exec  *model.Exec
}

// newNetwork builds a graph of the store's root scope; its variables get normal draws.
func newNetwork(t *testing.T, build func(s *model.Scope, in []*Node) []*Node, in ...any) network {
	t.Helper()
	backend := enginetest.PureGo(t)
	n := network{t: t, store: model.NewStore()}
	if err := n.store.SetRNGStateFromSeed(1); err != nil { // for dropout
		t.Fatal(err)
	}
	n.exec = must.Get(model.NewExec(backend, n.store, build))(t)
	n.run(in...) // declares the variables
	r := rand.New(rand.NewPCG(1, 2))
	for v := range n.store.IterVariables() {
		if v.DType() != dtypes.Float32 {
			continue // the state of the random numbers
		}
		n.set(v.Path(), normals(r, v.Shape().Size()))
	}
	return n
}

func (n network) run(in ...any) [][]float32 {
	n.t.Helper()
	results, err := n.exec.Call(in...)
	if err != nil {
		n.t.Fatal(err)
	}
	var flat [][]float32
	for _, x := range results {
		values, err := tensors.CopyFlatData[float32](x)
		if err != nil {
			n.t.Fatal(err)
		}
		flat = append(flat, values)
	}
	return flat
}

func (n network) set(path string, values []float32) {
	n.t.Helper()
	v := n.store.GetVariable(path)
	if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
		n.t.Fatal(err)
	}
}

// get returns the values of a variable.
func (n network) get(path string) []float32 { return values(n.t, n.store, path) }

func values(t *testing.T, store *model.Store, path string) []float32 {
	t.Helper()
	v := store.GetVariable(path)
	if v == nil {
		t.Fatalf("no variable %s", path)
	}
	flat := must.Get(tensors.CopyFlatData[float32](v.MustValue()))(t)
	return flat
}

// linear is what Linear does to one row, slowly; path is of its scope.
func (n network) linear(path string, x []float64) []float64 {
	weights, bias := n.get(path+"/"+Weights), n.get(path+"/"+Bias)
	y := make([]float64, len(bias))
	for j := range y {
		y[j] = float64(bias[j])
		for i := range x {
			y[j] += x[i] * float64(weights[i*len(y)+j])
		}
	}
	return y
}

// norm is what LayerNorm does to one row, slowly.
func (n network) norm(path string, x []float64, epsilon float64) []float64 {
	gain, offset := n.get(path+"/"+Gain), n.get(path+"/"+Offset)
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (v-mean)/math.Sqrt(variance+epsilon)*float64(gain[i]) + float64(offset[i])
	}
	return y
}

func normals(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// shaped is a float32 tensor.
func shaped(x []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// near compares values, relative above one.
func near[T float32 | float64](t *testing.T, name string, got []float32, want []T, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", name, len(got), len(want))
	}
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if !(math.Abs(g-w) <= tolerance*math.Max(1, math.Abs(w))) {
			t.Fatalf("%s: value %d: got %v, want %v", name, i, g, w)
		}
	}
}

// rows are the rows of x, each of the given width.
func rows(x []float32, width int) [][]float64 {
	var r [][]float64
	for at := 0; at < len(x); at += width {
		r = append(r, wide(x[at:at+width]))
	}
	return r
}
