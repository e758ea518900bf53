package encoder

import (
	"math"

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

// patches gathers what each place of a convolution's result sees of x: [batch, height/stride, width/stride, size*size*in].
func patches(x *Node, size, stride int) *Node {
	seen := windows(x, size, stride, 0)
	if len(seen) == 1 {
		return seen[0]
	}
	return Concatenate(seen, -1)
}

// windows are what every place of a window of size x size pixels sees of maps x [batch, height, width, channels] as the window goes over
// them by strides: each [batch, height/stride, width/stride, channels], row by row of the window.
//
//   - around: the value of pixels outside of the maps.
func windows(x *Node, size, stride int, around float64) []*Node {
	if size == 1 && stride == 1 {
		return []*Node{x}
	}
	batch, channels := x.Shape().Dim(0), x.Shape().Dim(3)
	rows, down := extent(x.Shape().Dim(1), size, stride)
	columns, across := extent(x.Shape().Dim(2), size, stride)
	x = Pad(x, Scalar(x.Graph(), x.DType(), around), compute.PadAxis{}, down, across, compute.PadAxis{})
	x = Reshape(x, batch, x.Shape().Dim(1)/stride, stride, x.Shape().Dim(2)/stride, stride, channels)
	var seen []*Node
	for i := range size {
		for j := range size {
			seen = append(seen, Reshape(Slice(x, AxisRange(), AxisRange(i/stride, i/stride+rows), AxisElem(i%stride),
				AxisRange(j/stride, j/stride+columns), AxisElem(j%stride), AxisRange()), batch, rows, columns, channels))
		}
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
	seen := windows(x, 3, 2, -math.MaxFloat32)
	largest := seen[0]
	for _, other := range seen[1:] {
		largest = Max(largest, other)
	}
	return largest
}

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

// relu has no gradient at zero.
func relu(x *Node) *Node { return Max(ZerosLike(x), x) }
