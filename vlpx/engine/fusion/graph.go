// Package fusion rewrites the graphs that compute-onnx hands to ONNX Runtime, so that what a training step does between its products takes
// few operations: runs of elementwise operations, and of sums of the rows that these make, become one (an operation of package engine),
// with the slices, paddings and stacks that it reads, transposes before a product become part of it, products of patches convolutions, and
// choices of the largest of a window's places pools.
// Products of small stacked matrices are an operation of that package, too. Numbers stay the same to the bit, but for sums, which are added
// in another order.
package fusion

import (
	"encoding/binary"
	"math"
	"slices"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// value is a tensor of a graph.
type value struct {
	name     string
	dtype    onnx.TensorProto_DataType
	dims     []int // nil where they are not known
	known    bool  // dims
	producer *node // nil for what the graph is given
	users    []*node
	result   bool     // of the graph, or what one is a view of
	ready    bool     // computed by what was written so far, or given
	again    bool     // computed again by each group that needs it
	numbers  []int64  // of a constant
	zero     bool     // a constant that is zero
	single   *float32 // the number of a constant of one
	cut      bool     // read by others than elementwise operations
}

// float tells whether the value is one of float32 whose dimensions are known.
func (v *value) float() bool { return v.known && v.dtype == onnx.TensorProto_FLOAT }

func (v *value) size() int { return size(v.dims) }

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// node is an operation of a graph.
type node struct {
	proto           *onnx.NodeProto
	at              int // its place in the graph
	inputs, outputs []*value
	code            opcode // of an elementwise operation
	kind            kind
	stacked         *product // of a stack
	missing         int      // inputs, seen through views, that are not computed yet
	written         bool
}

type kind int

const (
	other       kind = iota
	elementwise      // of float32, computed number by number
	rowSum           // of float32, over the last axes
	view             // the same numbers of another tensor, told by strides
	stack            // products of small matrices
)

// fusible tells whether an operation can be a part of a program.
func (n *node) fusible() bool { return n.kind == elementwise || n.kind == rowSum }

// Rows of a program have so many numbers. Shorter ones are better summed by ONNX Runtime.
const leastColumns, mostColumns = 32, 1024

// columns are how many numbers a sum of rows is of.
func (n *node) columns() int { return n.inputs[0].size() / n.outputs[0].size() }

// operands are the tensors that an operation of a program reads.
func (n *node) operands() []*value {
	if n.kind == rowSum {
		return n.inputs[:1] // the others are the axes
	}
	return n.inputs
}

// seen is what an operation of a program sees of an operand.
func (n *node) seen(v *value) operand {
	if n.kind == rowSum {
		return v.seen(v.dims)
	}
	return v.seen(n.outputs[0].dims)
}

// graph is a graph whose values are known by name.
type graph struct {
	nodes  []*node
	values map[string]*value
}

// read finds the values of a graph with their types and dimensions. It returns nil for none, and for graphs with parts of their own (loops,
// branches), whose values are not told once, or whose operations lack operands.
func read(proto *onnx.GraphProto) *graph {
	if proto == nil {
		return nil
	}
	g := &graph{values: map[string]*value{"": {ready: true}}}
	for _, in := range proto.Input {
		v := g.value(in.Name)
		v.ready = true
		tensor := in.Type.GetTensorType()
		v.dtype = onnx.TensorProto_DataType(tensor.GetElemType())
		v.known = tensor.GetShape() != nil
		for _, d := range tensor.GetShape().GetDim() {
			length, fixed := d.Value.(*onnx.TensorShapeProto_Dimension_DimValue)
			if !fixed || length.DimValue < 0 {
				v.known = false
				break
			}
			v.dims = append(v.dims, int(length.DimValue))
		}
	}
	for _, constant := range proto.Initializer {
		v := g.value(constant.Name)
		v.ready, v.known, v.dtype = true, true, onnx.TensorProto_DataType(constant.DataType)
		for _, d := range constant.Dims {
			v.dims = append(v.dims, int(d))
			v.known = v.known && d >= 0
		}
		v.numbers = integers(constant)
		if v.dtype == onnx.TensorProto_FLOAT && v.known && v.size() == 1 && len(constant.RawData) == 4 {
			number := math.Float32frombits(binary.LittleEndian.Uint32(constant.RawData))
			v.single = &number
		}
		v.zero = v.size() == 1 && len(constant.RawData) > 0 && !slices.ContainsFunc(constant.RawData, func(b byte) bool { return b != 0 })
	}
	for _, op := range proto.Node {
		if _, is := opcodes[op.OpType]; !is {
			for _, name := range op.Input {
				g.value(name).cut = true
			}
		}
	}
	for at, op := range proto.Node {
		if code, is := opcodes[op.OpType]; is && len(op.Input) < code.operands() || op.OpType == "Transpose" && len(op.Input) == 0 {
			return nil
		}
		n := &node{proto: op, at: at}
		for _, name := range op.Input {
			n.inputs = append(n.inputs, g.value(name))
		}
		for _, name := range op.Output {
			v := g.value(name)
			if v.producer != nil || v.ready {
				return nil
			}
			v.producer = n
			n.outputs = append(n.outputs, v)
		}
		for _, a := range op.Attribute {
			if a.G != nil || a.Graphs != nil {
				return nil
			}
		}
		if len(n.outputs) == 0 {
			return nil
		}
		infer(n)
		n.classify()
		g.nodes = append(g.nodes, n)
	}
	for _, out := range proto.Output {
		v := g.value(out.Name)
		v.result = true
		base(v).result = true
	}
	g.keepMasks()
	return g
}

func (g *graph) value(name string) *value {
	v := g.values[name]
	if v == nil {
		v = &value{name: name}
		g.values[name] = v
	}
	return v
}

// integers are the numbers of a small constant of whole numbers, such as axes or dimensions; nil for others.
func integers(constant *onnx.TensorProto) []int64 {
	const most = 64
	wide := map[int32]int{int32(onnx.TensorProto_INT64): 8, int32(onnx.TensorProto_INT32): 4}[constant.DataType]
	if wide == 0 || len(constant.RawData) > most*wide {
		return nil
	}
	var numbers []int64
	for raw := constant.RawData; len(raw) >= wide; raw = raw[wide:] {
		if wide == 8 {
			numbers = append(numbers, int64(binary.LittleEndian.Uint64(raw)))
		} else {
			numbers = append(numbers, int64(int32(binary.LittleEndian.Uint32(raw))))
		}
	}
	return numbers
}

// classify finds what kind of operation a node is, once the dimensions of its values are known.
func (n *node) classify() {
	if len(n.outputs) != 1 || len(n.inputs) == 0 || n.proto.Domain != "" || !n.outputs[0].known || n.outputs[0].size() == 0 ||
		n.inputs[0].size() == 0 {
		return
	}
	code, elements := opcodes[n.proto.OpType]
	if elements = elements && len(n.inputs) == code.operands(); elements {
		floats := n.inputs
		if code == where {
			floats = floats[1:]
		}
		if !slices.ContainsFunc(floats, func(v *value) bool { return !v.float() }) {
			n.kind, n.code = elementwise, code
		}
		return
	}
	if !n.inputs[0].float() {
		return
	}
	switch n.proto.OpType {
	case "Reshape", "Expand", "Identity", "Slice":
		n.kind = view
	case "Transpose":
		if order := n.list("perm"); len(order) > 0 && int(order[len(order)-1]) == len(order)-1 {
			n.kind = view
		}
	case "Pad": // where it is taken apart again, as patches of a convolution are, it is better written
		if mode := n.text("mode"); (mode == "" || mode == "constant") && (len(n.inputs) < 3 || n.inputs[2].zero) && !n.outputs[0].cut {
			n.kind = view
		}
	case "Concat":
		if _, is := n.stack(); is {
			n.kind = view
		}
	case "ReduceSum":
		if n.last(n.constant(1)) && n.columns() >= leastColumns && n.columns() <= mostColumns {
			n.kind, n.code = rowSum, sum
		}
	}
}

// last tells whether axes, in any order, are the last ones of what a node reads.
func (n *node) last(axes []int64) bool {
	rank := len(n.inputs[0].dims)
	for i := range axes {
		if !slices.Contains(axes, int64(rank-1-i)) {
			return false
		}
	}
	return len(axes) > 0
}

// keepMasks leaves those comparisons to groups that only choices of as many numbers need, and the choices by them; other ones stay as they
// are.
func (g *graph) keepMasks() {
	uses := map[*value][]*node{}
	for _, n := range g.nodes {
		for _, v := range n.inputs {
			uses[v] = append(uses[v], n)
		}
	}
	for _, n := range g.nodes {
		out := n.outputs[0]
		if n.kind == elementwise && n.code.compares() {
			if out.result || slices.ContainsFunc(uses[out], func(user *node) bool {
				return user.kind != elementwise || user.code != where || user.inputs[0] != out || user.outputs[0].size() != out.size()
			}) {
				n.kind = other
			} else {
				out.again = true
			}
		}
		if n.kind == elementwise && n.code == where && !n.inputs[0].again {
			n.kind = other
		}
	}
}

// prune leaves out nodes that nothing needs.
func (g *graph) prune() {
	needed := map[*value]bool{}
	var kept []*node
	for _, n := range slices.Backward(g.nodes) {
		if slices.ContainsFunc(n.outputs, func(v *value) bool { return v.result || needed[v] }) {
			kept = append(kept, n)
			for _, v := range n.inputs {
				needed[v] = true
			}
		}
	}
	slices.Reverse(kept)
	g.nodes = kept
}
