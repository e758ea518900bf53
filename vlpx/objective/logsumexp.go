package objective

import . "github.com/gomlx/gomlx/core/graph"

// LogSumExp is ln(sum exp x) over the last axis, [...] of [..., n], without overflow.
func LogSumExp(x *Node) *Node {
	largest := StopGradient(ReduceAndKeep(x, ReduceMax, -1))
	return Add(Squeeze(largest, -1), Log(ReduceSum(Exp(Sub(x, largest)), -1)))
}
