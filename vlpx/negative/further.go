package negative

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Further are the rows that new positives add to a loss of captions with their images, such as MLM: images with their new captions, then
// captions with their new images.
type Further struct {
	Images, Texts *Node // positions in the mini-batch, int32, [room]
	Taken         *Node // which rows have a new positive, bool, [room]; the others are to spare, and must not count
	Count         *Node // of the new positives, a scalar
	at            *Node // places among the candidates, int32, [room]
}

// Further are the rows of the new positives, of which there is room for so many.
func (c Connections) Further(room int) Further {
	g, batch := c.Images.Graph(), c.Images.Shape().Dim(0)
	own := Iota(g, shapes.Make(dtypes.Int32, batch), 0)
	images, texts := Concatenate([]*Node{own, c.Images}, 0), Concatenate([]*Node{c.Texts, own}, 0)
	isNew := Concatenate([]*Node{c.NewTexts, c.NewImages}, 0)

	// Row r takes the r-th new positive: the one whose running count, itself included, is r+1.
	dtype := isNew.DType()
	running := MatMul(ConvertDType(LowerTriangular(g, 2*batch), dtype), InsertAxes(isNew, -1))
	row := Iota(g, shapes.Make(dtype, room, 2*batch), 0)
	takes := Mul(ConvertDType(Equal(OnePlus(row), Transpose(running, 0, 1)), dtype), InsertAxes(isNew, 0))
	f := Further{Taken: GreaterThan(ReduceSum(takes, -1), ScalarZero(g, dtype)), Count: ReduceAllSum(isNew)}
	f.at = ConvertDType(ReduceSum(Mul(takes, Iota(g, takes.Shape(), 1)), -1), dtypes.Int32)
	f.Images, f.Texts = f.Pick(images), f.Pick(texts)
	return f
}

// Pick takes of values of all candidates, those of images with captions first, [2 batch, ...], the ones of the rows, [room, ...].
func (f Further) Pick(x *Node) *Node { return Gather(x, InsertAxes(f.at, -1)) }
