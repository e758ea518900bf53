package engine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
)

// Operations counts the floating-point operations of the matrix products and convolutions that results of a graph depend on, two for a
// multiplication with its addition, as they are usually counted. Everything else, such as normalisations and the optimiser, is left out,
// and what a graph has and no result needs counts for nothing. Zeros that a convolution finds around its input are counted, those that its
// input's dilation puts between the values are not. A node that has products inside and is not known here is an error.
func Operations(results ...*graph.Node) (float64, error) {
	seen := map[*graph.Node]bool{}
	sum, open := 0.0, append([]*graph.Node{}, results...)
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		open = append(open, n.Inputs()...)
		count, err := operations(n)
		if err != nil {
			return 0, fmt.Errorf("engine: counting operations: %w", err)
		}
		sum += count
	}
	return sum, nil
}

// operations are those of one node.
func operations(n *graph.Node) (float64, error) {
	switch n.Type() {
	case graph.NodeTypeDotGeneral:
		axes, err := numbers(n, "lhsContractingAxes")
		count := 2 * float64(n.Shape().Size())
		for _, axis := range axes {
			count *= float64(n.Inputs()[0].Shape().Dim(axis))
		}
		return count, err
	case graph.NodeTypeConvGeneral:
		output, err := numbers(n, "KernelOutputChannels")
		if err != nil {
			return 0, err
		}
		apart, err := numbers(n, "inputDilations")
		kernel := n.Inputs()[1].Shape()
		count := 2 * float64(n.Shape().Size()) * float64(kernel.Size()) / float64(kernel.Dim(output[0]))
		for _, d := range apart {
			count /= float64(d)
		}
		return count, err
	case graph.NodeTypeFusedDense:
		weight := n.Inputs()[1].Shape()
		return 2 * float64(n.Inputs()[0].Shape().Size()) * float64(weight.Size()) / float64(weight.Dim(0)), nil
	case graph.NodeTypeFusedScaledDotProductAttention:
		return attention(n, 2) // logits, and what is read by their softmax
	case graph.NodeTypeFusedScaledDotProductAttentionVJP:
		return attention(n, 4) // a gradient of either factor of these
	case graph.NodeTypeFusedAttentionQKVProjection, graph.NodeTypeFusedQuantizedDense, graph.NodeTypeCall, graph.NodeTypeWhile,
		graph.NodeTypeIf:
		return 0, fmt.Errorf("a node of type %s, whose operations are not counted", n.Type())
	}
	return 0, nil
}

// attention are the operations of so many products of each query [batch, heads, tokens, dim] with each key [batch, heads, keys, dim]. What
// a fused gradient computes again is left out, so that it counts as that of the plain products.
func attention(n *graph.Node, products float64) (float64, error) {
	query, key := n.Inputs()[0].Shape(), n.Inputs()[1].Shape()
	if !strings.Contains(n.String(), "axesLayout=BHSD") {
		return 0, fmt.Errorf("attention of another layout than [batch, heads, tokens, dim]: %s", n)
	}
	return products * 2 * float64(query.Size()) * float64(key.Dim(2)), nil
}

// numbers are those of a node's property. GoMLX tells a node's properties by its text alone.
func numbers(n *graph.Node, property string) ([]int, error) {
	found := regexp.MustCompile(`\b` + property + `[=:]\[?([0-9 ]*)\]?`).FindStringSubmatch(n.String())
	if found == nil {
		return nil, fmt.Errorf("%s does not tell its %s", n, property)
	}
	var all []int
	for _, text := range strings.Fields(found[1]) {
		number, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", property, n, err)
		}
		all = append(all, number)
	}
	return all, nil
}
