package fusion

import (
	"slices"
	"strings"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// infer finds types and dimensions of what an operation returns, for the operations whose neighbours are worth fusing. What it does not
// know it leaves unknown: that is then not fused.
func infer(n *node) {
	if len(n.inputs) == 0 {
		return
	}
	out, in := n.outputs[0], n.inputs[0]
	out.dtype = in.dtype
	set := func(dims []int) { out.dims, out.known = dims, true }
	switch n.proto.OpType {
	case "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Not":
		out.dtype = onnx.TensorProto_BOOL
	case "Cast":
		out.dtype = onnx.TensorProto_DataType(n.integer("to", 0))
	case "Where":
		if len(n.inputs) > 1 {
			out.dtype = n.inputs[1].dtype
		}
	case "ArgMax", "ArgMin", "Shape":
		out.dtype = onnx.TensorProto_INT64
	}
	if !in.known {
		return
	}
	switch n.proto.OpType {
	case "Abs", "Cast", "Ceil", "Cos", "CumSum", "Erf", "Exp", "Floor", "Gelu", "Identity", "Log", "Neg", "Not", "Relu", "Round",
		"ScatterElements",
		"ScatterND", "Sigmoid", "Sign", "Sin", "Softmax", "Sqrt", "Tanh":
		set(in.dims)
	case "Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mod", "Mul", "Or", "Pow",
		"Sub", "Where":
		dims := in.dims
		for _, v := range n.inputs[1:] {
			if !v.known {
				return
			}
			var fits bool
			if dims, fits = broadcast(dims, v.dims); !fits {
				return
			}
		}
		set(dims)
	case "Expand":
		if to := n.constant(1); to != nil {
			if dims, fits := broadcast(in.dims, lengths(to)); fits {
				set(dims)
			}
		}
	case "Reshape":
		if to := n.constant(1); to != nil && !slices.ContainsFunc(to, func(d int64) bool { return d < 0 }) &&
			size(lengths(to)) == in.size() {
			set(lengths(to))
		}
	case "Transpose":
		dims := make([]int, len(in.dims))
		order := n.list("perm")
		if len(order) != len(dims) {
			return
		}
		for i, axis := range order {
			if axis < 0 || int(axis) >= len(dims) {
				return
			}
			dims[i] = in.dims[axis]
		}
		set(dims)
	case "MatMul":
		if len(n.inputs) != 2 {
			return
		}
		if b := n.inputs[1]; b.known && len(in.dims) == 2 && len(b.dims) == 2 {
			set([]int{in.dims[0], b.dims[1]})
		}
	case "Einsum":
		from, to, _ := strings.Cut(n.text("equation"), "->")
		length := map[rune]int{}
		for i, axes := range strings.Split(from, ",") {
			if i >= len(n.inputs) || !n.inputs[i].known || len(n.inputs[i].dims) != len(axes) {
				return
			}
			for at, axis := range axes {
				length[axis] = n.inputs[i].dims[at]
			}
		}
		dims := []int{}
		for _, axis := range to {
			dims = append(dims, length[axis])
		}
		set(dims)
	case "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceMean":
		axes := n.constant(1)
		if axes == nil {
			return
		}
		dims := []int{}
		for i, d := range in.dims {
			if !slices.Contains(axes, int64(i)) {
				dims = append(dims, d)
			} else if n.integer("keepdims", 1) == 1 {
				dims = append(dims, 1)
			}
		}
		set(dims)
	case "ArgMax", "ArgMin":
		axis := int(n.integer("axis", 0))
		if axis < 0 || axis >= len(in.dims) {
			return
		}
		dims := slices.Clone(in.dims)
		if dims[axis] = 1; n.integer("keepdims", 1) == 0 {
			dims = slices.Delete(dims, axis, axis+1)
		}
		set(dims)
	case "Concat":
		dims := slices.Clone(in.dims)
		axis := int(n.integer("axis", 0))
		if axis < 0 || axis >= len(dims) {
			return
		}
		for _, v := range n.inputs[1:] {
			if !v.known || len(v.dims) != len(dims) {
				return
			}
			dims[axis] += v.dims[axis]
		}
		set(dims)
	case "Pad":
		around := n.constant(1)
		if len(around) != 2*len(in.dims) || len(n.inputs) > 3 {
			return
		}
		dims := slices.Clone(in.dims)
		for i := range dims {
			if dims[i] += int(around[i] + around[len(dims)+i]); dims[i] < 0 {
				return
			}
		}
		set(dims)
	case "Slice":
		begins, ends, axes, steps := n.constant(1), n.constant(2), n.constant(3), n.constant(4)
		if begins == nil || len(ends) != len(begins) || len(axes) != len(begins) || len(steps) != len(begins) {
			return
		}
		dims := slices.Clone(in.dims)
		for i, axis := range axes {
			if axis < 0 || int(axis) >= len(dims) || begins[i] < 0 || ends[i] < begins[i] || steps[i] <= 0 {
				return
			}
			begin, end := min(int(begins[i]), dims[axis]), min(int(ends[i]), dims[axis])
			dims[axis] = (end - begin + int(steps[i]) - 1) / int(steps[i])
		}
		set(dims)
	case "Range":
		begin, end, step := n.constant(0), n.constant(1), n.constant(2)
		if len(begin) == 1 && len(end) == 1 && len(step) == 1 && step[0] > 0 {
			set([]int{int((end[0] - begin[0] + step[0] - 1) / step[0])})
		}
	case "GatherND":
		if len(n.inputs) != 2 {
			return
		}
		at := n.inputs[1]
		if !at.known || len(at.dims) == 0 || n.integer("batch_dims", 0) != 0 {
			return
		}
		if last := len(at.dims) - 1; at.dims[last] <= len(in.dims) {
			set(slices.Concat(at.dims[:last], in.dims[at.dims[last]:]))
		}
	case "Gather":
		if len(n.inputs) != 2 {
			return
		}
		if at := n.inputs[1]; at.known && n.integer("axis", 0) == 0 && len(in.dims) > 0 {
			set(slices.Concat(at.dims, in.dims[1:]))
		}
	}
}

// broadcast are the dimensions of what has one of a and one of b at each place (NumPy's rule).
func broadcast(a, b []int) (dims []int, fits bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	dims = slices.Clone(a)
	for i, d := range b {
		at := len(a) - len(b) + i
		switch {
		case dims[at] == d || d == 1:
		case dims[at] == 1:
			dims[at] = d
		default:
			return nil, false
		}
	}
	return dims, true
}

func lengths(numbers []int64) []int {
	dims := make([]int, len(numbers))
	for i, n := range numbers {
		dims[i] = int(n)
	}
	return dims
}

// constant are the whole numbers that an input is given, or nil.
func (n *node) constant(input int) []int64 {
	if input >= len(n.inputs) {
		return nil
	}
	if v := n.inputs[input]; v.numbers != nil || v.known && v.producer == nil && v.dtype == onnx.TensorProto_INT64 && v.size() == 0 {
		return append([]int64{}, v.numbers...)
	}
	return nil
}

func (n *node) attribute(name string) *onnx.AttributeProto {
	for _, a := range n.proto.Attribute {
		if a.Name == name {
			return a
		}
	}
	return nil
}

func (n *node) integer(name string, absent int64) int64 {
	if a := n.attribute(name); a != nil {
		return a.I
	}
	return absent
}

func (n *node) list(name string) []int64 { return n.attribute(name).GetInts() }

func (n *node) text(name string) string { return string(n.attribute(name).GetS()) }
