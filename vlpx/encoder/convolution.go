package encoder

import (
	"math"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Convolution slides kernels of size x size pixels, size odd, over maps x [batch, height, width, in] with zeros around them and without a
// bias. The result is [batch, height/stride, width/stride, out], rounded up; the variable is [size, size, in, out].
//
// It is a product of gathered patches with a matrix, and a stride is a choice among neighbours that stand on an axis of their own: not
// every engine has the gradient of a strided convolution, or of a strided slice.
func Convolution(s *model.Scope, x *Node, size, stride, out int, half bool) *Node {
	x.AssertRank(4)
	in := x.Shape().Dim(3)
	kernels := Reshape(Variable(s, x.Graph(), Weights, size, size, in, out), size*size*in, out)
	return MatMulRows(patches(x, size, stride), kernels, half)
}

// patches gathers what each place of a convolution's result sees of x: [batch, height/stride, width/stride, size*size*in]. It goes along
// the rows first and then down, since each slice is a pass over all of it, there and back.
func patches(x *Node, size, stride int) *Node {
	if size == 1 && stride == 1 {
		return x
	}
	dims := x.Shape().Dimensions
	x = surrounded(x, size, stride, 0)
	for _, axis := range []int{2, 1} {
		x = Concatenate(taps(x, axis, dims[axis], size, stride), -1)
	}
	return x
}

// surrounded puts pixels of a value around maps x [batch, height, width, channels], so that a window of size pixels that goes along them by
// strides sees no others.
func surrounded(x *Node, size, stride int, around float64) *Node {
	beyond := make([]compute.PadAxis, x.Rank())
	for _, axis := range []int{1, 2} {
		_, beyond[axis] = extent(x.Shape().Dim(axis), size, stride)
	}
	return Pad(x, Scalar(x.Graph(), x.DType(), around), beyond...)
}

// taps are what the places of a window of size pixels see of maps x, surrounded, as the window goes by strides along an axis that was
// length long: one a place of the window, the axis by stride as long, rounded up.
func taps(x *Node, axis, length, size, stride int) []*Node {
	places, _ := extent(length, size, stride)
	dims := x.Shape().Clone().Dimensions
	dims[axis] = places
	x = Reshape(x, slices.Concat(dims[:axis], []int{x.Shape().Dim(axis) / stride, stride}, dims[axis+1:])...)
	ranges := slices.Repeat([]SliceAxisSpec{AxisRange()}, x.Rank())
	var seen []*Node
	for i := range size {
		ranges[axis], ranges[axis+1] = AxisRange(i/stride, i/stride+places), AxisElem(i%stride)
		seen = append(seen, Reshape(Slice(x, ranges...), dims...))
	}
	return seen
}

// extent is the number of places along an axis of a convolution's result, and the pixels around the axis, which make whole strides of it.
func extent(length, size, stride int) (places int, around compute.PadAxis) {
	before := (size - 1) / 2
	places = (length + stride - 1) / stride
	whole := max(places+(size-1)/stride, (before+length+stride-1)/stride)
	return places, compute.PadAxis{Start: before, End: whole*stride - before - length}
}

// maxPool is the largest value of windows of 3 x 3 pixels, every second one, of maps x [batch, height, width, channels], rounded up. Of
// equal ones the first has the gradient. The engines' own pools do not agree on it where windows overlap.
func maxPool(x *Node) *Node {
	dims := x.Shape().Dimensions
	x = surrounded(x, 3, 2, -math.MaxFloat32)
	for _, axis := range []int{2, 1} {
		seen := taps(x, axis, dims[axis], 3, 2)
		x = larger(larger(seen[0], seen[1]), seen[2])
	}
	return x
}

// larger is the larger one of two numbers, the first where they are equal, which has the gradient. The gradient of Max is the same in five
// passes.
func larger(a, b *Node) *Node { return Where(GreaterThan(b, a), b, a) }

// averagePool is the mean of squares of so many pixels a side of maps x [batch, height, width, channels]; what is left at the far edges
// is not seen.
func averagePool(x *Node, side int) *Node {
	if side == 1 {
		return x
	}
	batch, height, width, channels := x.Shape().Dim(0), x.Shape().Dim(1)/side, x.Shape().Dim(2)/side, x.Shape().Dim(3)
	if height*side != x.Shape().Dim(1) || width*side != x.Shape().Dim(2) {
		x = Slice(x, AxisRange(), AxisRange(0, height*side), AxisRange(0, width*side), AxisRange())
	}
	return ReduceMean(Reshape(x, batch, height, side, width, side, channels), 2, 4)
}

// relu has no gradient at zero. What is not a number stays so.
func relu(x *Node) *Node {
	return Where(LessOrEqual(x, ScalarZero(x.Graph(), x.DType())), ZerosLike(x), x)
}
