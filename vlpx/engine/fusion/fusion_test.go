package fusion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	onnx "github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"vlpx.internal/internal/test/must"
)

// drawing is a model of random operations, with what it is given.
type drawing struct {
	*rand.Rand
	model *onnx.ModelProto
	given map[string]tensor
	dims  map[string][]int
	names []string // of float32
	masks []string
}

func draw(seed uint64) *drawing {
	d := &drawing{rand.New(rand.NewPCG(seed, 0)), &onnx.ModelProto{Graph: &onnx.GraphProto{}}, map[string]tensor{},
		map[string][]int{}, nil, nil}
	for range 1 + d.IntN(3) {
		d.input(d.lengths(1 + d.IntN(4))...)
	}
	for range 5 + d.IntN(60) {
		d.operation()
	}
	for i, name := range d.names {
		if i == len(d.names)-1 || d.IntN(8) == 0 &&
			!slices.ContainsFunc(d.model.Graph.Input, func(in *onnx.ValueInfoProto) bool { return in.Name == name }) {
			d.model.Graph.Output = append(d.model.Graph.Output, &onnx.ValueInfoProto{Name: name})
		}
	}
	return d
}

func (d *drawing) lengths(axes int) []int {
	dims := slices.Repeat([]int{1}, axes)
	for i := range dims {
		dims[i] = 1 + d.IntN(9)
		if d.IntN(4) == 0 {
			dims[i] = 1
		}
		if i == 0 && d.IntN(6) == 0 {
			dims[i] = 700
		}
		if i == axes-1 && size(dims) < 200 && d.IntN(3) == 0 { // rows that are worth a sum
			dims[i] = 30 + d.IntN(70)
		}
	}
	return dims
}

func (d *drawing) input(dims ...int) {
	name := fmt.Sprintf("in%d", len(d.names))
	v := described(&value{name: name, dims: dims})
	d.model.Graph.Input = append(d.model.Graph.Input, v)
	d.given[name] = filled(dims, func([]int) float32 { return float32(d.IntN(5)-2) / 2 })
	d.names, d.dims[name] = append(d.names, name), dims
}

func (d *drawing) constant(numbers ...int) string {
	c := &onnx.TensorProto{Name: fmt.Sprintf("c%d", len(d.model.Graph.Initializer)), DataType: int32(onnx.TensorProto_INT64),
		Dims: []int64{int64(len(numbers))}}
	for _, n := range numbers {
		for b := range 8 {
			c.RawData = append(c.RawData, byte(uint64(n)>>(8*b)))
		}
	}
	d.model.Graph.Initializer = append(d.model.Graph.Initializer, c)
	return c.Name
}

func (d *drawing) number(x float32) string {
	c := &onnx.TensorProto{Name: fmt.Sprintf("c%d", len(d.model.Graph.Initializer)), DataType: int32(onnx.TensorProto_FLOAT)}
	for b := range 4 {
		c.RawData = append(c.RawData, byte(math.Float32bits(x)>>(8*b)))
	}
	d.model.Graph.Initializer = append(d.model.Graph.Initializer, c)
	return c.Name
}

func (d *drawing) add(op string, dims []int, inputs []string, attributes ...*onnx.AttributeProto) string {
	name := fmt.Sprintf("%s%d", op, len(d.model.Graph.Node))
	d.model.Graph.Node = append(d.model.Graph.Node, &onnx.NodeProto{OpType: op, Input: inputs, Output: []string{name},
		Attribute: attributes})
	d.dims[name] = dims
	if code := opcodes[op]; !code.compares() {
		d.names = append(d.names, name)
	}
	return name
}

// any is a value, rather a late one.
func (d *drawing) any() string {
	return d.names[max(d.IntN(len(d.names)), d.IntN(len(d.names)))]
}

// like is a value that can be combined with another.
func (d *drawing) like(other string) string {
	for range 20 {
		name := d.any()
		if dims, fits := broadcast(d.dims[name], d.dims[other]); fits && size(dims) < 30000 {
			return name
		}
	}
	return d.number(float32(d.NormFloat64()))
}

func list(name string, numbers ...int64) *onnx.AttributeProto {
	return &onnx.AttributeProto{Name: name, Type: onnx.AttributeProto_INTS, Ints: numbers}
}

func (d *drawing) operation() {
	x := d.any()
	dims := d.dims[x]
	switch d.IntN(15) {
	case 0, 1, 2, 3:
		y := d.like(x)
		to, _ := broadcast(dims, d.dims[y])
		d.add([]string{"Add", "Sub", "Mul", "Div"}[d.IntN(4)], to, []string{x, y})
	case 4:
		d.add([]string{"Neg", "Abs"}[d.IntN(2)], dims, []string{x})
	case 5:
		d.add("Sqrt", dims, []string{d.add("Abs", dims, []string{x})})
	case 6:
		y := d.like(x)
		to, _ := broadcast(dims, d.dims[y])
		mask := d.add([]string{"Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"}[d.IntN(5)], to, []string{x, y})
		d.add("Where", to, []string{mask, x, y})
		d.masks = append(d.masks, mask)
	case 7:
		to := []int{size(dims)}
		if len(dims) > 1 && d.IntN(2) == 0 {
			to = []int{dims[0], size(dims[1:])}
		}
		d.add("Reshape", to, []string{x, d.constant(to...)})
	case 8:
		to := slices.Clone(dims)
		for i := range to {
			if to[i] == 1 && size(to) < 5000 {
				to[i] = 1 + d.IntN(5)
			}
		}
		d.add("Expand", to, []string{x, d.constant(to...)})
	case 9:
		if len(dims) > 0 {
			d.turn(x)
		}
	case 10:
		if len(dims) == 0 {
			return
		}
		if axis := d.IntN(len(dims)); d.IntN(2) == 0 {
			d.slice(x, axis, d.IntN(dims[axis]), 0)
		} else {
			around, to := make([]int, 2*len(dims)), slices.Clone(dims)
			around[axis], around[len(dims)+axis] = d.IntN(3), d.IntN(3)
			to[axis] += around[axis] + around[len(dims)+axis]
			d.add("Pad", to, []string{x, d.constant(around...), d.number(float32(d.IntN(3) / 2))})
		}
	case 11:
		d.patches(x)
	case 12, 13:
		d.sum(x)
	case 14: // by an earlier comparison
		if len(d.masks) > 0 {
			mask := d.masks[d.IntN(len(d.masks))]
			y := d.like(mask)
			to, _ := broadcast(d.dims[mask], d.dims[y])
			d.add("Where", to, []string{mask, y, d.number(1)})
		}
	}
	if d.IntN(6) == 0 {
		d.product()
	}
}

func (d *drawing) slice(x string, axis, begin, length int) string {
	dims := slices.Clone(d.dims[x])
	if length == 0 {
		length = 1 + d.IntN(dims[axis]-begin)
	}
	dims[axis] = length
	return d.add("Slice", dims, []string{x, d.constant(begin), d.constant(begin + length), d.constant(axis), d.constant(1)})
}

// sum is that over the last axes, and what has as many numbers again.
func (d *drawing) sum(x string) {
	dims := d.dims[x]
	if len(dims) == 0 {
		return
	}
	count := 1 + d.IntN(min(2, len(dims)))
	var axes []int
	to := slices.Clone(dims)
	for i := range count {
		axes = append(axes, len(dims)-1-i)
		to[len(dims)-1-i] = 1
	}
	keeps := d.IntN(2)
	short := to
	if keeps == 0 {
		short = to[:len(dims)-count]
	}
	y := d.add("ReduceSum", short, []string{x, d.constant(axes...)},
		&onnx.AttributeProto{Name: "keepdims", Type: onnx.AttributeProto_INT, I: int64(keeps)})
	for range d.IntN(3) {
		y = d.add([]string{"Mul", "Div", "Add"}[d.IntN(3)], short, []string{y, d.number(1 + float32(d.IntN(3)))})
	}
	if keeps == 0 && d.IntN(2) == 0 {
		y = d.add("Reshape", to, []string{y, d.constant(to...)})
	}
	if slices.Equal(d.dims[y], to) && d.IntN(4) > 0 {
		d.add([]string{"Sub", "Mul", "Div"}[d.IntN(3)], dims, []string{x, y})
	}
}

// patches are those of a convolution along an axis.
func (d *drawing) patches(x string) {
	dims := d.dims[x]
	if len(dims) < 2 || dims[0] < 3 {
		return
	}
	var taps []string
	for i := range 3 {
		taps = append(taps, d.slice(x, 0, i, dims[0]-2))
	}
	to := slices.Clone(d.dims[taps[0]])
	to[len(to)-1] *= 3
	d.add("Concat", to, taps, &onnx.AttributeProto{Name: "axis", Type: onnx.AttributeProto_INT, I: int64(len(to) - 1)})
}

// product is one of matrices that lie either way.
func (d *drawing) product() {
	x := d.any()
	dims := d.dims[x]
	if len(dims) < 2 || size(dims) > 2000 {
		return
	}
	if len(dims) == 2 {
		turned := d.add("Transpose", []int{dims[1], dims[0]}, []string{x}, list("perm", 1, 0))
		d.add("MatMul", []int{dims[0], dims[0]}, []string{x, turned})
		d.add("MatMul", []int{dims[1], dims[1]}, []string{turned, x})
		return
	}
	batch := "abcdefgh"[:len(dims)-2]
	stack, rows, inner := dims[:len(batch)], dims[len(batch)], dims[len(batch)+1]
	y := d.shaped(dims)
	a, b, to := "ij", "kj", slices.Concat(stack, []int{rows, rows})
	switch d.IntN(3) {
	case 0: // over rows
		a, b, to = "ji", "jk", slices.Concat(stack, []int{inner, inner})
	case 1: // over columns of the one, rows of the other
		axes := make([]int64, len(dims))
		for i := range axes {
			axes[i] = int64(i)
		}
		slices.Reverse(axes[len(batch):])
		y = d.add("Transpose", slices.Concat(stack, []int{inner, rows}), []string{y}, list("perm", axes...))
		b = "jk"
	}
	if d.IntN(3) == 0 {
		x = d.add("Mul", dims, []string{x, d.number(.5)}) // so that a sum's multiple is that of its numbers' multiples
	}
	equation := fmt.Sprintf("%s%s,%s%s->%sik", batch, a, batch, b, batch)
	out := d.add("Einsum", to, []string{x, y}, &onnx.AttributeProto{Name: "equation", Type: onnx.AttributeProto_STRING, S: []byte(equation)})
	if d.IntN(2) == 0 {
		out = d.turn(out)
	}
	if d.IntN(2) == 0 {
		d.add("Mul", d.dims[out], []string{out, d.number(2)})
	}
}

// shaped is a value of some dimensions, rather a late one.
func (d *drawing) shaped(dims []int) string {
	for range 20 {
		if name := d.any(); slices.Equal(d.dims[name], dims) {
			return name
		}
	}
	return d.names[slices.IndexFunc(d.names, func(name string) bool { return slices.Equal(d.dims[name], dims) })]
}

// turn is a value with its axes in another order.
func (d *drawing) turn(x string) string {
	dims := d.dims[x]
	order, to := d.Perm(len(dims)), make([]int, len(dims))
	var perm []int64
	for i, axis := range order {
		perm, to[i] = append(perm, int64(axis)), dims[axis]
	}
	return d.add("Transpose", to, []string{x}, list("perm", perm...))
}

// The rewritten model gives the numbers of the first one, to the bit.
func TestModelChangesNoNumber(t *testing.T) {
	fused, products := 0, 0
	for seed := range uint64(120) {
		d := draw(seed)
		serialised := must.Get(proto.Marshal(d.model))(t)
		rewritten, err := Model(serialised)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var model onnx.ModelProto
		must.Do(t, proto.Unmarshal(rewritten, &model))
		want, got := interpret(t, d.model, d.given), interpret(t, &model, d.given)
		for name, v := range want {
			if !slices.Equal(got[name].dims, v.dims) {
				t.Fatalf("seed %d: %s is of %d, want %d", seed, name, got[name].dims, v.dims)
			}
			for i, x := range v.numbers {
				if y := got[name].numbers[i]; math.Float32bits(y) != math.Float32bits(x) && !(x != x && y != y) {
					t.Fatalf("seed %d: number %d of %s, %d, is %v, want %v", seed, i, name, v.dims, y, x)
				}
			}
		}
		for _, n := range model.Graph.Node {
			switch n.OpType {
			case fusedOp:
				fused++
			case productsOp:
				products++
			}
		}
	}
	if fused < 300 || products < 50 {
		t.Errorf("of 120 models' operations %d are fused ones, %d products", fused, products)
	}
}

// A step of AdamW on a tensor is one operation.
func TestModelFusesAnUpdate(t *testing.T) {
	d := &drawing{rand.New(rand.NewPCG(1, 2)), &onnx.ModelProto{Graph: &onnx.GraphProto{}}, map[string]tensor{},
		map[string][]int{}, nil, nil}
	dims := []int{96, 192}
	for range 4 {
		d.input(dims...)
	}
	weight, gradient, first, second := d.names[0], d.names[1], d.names[2], d.names[3]
	both := func(op, a, b string) string { return d.add(op, dims, []string{a, b}) }
	first = both("Add", both("Mul", first, d.number(.9)), both("Mul", gradient, d.number(.1)))
	second = both("Add", both("Mul", second, d.number(.999)), both("Mul", both("Mul", gradient, gradient), d.number(.001)))
	step := both("Div", both("Div", first, d.number(.1)), both("Add", d.add("Sqrt", dims, []string{both("Div", second, d.number(.001))}),
		d.number(1e-8)))
	weight = both("Sub", both("Mul", weight, d.number(.99)), both("Mul", step, d.number(1e-4)))
	for _, name := range []string{weight, first, second} {
		d.model.Graph.Output = append(d.model.Graph.Output, &onnx.ValueInfoProto{Name: name})
	}
	serialised := must.Get(proto.Marshal(d.model))(t)
	rewritten := must.Get(Model(serialised))(t)
	var model onnx.ModelProto
	must.Do(t, proto.Unmarshal(rewritten, &model))
	if n := len(model.Graph.Node); n != 1 || len(model.Graph.Node[0].Output) != 3 {
		t.Errorf("the step of AdamW has %d operations: %v", n, model.Graph.Node)
	}
}

// A layer's normalisation, with what is added before, is one operation, whose sums are within it.
func TestModelFusesANormalisation(t *testing.T) {
	d := &drawing{rand.New(rand.NewPCG(1, 2)), &onnx.ModelProto{Graph: &onnx.GraphProto{}}, map[string]tensor{},
		map[string][]int{}, nil, nil}
	dims, one := []int{5, 17, 96}, []int{5, 17, 1}
	d.input(dims...)
	d.input(dims...)
	d.input(1, 1, 96)
	mean := func(of string) string {
		return d.add("Div", one, []string{d.add("ReduceSum", one, []string{of, d.constant(2)}), d.number(96)})
	}
	both := func(op, a, b string) string { return d.add(op, dims, []string{a, b}) }
	x := both("Add", d.names[0], d.names[1])
	centred := both("Sub", x, mean(x))
	deviation := d.add("Sqrt", one, []string{d.add("Add", one, []string{mean(both("Mul", centred, centred)), d.number(1e-5)})})
	out := both("Mul", both("Div", centred, deviation), "in2")
	d.model.Graph.Output = append(d.model.Graph.Output, &onnx.ValueInfoProto{Name: out}, &onnx.ValueInfoProto{Name: deviation})
	var model onnx.ModelProto
	must.Do(t, proto.Unmarshal(must.Get(Model(must.Get(proto.Marshal(d.model))(t)))(t), &model))
	if n := len(model.Graph.Node); n != 1 || len(model.Graph.Node[0].Output) != 2 {
		t.Errorf("a normalisation has %d operations: %v", n, model.Graph.Node)
	}
	want, got := interpret(t, d.model, d.given), interpret(t, &model, d.given)
	if !slices.Equal(got[out].numbers, want[out].numbers) || !slices.Equal(got[deviation].numbers, want[deviation].numbers) {
		t.Error("it gives other numbers")
	}
}

// Whatever a model is, it is rewritten, left as it is, or refused.
func FuzzModel(f *testing.F) {
	for seed := range uint64(4) {
		serialised := must.Get(proto.Marshal(draw(seed).model))(f)
		f.Add(serialised)
	}
	f.Fuzz(func(t *testing.T, serialised []byte) {
		rewritten, err := Model(serialised)
		if err == nil && proto.Unmarshal(rewritten, &onnx.ModelProto{}) != nil {
			t.Error("a model that is none came back")
		}
	})
}
