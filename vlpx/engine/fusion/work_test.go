package fusion

import (
	"math/rand/v2"
	"slices"
	"testing"

	onnx "github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"vlpx.internal/internal/test/must"
)

// named are the works of a model's operations, rewritten, with their bytes.
func (d *drawing) named(t *testing.T, results ...string) (all []Work, bytes []int) {
	t.Helper()
	for _, name := range results {
		d.model.Graph.Output = append(d.model.Graph.Output, &onnx.ValueInfoProto{Name: name})
	}
	var model onnx.ModelProto
	must.Do(t, proto.Unmarshal(must.Get(Model(must.Get(proto.Marshal(d.model))(t)))(t), &model))
	names := map[string]bool{}
	for _, n := range model.Graph.Node {
		if names[n.Name] {
			t.Errorf("two operations are named %q", n.Name)
		}
		names[n.Name] = true
		work, moved := Named(n.Name)
		all, bytes = append(all, work), append(bytes, moved)
	}
	return all, bytes
}

func TestWorks(t *testing.T) {
	rows, dims, short := []int{32, 1}, []int{32, 96}, []int{32, 20}
	rowSum := func(d *drawing, x string) string {
		return d.add("ReduceSum", rows, []string{x, d.constant(1)}, &onnx.AttributeProto{Name: "keepdims", Type: onnx.AttributeProto_INT, I: 1})
	}
	normalised := func(d *drawing, x string, dims []int) string {
		centred := d.add("Sub", dims, []string{x, d.add("Mul", rows, []string{rowSum(d, x), d.number(1. / 96)})})
		variance := rowSum(d, d.add("Mul", dims, []string{centred, centred}))
		return d.add("Div", dims, []string{centred, d.add("Sqrt", rows, []string{d.add("Add", rows, []string{variance, d.number(1)})})})
	}
	for _, c := range []struct {
		name  string
		build func(d *drawing, x string) string
		want  []Work
	}{
		{"normalisation", func(d *drawing, x string) string { return normalised(d, x, dims) }, []Work{Rest, Normalisation}},
		{"normalisation of short rows", func(d *drawing, x string) string {
			return normalised(d, d.add("Slice", short, []string{x, d.constant(0), d.constant(20), d.constant(1), d.constant(1)}), short)
		}, []Work{Rest, Copying, Reduction, Elements, Normalisation, Reduction, Normalisation, Normalisation}},
		{"softmax", func(d *drawing, x string) string {
			largest := d.add("ReduceMax", rows, []string{x, d.constant(1)},
				&onnx.AttributeProto{Name: "keepdims", Type: onnx.AttributeProto_INT, I: 1})
			e := d.add("Exp", dims, []string{d.add("Sub", dims, []string{x, largest})})
			return d.add("Div", dims, []string{e, rowSum(d, e)})
		}, []Work{Rest, Softmax, Softmax, Softmax, Softmax}},
		{"GELU", func(d *drawing, x string) string {
			half := d.add("Mul", dims, []string{x, d.number(.5)})
			return d.add("Mul", dims, []string{half, d.add("Add", dims, []string{d.add("Erf", dims, []string{x}), d.number(1)})})
		}, []Work{Rest, Activation, Activation}},
		{"ReLU", func(d *drawing, x string) string {
			return d.add("Where", dims, []string{d.add("Greater", dims, []string{x, d.number(0)}), x, d.number(0)})
		}, []Work{Rest, Activation}},
		{"residual", func(d *drawing, x string) string {
			return d.add("Add", dims, []string{d.add("Exp", dims, []string{x}), x})
		}, []Work{Rest, Elements, Elements}},
	} {
		d := &drawing{rand.New(rand.NewPCG(1, 2)), &onnx.ModelProto{Graph: &onnx.GraphProto{}}, map[string]tensor{}, map[string][]int{}, nil, nil}
		d.input(dims...)
		if got, _ := d.named(t, c.build(d, d.add("Sin", dims, d.names))); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// An update reads its variable and gives it anew. Bytes are counted once where a tensor is read several times, and in part where it is.
func TestBytes(t *testing.T) {
	d := &drawing{rand.New(rand.NewPCG(1, 2)), &onnx.ModelProto{Graph: &onnx.GraphProto{}}, map[string]tensor{}, map[string][]int{}, nil, nil}
	dims := []int{10, 6}
	d.input(dims...)
	d.input(30, 6)
	v, x := d.names[0], d.names[1]
	taps := d.add("Add", dims, []string{d.slice(x, 0, 0, 10), d.slice(x, 0, 5, 10)})
	works, bytes := d.named(t, d.add("Sub", dims, []string{v, d.add("Mul", dims, []string{taps, v})}))
	if want := 4 * (60 + 120 + 60); !slices.Equal(works, []Work{Update}) || !slices.Equal(bytes, []int{want}) {
		t.Errorf("got %q of %d bytes, want one update of %d", works, bytes, want)
	}
}

func TestNamesOfOthers(t *testing.T) {
	for _, name := range []string{"", "MatMul_3", "softmax", "softmax/1/x", "nothing/1/2", "softmax/1/2/3"} {
		if work, bytes := Named(name); work != Rest || bytes >= 0 {
			t.Errorf("%q: got %q of %d bytes", name, work, bytes)
		}
	}
}
