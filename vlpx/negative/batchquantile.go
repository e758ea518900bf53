package negative

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// BatchQuantile is the LeftOut that GloFND's published code compares itself with as FNC: the negatives whose cosine is above the
// (1-Alpha)-quantile of the anchor's negatives in the mini-batch, a view at a time, interpolated linearly (METHODS.md 10.2). Unless Alpha
// is 0 it takes at least the most similar one.
type BatchQuantile struct {
	Alpha float64 // share of the negatives, from 0 to below 1
	Use   float64 // epoch from which it is used
}

// Validate reports which value is out of its range.
func (q BatchQuantile) Validate() error {
	if !share(q.Alpha) || q.Use < 0 {
		return fmt.Errorf("negative: a share of %g of the mini-batch's negatives left out from epoch %g; take a share from 0 to below 1, "+
			"and an epoch from 0",
			q.Alpha, q.Use)
	}
	return nil
}

// Find implements LeftOut.
func (q BatchQuantile) Find(a Anchors, s Sight) *Node {
	threshold := q.Threshold(a)
	return s.From(q.Use, GreaterThan(a.Cosines, BroadcastToDims(InsertAxes(threshold, -1), a.Cosines.Shape().Dimensions...)))
}

// Threshold is the quantile of each view's negatives, [batch, views].
func (q BatchQuantile) Threshold(a Anchors) *Node {
	batch, views := a.Cosines.Shape().Dim(0), a.Views()
	return Reshape(a.quantile(q.Alpha, batch*views), batch, views)
}

// quantile is the (1-alpha)-quantile of the anchors' negatives, interpolated linearly, in so many rows, which are the batch or the batch
// times the views, [rows].
func (a Anchors) quantile(alpha float64, rows int) *Node {
	batch, views, candidates := a.Cosines.Shape().Dim(0), a.Views(), a.Cosines.Shape().Dim(2)
	negatives := candidates / batch * (batch - 1) * batch * views / rows
	above := alpha * float64(negatives-1) // how far from the highest the quantile is, in places
	place := int(math.Floor(above))
	cosines := Reshape(Where(a.Negative, a.Cosines, ConstAs(a.Cosines, -2)), rows, -1)
	part := above - float64(place)
	if part == 0 {
		return atPlace(cosines, place)
	}
	return Add(MulScalar(atPlace(cosines, place), 1-part), MulScalar(atPlace(cosines, place+1), part))
}

// atPlace is the value at a place of each row of cosines [rows, candidates] in descending order, from 0, [rows]. It halves the range in
// which the value lies until nothing else lies there: not every engine sorts.
func atPlace(cosines *Node, place int) *Node {
	const beyond, impossible = 1.1, 4
	cosines = StopGradient(cosines)
	low := BroadcastToDims(ConstAs(cosines, -beyond), cosines.Shape().Dim(0), 1) // more than place values lie above it
	high := Neg(low)                                                             // and not more above this one
	above := func(x *Node) *Node { return GreaterThan(cosines, BroadcastToDims(x, cosines.Shape().Dimensions...)) }
	for range 8 * cosines.DType().Size() {
		middle := MulScalar(Add(low, high), 0.5)
		count := ReduceAndKeep(numbers(above(middle), cosines), ReduceSum, -1)
		more := GreaterThan(count, ConstAs(count, place))
		low, high = Where(more, middle, low), Where(more, high, middle)
	}
	return ReduceMin(Where(above(low), cosines, ConstAs(cosines, impossible)), -1)
}

var fnc = Entry{
	Name:   "FNC",
	Source: "Balmaseda et al., 2025; METHODS.md 10.2",
	What:   "SogCLR without the most similar negatives of the mini-batch",
	At:     func(s Sizes) Method { return s.without(BatchQuantile{Alpha: s.Global.Alpha, Use: s.begin()}) },
}
