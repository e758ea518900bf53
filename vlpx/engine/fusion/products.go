package fusion

import (
	"slices"
	"strings"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// joinProducts has products of matrices read a second one that is transposed as it lies, and makes them of sums over one axis of stacked
// matrices. (With a first one that lies transposed ONNX Runtime is slower than with a transposition before.)
func (g *graph) joinProducts() {
	uses := users{}
	for _, n := range g.nodes {
		for _, v := range n.inputs {
			uses[v] = append(uses[v], n)
		}
	}
	gone := map[*node]bool{}
	for _, n := range g.nodes {
		if len(n.inputs) != 2 || !n.outputs[0].float() || !n.inputs[0].float() || !n.inputs[1].float() {
			continue
		}
		switch n.proto.OpType {
		case "MatMul":
			if t := n.inputs[1].producer; t != nil && t.proto.OpType == "Transpose" && slices.Equal(t.list("perm"), []int64{1, 0}) {
				n.proto.Input[1] = t.inputs[0].name
				uses.pass(n, 1, gone)
				n.product([2]bool{false, true})
			}
		case "Einsum":
			transposed, is := stacked(n.text("equation"))
			if !is {
				continue
			}
			if s, small := n.small(transposed); small {
				n.kind, n.stacked = stack, s
			} else {
				n.proto.Attribute = nil
				n.product(transposed)
			}
		}
	}
	for _, n := range g.nodes {
		if n.kind == stack {
			n.takeFactors(uses, gone)
			n.takeResult(uses, gone)
		}
	}
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return gone[n] })
}

// product makes a node ONNX Runtime's product of matrices that may lie transposed.
func (n *node) product(transposed [2]bool) {
	n.proto.OpType, n.proto.Domain = "FusedMatMul", "com.microsoft"
	for i, name := range []string{"transA", "transB"} {
		if transposed[i] {
			n.proto.Attribute = append(n.proto.Attribute, &onnx.AttributeProto{Name: name, Type: onnx.AttributeProto_INT, I: 1})
		}
	}
}

// stacked tells whether an equation is that of products of matrices, one for each index of the same leading axes, and which lie transposed.
func stacked(equation string) (transposed [2]bool, is bool) {
	from, to, _ := strings.Cut(equation, "->")
	a, b, both := strings.Cut(from, ",")
	batch := len(to) - 2
	if !both || batch < 1 || len(a) != len(to) || len(b) != len(to) || a[:batch] != to[:batch] || b[:batch] != to[:batch] {
		return transposed, false
	}
	row, column := to[batch], to[batch+1]
	at := strings.IndexByte(a[batch:], row)
	bt := strings.IndexByte(b[batch:], column)
	if at < 0 || bt < 0 || a[batch+1-at] != b[batch+1-bt] {
		return transposed, false
	}
	return [2]bool{at == 1, bt == 0}, true
}
