package fusion

import (
	"math"
	"slices"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// Products of a convolution's patches, which package encoder writes out, become an operation that reads them where they overlap: the
// convolution, the gradient of its images, which is a sum of patches put back, and that of its kernels.

// The operation, of images and kernels, of the gradient of a result and kernels, or of images and the gradient of a result.
const (
	convolutionOp = "Convolution"
	lanes         = 16 // of whose multiples numbers of channels must be
)

type convolving int64

// What it computes, by the numbers under which package engine knows it.
const (
	forward convolving = iota
	inputGradient
	weightsGradient
)

// convolution slides kernels of size x size pixels, a matrix [size*size*in, out], by strides over images [images, height, width, in] with
// zeros around them.
type convolution struct {
	images, height, width, in, out, size, stride int
	padded                                       [2]int // height and width with the zeros that the graph puts around
}

func (c convolution) rows() int    { return (c.height + c.stride - 1) / c.stride }
func (c convolution) columns() int { return (c.width + c.stride - 1) / c.stride }
func (c convolution) before() int  { return (c.size - 1) / 2 }

// joinConvolutions finds them.
func (g *graph) joinConvolutions(proto *onnx.GraphProto) {
	of := map[*value]convolution{} // by kernels
	join := func(n *node, what convolving, c convolution, a, b *value) {
		n.become(convolutionOp, proto, []*value{a, b}, int(what), c.images, c.height, c.width, c.in, c.out, c.size, c.stride)
	}
	for _, n := range g.nodes {
		switch n.proto.OpType {
		case "MatMul":
			if len(n.inputs) != 2 {
				continue
			}
			if x, c, is := patches(n.inputs[0]); is && n.inputs[1].float() && len(n.inputs[1].dims) == 2 {
				if c.out = n.inputs[1].dims[1]; c.out%lanes == 0 {
					of[n.inputs[1]] = c
					join(n, forward, c, x, n.inputs[1])
				}
			}
		case "Transpose":
			if y, x, c, is := n.weightsGradient(); is {
				join(n, weightsGradient, c, x, y)
			}
		case "Slice":
			if y, w, is := n.inputGradient(of); is {
				join(n, inputGradient, of[w], y, w)
			}
		}
	}
}

// become makes a node an operation of package engine on other inputs, told by numbers and by the dimensions of its result.
func (n *node) become(operation string, proto *onnx.GraphProto, inputs []*value, numbers ...int) {
	out := n.outputs[0]
	var program []int64
	for _, number := range slices.Concat(numbers, []int{len(out.dims)}, out.dims) {
		program = append(program, int64(number))
	}
	n.kind, n.inputs = other, inputs
	n.proto = &onnx.NodeProto{OpType: operation, Domain: fusedDomain, Output: []string{out.name},
		Attribute: []*onnx.AttributeProto{{Name: fusedProgram, Type: onnx.AttributeProto_INTS, Ints: program}}}
	for _, v := range inputs {
		n.proto.Input = append(n.proto.Input, v.name)
	}
	proto.ValueInfo = append(proto.ValueInfo, described(out))
}

// patches tells whether v are a convolution's patches, and of which images. They know no number of results' channels.
func patches(v *value) (x *value, c convolution, is bool) {
	if !v.float() || len(v.dims) != 2 {
		return nil, c, false
	}
	o := place(v).simple()
	pad := o.base.producer
	if pad == nil || pad.proto.OpType != "Pad" || len(pad.inputs) != 3 || !pad.inputs[2].zero || !o.base.known || len(o.base.dims) != 4 {
		return nil, c, false
	}
	x = pad.inputs[0]
	if mode := pad.text("mode"); !x.float() || mode != "" && mode != "constant" {
		return nil, c, false
	}
	c = convolution{images: x.dims[0], height: x.dims[1], width: x.dims[2], in: x.dims[3], padded: [2]int(o.base.dims[1:3])}
	c.size = int(math.Round(math.Sqrt(float64(v.dims[1]) / float64(c.in))))
	around := pad.constant(1)
	for c.stride = 1; c.stride <= max(c.height, c.width); c.stride++ {
		line := c.padded[1] * c.in
		if c.size%2 == 1 && c.size*c.size*c.in == v.dims[1] && c.images*c.rows()*c.columns() == v.dims[0] &&
			slices.Equal(around[:4], []int64{0, int64(c.before()), int64(c.before()), 0}) && around[4] == 0 && around[7] == 0 &&
			o.equal(operand{o.base, 0, []axis{
				all(c.images, c.padded[0]*line), all(c.rows(), c.stride*line), all(c.columns(), c.stride*c.in),
				all(c.size, line), all(c.size*c.in, 1),
			}}.simple()) {
			return x, c, true
		}
	}
	return nil, c, false
}

// all is an axis of which all is in its tensor.
func all(length, stride int) axis { return axis{length, stride, 0, length} }

// weightsGradient tells whether a transposition's result is the gradient of a convolution's kernels: that of a product of a result's
// gradient, transposed, with patches.
func (n *node) weightsGradient() (y, x *value, c convolution, is bool) {
	if !n.turns() {
		return nil, nil, c, false
	}
	product := n.inputs[0].producer
	if product == nil || product.proto.OpType != "MatMul" || len(product.inputs) != 2 {
		return nil, nil, c, false
	}
	turned := product.inputs[0].producer
	if x, c, is = patches(product.inputs[1]); !is || turned == nil || !turned.turns() {
		return nil, nil, c, false
	}
	y = turned.inputs[0]
	c.out = y.dims[1]
	return y, x, c, c.out%lanes == 0 && n.outputs[0].known
}

// turns tells whether a node transposes a matrix of float32.
func (n *node) turns() bool {
	return n.proto.OpType == "Transpose" && len(n.inputs) == 1 && slices.Equal(n.list("perm"), []int64{1, 0}) && n.inputs[0].float()
}

// inputGradient tells whether what a slice returns is the gradient of a convolution's images: of patches' gradient, a product with kernels,
// the rows are put back where they overlap, then these along their columns, and what was around is left out.
func (n *node) inputGradient(of map[*value]convolution) (y, w *value, is bool) {
	out := n.outputs[0]
	if !out.float() || len(out.dims) != 4 {
		return nil, nil, false
	}
	o := place(out).simple()
	alongColumns := addends(o.base)
	if alongColumns == nil {
		return nil, nil, false
	}
	alongRows := addends(place(alongColumns[0]).base)
	if alongRows == nil {
		return nil, nil, false
	}
	product := place(alongRows[0]).base.producer
	if product == nil || product.proto.OpType != "FusedMatMul" || product.integer("transB", 0) != 1 || product.integer("transA", 0) == 1 {
		return nil, nil, false
	}
	y, w = product.inputs[0], product.inputs[1]
	c, known := of[w]
	if !known || c.in%lanes != 0 || !slices.Equal(out.dims, []int{c.images, c.height, c.width, c.in}) ||
		len(y.dims) != 2 || y.dims[0] != c.images*c.rows()*c.columns() {
		return nil, nil, false
	}
	line, run := c.padded[1]*c.in, c.size*c.in
	if o.base.size() != c.images*c.padded[0]*line || !o.equal(operand{o.base, c.before() * (line + c.in), []axis{
		all(c.images, c.padded[0]*line), all(c.height, line), all(c.width, c.in), all(c.in, 1)}}.simple()) {
		return nil, nil, false
	}
	rows, result, patch := place(alongColumns[0]).base, product.outputs[0], c.size*run
	is = back(alongColumns, c.size, func(i int) operand {
		o := operand{rows, i * c.in, []axis{all(c.images*c.padded[0], c.columns()*run), all(c.columns(), run), all(1, 0), all(c.in, 1)}}
		return o.strided(1, i, c.padded[1], c.stride)
	}) && back(alongRows, c.size, func(i int) operand {
		o := operand{result, i * run, []axis{all(c.images, c.rows()*c.columns()*patch), all(c.rows(), c.columns()*patch), all(1, 0),
			all(c.columns(), patch), all(run, 1)}}
		return o.strided(1, i, c.padded[0], c.stride)
	})
	return y, w, is
}

// strided puts what o has along an axis, and a next one of length one, at every stride-th of length places from the i-th on.
func (o operand) strided(at, i, length, stride int) operand {
	a := &o.axes[at]
	if a.length == 1 {
		a.stride = 0
	}
	o.offset -= i / stride * a.stride
	*a = axis{length / stride, a.stride, i / stride, i/stride + a.length}
	o.axes[at+1] = axis{stride, 0, i % stride, i%stride + 1}
	return o
}

// addends are what v is the sum of, or nil.
func addends(v *value) []*value {
	if v.producer == nil || v.producer.kind != elementwise || v.producer.code != add {
		return nil
	}
	var all []*value
	for _, in := range v.producer.inputs {
		if in.size() != v.size() {
			return nil
		}
		if more := addends(in); more != nil {
			all = append(all, more...)
		} else {
			all = append(all, in)
		}
	}
	return all
}

// back tells whether values are those of the places of a window, in any order.
func back(values []*value, size int, want func(i int) operand) bool {
	if len(values) != size {
		return false
	}
	for i := range size {
		w := want(i).simple()
		if !slices.ContainsFunc(values, func(v *value) bool { return place(v).simple().equal(w) }) {
			return false
		}
	}
	return true
}
