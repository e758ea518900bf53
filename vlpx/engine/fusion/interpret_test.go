package fusion

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// tensor is a value of the slow reference: numbers of float32, of booleans as 0 and 1, or whole ones.
type tensor struct {
	dims    []int
	numbers []float32
	whole   []int64
}

// at is the number that an index of dims finds, repeated along axes of length one.
func (t tensor) at(index []int) float32 {
	at := 0
	for i, d := range t.dims {
		at *= d
		if j := index[len(index)-len(t.dims)+i]; d > 1 {
			at += j
		}
	}
	return t.numbers[at]
}

// filled is a tensor whose numbers are found by their index.
func filled(dims []int, number func(index []int) float32) tensor {
	t := tensor{dims: dims, numbers: make([]float32, size(dims))}
	index := make([]int, len(dims))
	for i := range t.numbers {
		t.numbers[i] = number(index)
		for axis := len(dims) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < dims[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return t
}

// interpret computes a model's results one operation after another, as the ONNX standard and the fused operation's description say.
func interpret(t *testing.T, model *onnx.ModelProto, given map[string]tensor) map[string]tensor {
	t.Helper()
	values := map[string]tensor{}
	for name, v := range given {
		values[name] = v
	}
	for _, c := range model.Graph.Initializer {
		values[c.Name] = constant(c)
	}
	for _, n := range model.Graph.Node {
		var in []tensor
		for _, name := range n.Input {
			v, has := values[name]
			if !has {
				t.Fatalf("%s reads %s, which is not there", n.OpType, name)
			}
			in = append(in, v)
		}
		for i, out := range apply(t, n, in) {
			if _, has := values[n.Output[i]]; has {
				t.Fatalf("%s computes %s again", n.OpType, n.Output[i])
			}
			values[n.Output[i]] = out
		}
	}
	results := map[string]tensor{}
	for _, out := range model.Graph.Output {
		v, has := values[out.Name]
		if !has {
			t.Fatalf("the result %s is not there", out.Name)
		}
		results[out.Name] = v
	}
	return results
}

func constant(c *onnx.TensorProto) tensor {
	v := tensor{whole: integers(c)}
	for _, d := range c.Dims {
		v.dims = append(v.dims, int(d))
	}
	if c.DataType == int32(onnx.TensorProto_FLOAT) {
		for raw := c.RawData; len(raw) > 0; raw = raw[4:] {
			v.numbers = append(v.numbers, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		}
	}
	return v
}

func apply(t *testing.T, op *onnx.NodeProto, in []tensor) []tensor {
	t.Helper()
	n := &node{proto: op}
	switch op.OpType {
	case fusedOp:
		return run(n.list(fusedProgram), in)
	case productsOp:
		return runProducts(n.list(fusedProgram), in)
	case convolutionOp:
		return convolve(n.list(fusedProgram), in)
	case poolOp:
		return runPool(n.list(fusedProgram), in)
	}
	if code, is := opcodes[op.OpType]; is {
		dims := in[0].dims
		for _, v := range in[1:] {
			dims, _ = broadcast(dims, v.dims)
		}
		return []tensor{filled(dims, func(index []int) float32 {
			var of [3]float32
			for i, v := range in {
				of[i] = v.at(index)
			}
			return compute(code, of)
		})}
	}
	switch op.OpType {
	case "Reshape":
		return []tensor{{dims: lengths(in[1].whole), numbers: in[0].numbers}}
	case "Expand":
		dims, _ := broadcast(in[0].dims, lengths(in[1].whole))
		return []tensor{filled(dims, in[0].at)}
	case "Transpose":
		order := n.list("perm")
		dims := make([]int, len(order))
		for i, axis := range order {
			dims[i] = in[0].dims[axis]
		}
		return []tensor{filled(dims, func(index []int) float32 {
			from := make([]int, len(index))
			for i, axis := range order {
				from[axis] = index[i]
			}
			return in[0].at(from)
		})}
	case "Slice":
		dims, begins := slices.Clone(in[0].dims), make([]int, len(in[0].dims))
		for i, axis := range in[3].whole {
			begins[axis], dims[axis] = int(in[1].whole[i]), int(in[2].whole[i]-in[1].whole[i])
		}
		return []tensor{filled(dims, func(index []int) float32 {
			from := make([]int, len(index))
			for i := range index {
				from[i] = index[i] + begins[i]
			}
			return in[0].at(from)
		})}
	case "Pad":
		dims := slices.Clone(in[0].dims)
		for i := range dims {
			dims[i] += int(in[1].whole[i] + in[1].whole[len(dims)+i])
		}
		return []tensor{filled(dims, func(index []int) float32 {
			from := make([]int, len(index))
			for i := range index {
				if from[i] = index[i] - int(in[1].whole[i]); from[i] < 0 || from[i] >= in[0].dims[i] {
					return in[2].numbers[0]
				}
			}
			return in[0].at(from)
		})}
	case "Concat":
		axis := int(n.integer("axis", 0))
		dims := slices.Clone(in[0].dims)
		dims[axis] = 0
		for _, v := range in {
			dims[axis] += v.dims[axis]
		}
		return []tensor{filled(dims, func(index []int) float32 {
			from := slices.Clone(index)
			for _, v := range in {
				if from[axis] < v.dims[axis] {
					return v.at(from)
				}
				from[axis] -= v.dims[axis]
			}
			panic("outside")
		})}
	case "ReduceSum":
		n.inputs = []*value{{dims: in[0].dims}}
		if !n.last(in[1].whole) {
			t.Fatalf("sums over the axes %d", in[1].whole)
		}
		rank := len(in[0].dims)
		dims := slices.Clone(in[0].dims)
		for i := range in[1].whole {
			dims[rank-1-i] = 1
		}
		if n.integer("keepdims", 1) == 0 {
			dims = dims[:rank-len(in[1].whole)]
		}
		columns := len(in[0].numbers) / size(dims)
		out := tensor{dims: dims}
		for row := range slices.Chunk(in[0].numbers, columns) {
			out.numbers = append(out.numbers, sumOf(row))
		}
		return []tensor{out}
	case "MatMul":
		return []tensor{multiply(in[0], in[1], false, false)}
	case "FusedMatMul":
		return []tensor{multiply(in[0], in[1], n.integer("transA", 0) == 1, n.integer("transB", 0) == 1)}
	case "Einsum":
		transposed, is := stacked(n.text("equation"))
		if !is {
			t.Fatalf("the equation %s", n.text("equation"))
		}
		return []tensor{multiply(in[0], in[1], transposed[0], transposed[1])}
	}
	t.Fatalf("no operation %s", op.OpType)
	return nil
}

// multiply is the product of matrices, one for each index of the axes before the last two.
func multiply(a, b tensor, transposeA, transposeB bool) tensor {
	last := func(x tensor, transposed bool) (rows, columns int) {
		rows, columns = x.dims[len(x.dims)-2], x.dims[len(x.dims)-1]
		if transposed {
			rows, columns = columns, rows
		}
		return rows, columns
	}
	rows, inner := last(a, transposeA)
	_, columns := last(b, transposeB)
	batch := a.dims[:len(a.dims)-2]
	return filled(slices.Concat(batch, []int{rows, columns}), func(index []int) float32 {
		i, j := index[len(batch)], index[len(batch)+1]
		var sum float32
		for k := range inner {
			ik, kj := []int{i, k}, []int{k, j}
			if transposeA {
				slices.Reverse(ik)
			}
			if transposeB {
				slices.Reverse(kj)
			}
			sum += float32(a.at(slices.Concat(index[:len(batch)], ik)) * b.at(slices.Concat(index[:len(batch)], kj)))
		}
		return sum
	})
}

func compute(code opcode, of [3]float32) float32 {
	truth := map[bool]float32{true: 1}
	switch a, b := of[0], of[1]; code {
	case add:
		return a + b
	case sub:
		return a - b
	case mul:
		return a * b
	case div:
		return a / b
	case greater:
		return truth[a > b]
	case greaterOrEqual:
		return truth[a >= b]
	case less:
		return truth[a < b]
	case lessOrEqual:
		return truth[a <= b]
	case equal:
		return truth[a == b]
	case neg:
		return -a
	case sqrt:
		return float32(math.Sqrt(float64(a)))
	case abs:
		return float32(math.Abs(float64(a)))
	case keep:
		return a
	case where:
		if a != 0 {
			return b
		}
		return of[2]
	}
	panic(fmt.Sprint("no operation ", code))
}

// run computes a program of Elementwise, a row after another.
func run(code []int64, in []tensor) []tensor {
	next := func() int {
		n := code[0]
		code = code[1:]
		return int(n)
	}
	n, columns, inputs, outputs, wholes, rows, instructions := next(), next(), next(), next(), next(), next(), next()
	places := make([]input, inputs)
	for i := range places {
		places[i] = input{level(next()), operand{offset: next(), axes: make([]axis, next())}}
		for j := range places[i].axes {
			places[i].axes[j] = axis{next(), next(), next(), next()}
		}
	}
	results := make([]tensor, outputs)
	for i := range results {
		results[i] = tensor{dims: make([]int, next())}
		for j := range results[i].dims {
			results[i].dims[j] = next()
		}
		results[i].numbers = make([]float32, size(results[i].dims))
	}
	steps := make([]instruction, instructions)
	for i := range steps {
		steps[i] = instruction{opcode(next()), next(), [3]int{next(), next(), next()}}
	}
	length := func(numbers int) int { // of a register within a row
		if numbers == n {
			return columns
		}
		return 1
	}
	registers := make([][]float32, inputs+outputs+wholes+rows)
	for i := range registers {
		switch {
		case i < inputs:
			registers[i] = make([]float32, map[level]int{whole: columns, row: 1, column: columns, single: 1}[places[i].level])
		case i < inputs+outputs:
			registers[i] = make([]float32, length(len(results[i-inputs].numbers)))
		case i < inputs+outputs+wholes:
			registers[i] = make([]float32, columns)
		default:
			registers[i] = make([]float32, 1)
		}
	}
	for at := range n / columns {
		for r, p := range places {
			for i := range registers[r] {
				index := i
				if p.level <= row {
					index += at * len(registers[r])
				}
				if at, is := p.find(index); is {
					registers[r][i] = in[r].numbers[at]
				} else {
					registers[r][i] = 0
				}
			}
		}
		for _, step := range steps {
			if step.code == sum {
				registers[step.to][0] = sumOf(registers[step.of[0]])
				continue
			}
			for i := range registers[step.to] {
				var of [3]float32
				for j, r := range step.of {
					of[j] = registers[r][min(i, len(registers[r])-1)]
				}
				registers[step.to][i] = compute(step.code, of)
			}
		}
		for r := range results {
			copy(results[r].numbers[at*len(registers[inputs+r]):], registers[inputs+r])
		}
	}
	return results
}

// find is where an operand's number is, or false where that is a zero outside of its tensor.
func (o operand) find(index int) (at int, is bool) {
	at, is = o.offset, true
	for j := len(o.axes) - 1; j >= 0; j-- {
		a := o.axes[j]
		i := index % a.length
		index /= a.length
		at += i * a.stride
		is = is && i >= a.from && i < a.to
	}
	return at, is
}

// sumOf adds numbers as Elementwise does: every sixteenth one, and then the first half of these sums to the second one.
func sumOf(numbers []float32) float32 {
	var lane [16]float32
	for i, x := range numbers {
		lane[i%16] += x
	}
	for half := 8; half > 0; half /= 2 {
		for j := range half {
			lane[j] += lane[j+half]
		}
	}
	return lane[0]
}
