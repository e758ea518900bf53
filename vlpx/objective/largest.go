package objective

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Largest are the k largest numbers along the last axis of x, which are finite, the largest first, and their places, int32: [..., k] each.
// Of equal numbers the first comes first. A gradient goes to the numbers that are taken. Every engine has what it needs, and it takes k
// passes over x.
func Largest(x *Node, k int) (values, places *Node) {
	at := ConvertDType(Iota(x.Graph(), x.Shape(), -1), dtypes.Int32)
	left := StopGradient(x)
	var taken, where []*Node
	for range k {
		place := ArgMax(left, -1, dtypes.Int32)
		own := Equal(at, BroadcastToShape(InsertAxes(place, -1), at.Shape()))
		taken, where = append(taken, ReduceSum(Where(own, x, ZerosLike(x)), -1)), append(where, place)
		left = Where(own, ConstAs(x, math.Inf(-1)), left)
	}
	return Stack(taken, -1), Stack(where, -1)
}
