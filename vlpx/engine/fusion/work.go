package fusion

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// Work is what an operation does in a training step, as far as the graph tells.
type Work string

// What elementwise operations do comes first: those that are joined count as the first of these that one of them does.
const (
	Update        Work = "updates of variables"
	Activation    Work = "activation and pooling"
	Softmax       Work = "softmax"
	Dropout       Work = "dropout"
	Normalisation Work = "normalisation"
	Copying       Work = "transposes and copies"
	Elements      Work = "other elementwise"

	Products  Work = "products of matrices"
	Stacked   Work = "products of stacked matrices"
	Reduction Work = "reductions"
	Gathering Work = "gathers and scatters"
	Rest      Work = "the rest"
)

// Works are all of them, in the order of tables.
func Works() []Work {
	return []Work{Products, Stacked, Softmax, Normalisation, Activation, Dropout, Elements, Update, Reduction, Gathering, Copying, Rest}
}

// works are those of operations by their names.
var works = map[string]Work{
	"MatMul": Products, "FusedMatMul": Products, "Gemm": Products, "Einsum": Products, "Conv": Products, "ConvTranspose": Products,
	convolutionOp: Products,
	poolOp:        Activation, "Erf": Activation, "Gelu": Activation, "Relu": Activation, "Sigmoid": Activation, "Tanh": Activation,
	"LogSoftmax": Softmax, "Softmax": Softmax, "ReduceMax": Softmax, // before its exponentials
	"BitShift": Dropout, "BitwiseAnd": Dropout, "BitwiseOr": Dropout, "BitwiseXor": Dropout, // of which its draws are made
	"ArgMax": Reduction, "ArgMin": Reduction, "CumSum": Reduction, "ReduceMean": Reduction, "ReduceMin": Reduction, "ReduceProd": Reduction,
	"ReduceSum": Reduction, "TopK": Reduction,
	"Gather": Gathering, "GatherElements": Gathering, "GatherND": Gathering, "ScatterElements": Gathering, "ScatterND": Gathering,
	"OneHot": Gathering,
	"Cast":   Copying, "Concat": Copying, "Expand": Copying, "Flatten": Copying, "Identity": Copying, "Pad": Copying, "Reshape": Copying,
	"Slice": Copying, "Split": Copying, "Squeeze": Copying, "Tile": Copying, "Transpose": Copying, "Unsqueeze": Copying,
	"Abs": Elements, "Add": Elements, "And": Elements, "Div": Elements, "Equal": Elements, "Exp": Elements, "Greater": Elements,
	"GreaterOrEqual": Elements, "Less": Elements, "LessOrEqual": Elements, "Log": Elements, "Max": Elements, "Min": Elements,
	"Mul": Elements, "Neg": Elements, "Not": Elements, "Or": Elements, "Pow": Elements, "Sign": Elements, "Sqrt": Elements,
	"Sub": Elements, "Where": Elements,
}

// unknownBytes stands in a name for bytes that the shapes tell.
const unknownBytes = -1

// called names the next operation that is written by its work and by the bytes of distinct numbers that it reads and writes. ONNX Runtime
// wants each name once, and its profile has them.
func (w *writer) called(work Work, bytes int) string {
	return fmt.Sprintf("%s/%d/%d", work, len(w.nodes), bytes)
}

// Named reads the name of an operation of a rewritten graph: what it does, and the bytes of distinct numbers that it reads and writes, or a
// negative number where its shapes tell. Operations of other graphs are of the rest.
func Named(name string) (work Work, bytes int) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || !slices.Contains(Works(), Work(parts[0])) {
		return Rest, unknownBytes
	}
	bytes, err := strconv.Atoi(parts[2])
	if err != nil {
		return Rest, unknownBytes
	}
	return Work(parts[0]), bytes
}

// work is that of an operation that is written as it was.
func (n *node) work() Work {
	work, known := works[n.proto.OpType]
	switch {
	case n.kind == elementwise:
		return elementwiseWork(n.outputs[0].size(), []opcode{n.code}, n.inputs, n.outputs)
	case n.proto.OpType == "Exp" && len(n.inputs) > 0:
		return n.exponential()
	case !known:
		return Rest
	case work == Products && !slices.ContainsFunc(n.inputs, func(v *value) bool { return len(v.dims) < 3 }) && n.proto.OpType[0] != 'C':
		return Stacked
	case work == Elements && n.outputs[0].dtype == onnx.TensorProto_UINT64:
		return Dropout
	}
	return work
}

// exponential is the work of an exponential: softmax's is of what is left beside the largest, and the derivative of GELU's has one of a
// negative square.
func (n *node) exponential() Work {
	of := n.inputs[0].producer
	switch {
	case of == nil || of.kind != elementwise:
		return Elements
	case of.code == sub:
		return Softmax
	case of.code == neg:
		return Activation
	}
	return Elements
}

// bytes are those that an operation reads and writes which is written as it was, where that is elementwise.
func (n *node) bytes() int {
	if n.kind != elementwise {
		return unknownBytes
	}
	var inputs []operand
	for _, v := range n.inputs {
		inputs = append(inputs, v.seen(n.outputs[0].dims))
	}
	return moved(inputs, n.outputs)
}

// work is that of a program.
func (p *program) work() Work {
	var codes []opcode
	for _, i := range p.instructions {
		codes = append(codes, i.code)
	}
	var inputs []*value
	for _, in := range p.inputs {
		inputs = append(inputs, in.base)
	}
	return elementwiseWork(p.size, codes, inputs, p.outputs)
}

// bytes are those that a program reads and writes.
func (p *program) bytes() int {
	var inputs []operand
	for _, in := range p.inputs {
		inputs = append(inputs, in.operand)
	}
	return moved(inputs, p.outputs)
}

// moved are the bytes of float32 that are read, each once, and written.
func moved(inputs []operand, outputs []*value) int {
	const float = 4
	numbers, read := 0, map[*value]int{}
	for _, in := range inputs {
		covered := 1
		for _, a := range in.axes {
			if a.stride != 0 {
				covered *= max(a.to-a.from, 0)
			}
		}
		before := read[in.base]
		read[in.base] = min(before+covered, in.base.size())
		numbers += read[in.base] - before
	}
	for _, out := range outputs {
		numbers += out.size()
	}
	return float * numbers
}

// elementwiseWork is what operations on so many numbers do that are joined, found by what they compute with and by their neighbours.
func elementwiseWork(size int, codes []opcode, inputs, outputs []*value) Work {
	is := map[Work]bool{}
	given, result := false, slices.ContainsFunc(outputs, func(v *value) bool { return v.result })
	computes := func(some ...opcode) bool {
		return slices.ContainsFunc(codes, func(c opcode) bool { return slices.Contains(some, c) })
	}
	for _, v := range inputs {
		n := base(v).producer
		given = given || n == nil && base(v).size() == size
		if n != nil && n.kind == other {
			is[n.neighbour()] = true
		}
		if from := sources(v, size); from[roots] || from[sums] && computes(sub) {
			is[Normalisation] = true
		}
	}
	for _, v := range outputs {
		for _, user := range v.users {
			if user.kind == other {
				is[user.neighbour()] = true
			}
		}
	}
	is[Update] = given && result
	if computes(sqrt) || computes(sum) && computes(sub) {
		is[Normalisation] = true
	}
	for _, work := range []Work{Update, Activation, Softmax, Dropout, Normalisation} {
		if is[work] {
			return work
		}
	}
	switch {
	case computes(greater, greaterOrEqual, less, lessOrEqual, where): // ReLU, and pooling
		return Activation
	case !slices.ContainsFunc(codes, func(c opcode) bool { return c != keep }):
		return Copying
	case computes(sum):
		return Reduction
	}
	return Elements
}

// neighbour is what elementwise operations do beside an operation of another kind: activation, softmax, dropout, or nothing that it
// tells.
func (n *node) neighbour() Work {
	draws := []onnx.TensorProto_DataType{onnx.TensorProto_UINT32, onnx.TensorProto_UINT64}
	switch work := n.work(); {
	case n.proto.OpType == "Cast" && len(n.inputs) > 0 && slices.Contains(draws, n.inputs[0].dtype):
		return Dropout
	case work == Activation || work == Softmax || work == Dropout:
		return work
	}
	return ""
}

// origin is what numbers that are the same for many others are computed by.
type origin int

const (
	roots origin = iota // a square root, such as a standard deviation
	sums                // a sum, such as a mean
)

// fewer is how many times as many numbers a normaliser is repeated for, at least: a pooled map is of a quarter of its numbers.
const fewer = 16

// sources are the origins of a tensor of far fewer numbers than size, but more than one, by elementwise operations.
func sources(v *value, size int) map[origin]bool {
	found, seen := map[origin]bool{}, map[*value]bool{}
	var look func(v *value)
	look = func(v *value) {
		v = base(v)
		n := v.producer
		if seen[v] || n == nil || !v.known || v.size()*fewer > size || v.size() == 1 {
			return
		}
		seen[v] = true
		switch {
		case n.proto.OpType == "ReduceSum" || n.proto.OpType == "ReduceMean":
			found[sums] = true
		case n.kind == elementwise:
			found[roots] = found[roots] || n.code == sqrt
			for _, in := range n.inputs {
				look(in)
			}
		}
	}
	look(v)
	return found
}
