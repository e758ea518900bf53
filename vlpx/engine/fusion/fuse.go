package fusion

import (
	"fmt"
	"slices"

	onnx "github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"
)

// The operation that package engine adds to ONNX Runtime, and its attribute that says what it computes. Its inputs and outputs are tensors
// of float32.
const (
	fusedDomain  = "vlpx"
	fusedOp      = "Elementwise"
	fusedProgram = "program"
)

// Model rewrites a serialised model. One with loops or branches comes back as it is.
func Model(serialised []byte) ([]byte, error) {
	var model onnx.ModelProto
	if err := proto.Unmarshal(serialised, &model); err != nil {
		return nil, fmt.Errorf("fusion: reading a graph: %w", err)
	}
	g := read(model.GetGraph())
	if g == nil {
		return serialised, nil
	}
	g.joinProducts()
	g.joinConvolutions(model.Graph)
	g.joinPools(model.Graph)
	g.prune()
	w := &writer{graph: g, proto: model.Graph}
	if err := w.write(); err != nil {
		return nil, err
	}
	model.Graph.Node = w.nodes
	model.OpsetImport = append(model.OpsetImport, &onnx.OperatorSetIdProto{Domain: fusedDomain, Version: 1})
	rewritten, err := proto.Marshal(&model)
	if err != nil {
		return nil, fmt.Errorf("fusion: writing a graph: %w", err)
	}
	return rewritten, nil
}

// writer puts a graph's operations into a new order. An operation that is not elementwise is written as soon as its inputs are there; when
// only elementwise ones are left, the first of them begins a group, which takes in what depends on it and has as many numbers, as long as
// everything else that it needs is there. So groups are as large as they can be without waiting for one another in a circle. With the sum
// of its rows a group takes in what is computed of one number a row, too.
type writer struct {
	graph *graph
	proto *onnx.GraphProto
	nodes []*onnx.NodeProto
	// What can be written, in the order of the graph.
	others, elements []*node
}

// group is some elementwise operations of equally many numbers that become one, in the order in which they are computed. It may sum rows of
// these, and compute with one number a row.
type group struct {
	size    int
	columns int // of a row; 0 as long as there are no rows
	nodes   []*node
	has     map[*node]bool
}

// So many operations of a group, and of one with rows, keep what it computes with within the memory of a thread.
const mostOperations, mostWithRows = 256, 64

func (w *writer) write() error {
	for _, n := range w.graph.nodes {
		if n.kind == view {
			continue
		}
		for _, base := range n.needs() {
			base.users = append(base.users, n)
			if !base.ready {
				n.missing++
			}
		}
		w.offer(n)
	}
	for len(w.others)+len(w.elements) > 0 {
		if len(w.others) > 0 {
			n := w.others[0]
			w.others = w.others[1:]
			w.keep(n)
			continue
		}
		n := w.elements[0]
		w.elements = w.elements[1:]
		if !n.written {
			w.fuse(w.gather(n))
		}
	}
	for _, n := range w.graph.nodes {
		if n.kind != view && !n.written {
			return fmt.Errorf("fusion: operation %d of the graph, %s, waits for its own result", n.at, n.proto.OpType)
		}
	}
	for _, out := range w.proto.Output {
		w.materialise(w.graph.values[out.Name])
	}
	return nil
}

// needs are the tensors that must be there for a node, once each.
func (n *node) needs() []*value {
	var bases []*value
	for _, v := range n.inputs {
		if v = base(v); !slices.Contains(bases, v) {
			bases = append(bases, v)
		}
	}
	return bases
}

// base is the tensor that v is a view of, or v.
func base(v *value) *value {
	for v.producer != nil && v.producer.kind == view {
		v = v.producer.inputs[0]
	}
	return v
}

// offer takes in a node that can be written.
func (w *writer) offer(n *node) {
	switch {
	case n.missing > 0:
	case n.fusible():
		at, _ := slices.BinarySearchFunc(w.elements, n.at, func(m *node, at int) int { return m.at - at })
		w.elements = slices.Insert(w.elements, at, n)
	default:
		w.others = append(w.others, n)
	}
}

// done tells those who waited for a node.
func (w *writer) done(n *node) {
	n.written = true
	for _, v := range n.outputs {
		v.ready = true
		for _, user := range v.users {
			user.missing--
			w.offer(user)
		}
	}
}

// keep writes a node as it was, and a product of small matrices as one that reads what views show.
func (w *writer) keep(n *node) {
	if n.kind == stack {
		w.products(n)
		return
	}
	for _, v := range n.inputs {
		w.materialise(v)
	}
	n.proto.Name = w.called(n.work(), n.bytes())
	w.nodes = append(w.nodes, n.proto)
	w.done(n)
}

// materialise writes the views that make v of what was computed, unless that was done.
func (w *writer) materialise(v *value) {
	n := v.producer
	if n == nil || n.kind != view || v.ready {
		return
	}
	v.ready = true
	if n.proto.OpType == "Concat" {
		from := v.seen(v.dims)
		w.elementwise(&program{size: v.size(), columns: 1, inputs: []input{{whole, from}}, outputs: []*value{v},
			instructions: []instruction{{code: keep, to: 1}}})
		return
	}
	for _, in := range n.inputs {
		w.materialise(in)
	}
	n.proto.Name = w.called(Copying, unknownBytes)
	w.nodes = append(w.nodes, n.proto)
}

// gather finds what is computed together with a node that can be written.
func (w *writer) gather(first *node) *group {
	g := &group{size: first.outputs[0].size(), has: map[*node]bool{}}
	if first.kind == rowSum {
		g.size, g.columns = first.inputs[0].size(), first.columns()
	}
	g.add(first)
	for at := 0; at < len(g.nodes); at++ {
		for _, user := range g.nodes[at].outputs[0].users {
			g.take(user)
		}
	}
	return g
}

func (g *group) add(n *node) {
	g.has[n] = true
	g.nodes = append(g.nodes, n)
}

// take adds a node, if it can be, and what it needs that can be.
func (g *group) take(n *node) bool {
	if g.has[n] {
		return true
	}
	before, columns := len(g.nodes), g.columns
	fits := n.fusible() && !n.written && g.fits(n)
	for _, v := range n.operands() {
		if from := base(v); fits && !from.ready {
			o := n.seen(v)
			fits = o.base == from && (o.contiguous() || g.level(n.outputs[0]) == whole && g.aRow(o)) && g.take(from.producer)
		}
	}
	if !fits {
		for _, m := range g.nodes[before:] {
			delete(g.has, m)
		}
		g.nodes, g.columns = g.nodes[:before], columns
		return false
	}
	g.add(n)
	return true
}

// fits tells whether a node has the group's numbers, or one a row of these.
func (g *group) fits(n *node) bool {
	size := n.outputs[0].size()
	switch {
	case len(g.nodes) >= mostOperations:
		return false
	case n.kind == rowSum:
		return n.inputs[0].size() == g.size && g.divided(n.columns())
	default:
		return size == g.size || g.columns > 0 && size*g.columns == g.size
	}
}

// aRow tells whether the group can read a number a row.
func (g *group) aRow(o operand) bool {
	columns, is := o.aRow()
	return is && columns >= leastColumns && columns <= mostColumns && g.divided(columns)
}

// divided tells whether the group's rows have so many numbers, or makes them.
func (g *group) divided(columns int) bool {
	if g.columns == 0 && len(g.nodes) < mostWithRows {
		g.columns = columns
	}
	return g.columns == columns && len(g.nodes) < mostWithRows
}

// fuse writes a group as one operation. A single one that reads nothing through views stays as it was.
func (w *writer) fuse(g *group) {
	changed := func(v *value) bool { return base(v) != v || v.again }
	if len(g.nodes) == 1 && !changed(g.nodes[0].outputs[0]) && !slices.ContainsFunc(g.nodes[0].inputs, changed) {
		w.keep(g.nodes[0])
		return
	}
	if outputs := g.outputs(); len(outputs) > 0 {
		w.elementwise(g.program(outputs))
	}
	for _, n := range g.nodes {
		if !n.written {
			w.done(n)
		}
	}
}

// elementwise writes a program.
func (w *writer) elementwise(p *program) {
	node := &onnx.NodeProto{
		OpType: fusedOp, Domain: fusedDomain,
		Attribute: []*onnx.AttributeProto{{Name: fusedProgram, Type: onnx.AttributeProto_INTS, Ints: p.encode()}},
	}
	for _, in := range p.inputs {
		w.materialise(in.base)
		node.Input = append(node.Input, in.base.name)
	}
	for _, out := range p.outputs {
		node.Output = append(node.Output, out.name)
		w.proto.ValueInfo = append(w.proto.ValueInfo, described(out))
	}
	node.Name = w.called(p.work(), p.bytes())
	w.nodes = append(w.nodes, node)
}

// described tells ONNX Runtime the dimensions of a tensor, which it cannot infer itself.
func described(v *value) *onnx.ValueInfoProto {
	shape := &onnx.TensorShapeProto{}
	for _, d := range v.dims {
		shape.Dim = append(shape.Dim,
			&onnx.TensorShapeProto_Dimension{Value: &onnx.TensorShapeProto_Dimension_DimValue{DimValue: int64(d)}})
	}
	return &onnx.ValueInfoProto{Name: v.name, Type: &onnx.TypeProto{Value: &onnx.TypeProto_TensorType{
		TensorType: &onnx.TypeProto_Tensor{ElemType: int32(onnx.TensorProto_FLOAT), Shape: shape},
	}}}
}
