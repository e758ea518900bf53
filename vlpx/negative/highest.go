package negative

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// highest are the k highest numbers of each row of x [rows, n], the highest first, [rows, k], without gradient: one after the other, since not every engine
// sorts.
func highest(x *Node, k int) *Node {
	x = StopGradient(x)
	var all []*Node
	for range k {
		at := ArgMax(x, -1)
		all = append(all, ReduceMax(x, -1))
		x = Where(hits(at, x.Shape().Dim(1)), ConstAs(x, -1e30), x)
	}
	return Stack(all, 1)
}
