package golden_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/weights"
)

// machine is where a whole model is recomputed: in float64 on the pure-Go engine, or in float32 on ONNX Runtime.
type machine struct {
	compute.Backend
	dtype dtypes.DType
}

// exact is how near float64 must come to the published numbers, relative above one.
const exact = 1e-8

// rounding is how much farther than the published code's own float32 ours may be from its float64: it adds in another order.
const rounding = 8

// zeros turns a deviation of values about one into one of differences that are expected to be zero, in which only the 1e-3 of the
// measure is left.
const zeros = 2e3

// onMachines makes a check of a whole model in float64 and in float32, this also on XLA where there is one.
func onMachines(check func(*testing.T, machine, golden.Case)) func(*testing.T, golden.Case) {
	return func(t *testing.T, c golden.Case) {
		t.Run("float64", func(t *testing.T) { check(t, pureGo(t), c) })
		t.Run("float32", func(t *testing.T) { check(t, machine{onnx(t), dtypes.Float32}, c) })
		for _, name := range []string{"xla:cpu", "xla:cuda"} {
			t.Run("float32 on "+name, func(t *testing.T) { check(t, machine{enginetest.Open(t, name), dtypes.Float32}, c) })
		}
	}
}

// pureGo is the pure-Go engine, in float64.
func pureGo(t *testing.T) machine {
	t.Helper()
	backend := enginetest.PureGo(t)
	return machine{backend, dtypes.Float64}
}

// onnx is ONNX Runtime, without which the test is skipped unless $VLPX_REQUIRE, a list with commas, names it.
func onnx(t *testing.T) compute.Backend {
	t.Setenv("GOMLX_BACKEND", "onnx:cpu")
	choice, missing := engine.Choose(engine.Cache())
	if i := slices.IndexFunc(missing, func(m engine.Missing) bool { return m.Name == "onnx:cpu" }); i >= 0 {
		if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "onnx") {
			t.Fatalf("VLPX_REQUIRE names onnx, but %s", missing[i].Why)
		}
		t.Skipf("%s; %s", missing[i].Why, missing[i].Get)
	}
	backend := must.Get(engine.Open(choice))(t)
	t.Cleanup(backend.Finalize)
	return backend
}

// value is a golden tensor for a graph.
func (m machine) value(t *testing.T, c golden.Case, path ...string) *tensors.Tensor {
	t.Helper()
	return m.tensor(t, value(c, path...))
}

func (m machine) tensor(t *testing.T, x *tensors.Tensor) *tensors.Tensor {
	t.Helper()
	x = must.Get(weights.As(x, m.dtype))(t)
	return x
}

// pixels are images [batch, channels, height, width] for a graph, with the channels last.
func (m machine) pixels(t *testing.T, c golden.Case, path ...string) *tensors.Tensor {
	t.Helper()
	x := c.Tensor(path...)
	read(t, c)
	batch, channels, size := x.Shape[0], x.Shape[1], x.Shape[2]*x.Shape[3]
	var last []float64
	for b := range batch {
		last = append(last, transposed(x.Float[b*channels*size:(b+1)*channels*size], channels, size)...)
	}
	return m.tensor(t, tensors.FromFlatDataAndDimensions(last, batch, x.Shape[2], x.Shape[3], channels))
}

// ids are the whole numbers of a golden tensor for a graph.
func ids(c golden.Case, path ...string) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(int32s(c.Ints(path...)), c.Tensor(path...).Shape...)
}

// load reads the weights that a case names into a store, by tables.
func (m machine) load(t *testing.T, store *model.Store, c golden.Case, file string, tables ...weights.Table) {
	t.Helper()
	must.Do(t, values(t, c, file, tables...).Put(store, m.dtype))
}

// values are the variables in a file that a case names.
func values(t *testing.T, c golden.Case, file string, tables ...weights.Table) weights.Values {
	t.Helper()
	path := c.Beside(file)
	read(t, c)
	v := must.Get(weights.Read(path, tables...))(t)
	return v
}

// run builds a graph on the store's root scope and returns its outputs, flat.
func (m machine) run(t *testing.T, store *model.Store, inputs []*tensors.Tensor,
	build func(s *model.Scope, in []*Node) []*Node) [][]float64 {
	t.Helper()
	return m.prepared(t, store, build)(inputs)
}

// prepared is run for several calls.
func (m machine) prepared(t *testing.T, store *model.Store, build func(s *model.Scope,
	in []*Node) []*Node) func([]*tensors.Tensor) [][]float64 {
	t.Helper()
	exec := must.Get(model.NewExec(m.Backend, store, func(s *model.Scope, in []*Node) []*Node {
		return build(s.Store().RootScope(), in)
	}))(t)
	t.Cleanup(exec.Finalize)
	return func(inputs []*tensors.Tensor) [][]float64 {
		t.Helper()
		args := make([]any, len(inputs))
		for i, x := range inputs {
			args[i] = x
		}
		outputs := must.Get(exec.Call(args...))(t)
		var flat [][]float64
		for _, x := range outputs {
			flat = append(flat, numbers(t, x))
		}
		return flat
	}
}

// numbers are a tensor's, flat.
func numbers(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	var flat []float64
	var err error
	switch x.DType() {
	case dtypes.Float32:
		var values []float32
		values, err = tensors.CopyFlatData[float32](x)
		flat = wide(values)
	case dtypes.Int32:
		var values []int32
		values, err = tensors.CopyFlatData[int32](x)
		flat = wide(values)
	default:
		flat, err = tensors.CopyFlatData[float64](x)
	}
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

func wide[T float32 | int32](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// gradients are those of a loss by the variables below a root that it depends on, whose paths come with them.
func gradients(store *model.Store, root string, loss *Node) (paths []string, of []*Node) {
	g := loss.Graph()
	var values []*Node
	for v := range store.Scope(root).IterVariables() {
		if v.Trainable && v.InUseByGraph(g) {
			paths, values = append(paths, v.Path()), append(values, v.NodeValue(g))
		}
	}
	return paths, Gradient(loss, values...)
}

// near compares with an expected value.
func (m machine) near(t *testing.T, c golden.Case, name string, got []float64, path ...string) {
	t.Helper()
	want := c.Tensor(append([]string{"expected"}, path...)...).Float
	deviation := c.Float("float32_deviation", "expected", path[0])
	read(t, c)
	m.close(t, name, got, want, deviation)
}

// nearFile compares by variables' paths with the tensors of a file that the case names; what is not given is zero.
func (m machine) nearFile(t *testing.T, c golden.Case, file string, got map[string][]float64, tables ...weights.Table) {
	t.Helper()
	variables := values(t, c, file, tables...)
	deviation := c.Float("float32_deviation", "files", file)
	read(t, c)
	for path := range got {
		if variables[path] == nil && slices.ContainsFunc(got[path], func(x float64) bool { return x != 0 }) {
			t.Errorf("%s: got %s, which it does not have", file, path)
		}
	}
	for path, x := range variables {
		want := numbers(t, x)
		if got[path] == nil {
			got[path] = make([]float64, len(want))
		}
		m.close(t, file+" of "+path, got[path], want, deviation)
	}
}

// close compares values: in float64 each of them, in float32 the largest difference with the published code's own deviation.
func (m machine) close(t *testing.T, name string, got, want []float64, deviation float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d values, want %d", name, len(got), len(want))
		return
	}
	var largest, difference float64
	for i, w := range want {
		d := math.Abs(got[i] - w)
		if m.dtype == dtypes.Float64 && !(d <= exact*math.Max(1, math.Abs(w))) {
			t.Errorf("%s: value %d: got %v, want %v", name, i, got[i], w)
			return
		}
		largest = math.Max(largest, math.Abs(w))
		if difference = math.Max(difference, d); d != d {
			difference = math.Inf(1)
		}
	}
	limit := rounding*deviation + 1e-6
	if relative := difference / (1e-3 + largest); m.dtype == dtypes.Float32 && relative > limit {
		t.Errorf("%s: differs by %.2g, relative; want at most %.2g", name, relative, limit)
	}
}

// by names the outputs of a graph from a place on.
func by(paths []string, outputs [][]float64) map[string][]float64 {
	named := map[string][]float64{}
	for i, path := range paths {
		named[path] = outputs[i]
	}
	return named
}
