package fusion

import (
	"math"
	"slices"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// The second operation of package engine, whose attribute is a program, too.
const productsOp = "Products"

// product is one of matrices for each index s of a stack, to[s, i, j] = factor * (sum over k of a[s, i, k] b[s, k, j]), that Products
// computes.
type product struct {
	factor               float32
	stack                []int // lengths of its axes
	rows, columns, inner int
	transposed           [2]bool // a and b lie as [s, k, i] and [s, j, k]
	order                []int   // axes s, i, j as the result has them
}

// Matrices up to mostSmall rows and columns are small. Products takes sums of as many numbers, and stacks of mostStackAxes.
const (
	mostSmall     = 256
	mostStackAxes = 8
)

// small is the product of stacked matrices that a node computes, if they are small: ONNX Runtime's own is made for large ones.
func (n *node) small(transposed [2]bool) (p *product, is bool) {
	to, a, b := n.outputs[0].dims, n.inputs[0].dims, n.inputs[1].dims
	last := len(to) - 2
	row, inner := last, last+1 // of a
	if transposed[0] {
		row, inner = inner, row
	}
	column, across := last+1, last // of b
	if transposed[1] {
		column, across = across, column
	}
	p = &product{factor: 1, stack: to[:last], rows: to[last], columns: to[last+1], inner: a[inner], transposed: transposed}
	for axis := range to {
		p.order = append(p.order, axis)
	}
	fits := slices.Equal(a[:last], p.stack) && slices.Equal(b[:last], p.stack) && a[row] == p.rows && b[column] == p.columns &&
		b[across] == p.inner
	return p, fits && size(to) > 0 && p.inner > 0 && max(p.rows, p.columns, p.inner) <= mostSmall && last <= mostStackAxes
}

// users are the nodes that read each value, once for each time.
type users map[*value][]*node

// pass has a node read, in the place of an input, what that was made of; a node that nobody reads any more is gone.
func (u users) pass(n *node, input int, gone map[*node]bool) {
	v := n.inputs[input]
	past := v.producer.inputs[0]
	at := slices.Index(u[v], n)
	u[v] = slices.Delete(u[v], at, at+1)
	u[past] = append(u[past], n)
	gone[v.producer] = len(u[v]) == 0 && !v.result
	n.inputs[input] = past
}

// scaled tells whether a node multiplies all numbers of its first input by a constant.
func (n *node) scaled() (by float32, is bool) {
	if n.kind != elementwise || n.code != mul || !slices.Equal(n.inputs[0].dims, n.outputs[0].dims) {
		return 0, false
	}
	factor := base(n.inputs[1]).single
	if factor == nil {
		return 0, false
	}
	return *factor, true
}

// takeFactors multiplies a product in the place of its operands, where only such products read these.
func (n *node) takeFactors(uses users, gone map[*node]bool) {
	for i, v := range n.inputs {
		if v.producer == nil || v.result || slices.ContainsFunc(uses[v], func(user *node) bool { return user.kind != stack }) {
			continue
		}
		if by, is := v.producer.scaled(); is {
			n.stacked.factor *= by
			uses.pass(n, i, gone)
		}
	}
}

// takeResult has a product return what the one node that reads it makes of it: another order of axes, or a multiple.
func (n *node) takeResult(uses users, gone map[*node]bool) {
	for {
		v := n.outputs[0]
		if v.result || len(uses[v]) != 1 {
			return
		}
		user := uses[v][0]
		if by, is := user.scaled(); is {
			n.stacked.factor *= by
		} else if order := user.list("perm"); user.proto.OpType == "Transpose" && turns(order, len(v.dims)) {
			before := n.stacked.order
			n.stacked.order = nil
			for _, axis := range order {
				n.stacked.order = append(n.stacked.order, before[axis])
			}
		} else {
			return
		}
		gone[user] = true
		n.outputs[0] = user.outputs[0]
		n.outputs[0].producer = n
	}
}

// turns tells whether an order of axes is one, and keeps one of the last two axes last.
func turns(order []int64, axes int) bool {
	for axis := range axes {
		if !slices.Contains(order, int64(axis)) {
			return false
		}
	}
	return len(order) == axes && int(order[axes-1]) >= axes-2
}

// encode writes a product that reads operands of the axes s, i, k and s, k, j, and returns all of its operation's result, as Products reads
// it: the number of axes of the result and their lengths; the number of products, and of each its factor's bits, the number of the stack's
// axes and their lengths, rows, columns and numbers of a sum; the first number and the strides of a, of b and of what it returns.
func (p *product) encode(a, b operand, to []int) []int64 {
	code := []int64{int64(len(to))}
	numbers := func(ns ...int) {
		for _, n := range ns {
			code = append(code, int64(n))
		}
	}
	place := func(o operand) {
		numbers(o.offset)
		for _, a := range o.axes {
			numbers(a.stride)
		}
	}
	numbers(to...)
	numbers(1, int(math.Float32bits(p.factor)), len(p.stack))
	numbers(p.stack...)
	numbers(p.rows, p.columns, p.inner)
	place(a)
	place(b)
	result := lying(&value{dims: to})
	axes := slices.Clone(result.axes)
	for at, axis := range p.order {
		result.axes[axis] = axes[at]
	}
	place(result)
	return code
}

// turned exchanges the last two axes.
func (o operand) turned() operand {
	o.axes = slices.Clone(o.axes)
	last := len(o.axes) - 1
	o.axes[last-1], o.axes[last] = o.axes[last], o.axes[last-1]
	return o
}

// products writes a product of small matrices, whose operands it reads where they lie. One that returns its rows side by side is written as
// the product of the other matrix, transposed, by this one.
func (w *writer) products(n *node) {
	p := *n.stacked
	node := &onnx.NodeProto{OpType: productsOp, Domain: fusedDomain, Output: []string{n.outputs[0].name}}
	var of [2]operand
	for i, v := range n.inputs {
		o, fits := place(v).as(v.dims)
		if !fits || slices.ContainsFunc(o.axes, func(a axis) bool { return !a.whole() }) {
			o = lying(v)
		}
		w.materialise(o.base)
		node.Input = append(node.Input, o.base.name)
		if of[i] = o; p.transposed[i] {
			of[i] = o.turned()
		}
	}
	row, last := len(p.order)-2, len(p.order)-1
	if p.order[last] == row {
		of[0], of[1] = of[1].turned(), of[0].turned()
		node.Input[0], node.Input[1] = node.Input[1], node.Input[0]
		p.rows, p.columns = p.columns, p.rows
		p.order = slices.Clone(p.order)
		at := slices.Index(p.order, last)
		p.order[at], p.order[last] = row, last
	}
	node.Name = w.called(Stacked, moved(of[:], n.outputs))
	node.Attribute = []*onnx.AttributeProto{
		{Name: fusedProgram, Type: onnx.AttributeProto_INTS, Ints: p.encode(of[0], of[1], n.outputs[0].dims)},
	}
	w.proto.ValueInfo = append(w.proto.ValueInfo, described(n.outputs[0]))
	w.nodes = append(w.nodes, node)
	w.done(n)
}
