package negative

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Retrieved takes the hardest of many negatives that exist, for each image some captions and for each caption some images, as UNITER and
// TAGS-DC do (METHODS.md 12.4).
type Retrieved struct {
	// Pool is the number of pairs, drawn uniformly from the training set, that a framework without embeddings scores with each anchor;
	// published: 399. All anchors of a mini-batch have the same ones.
	Pool int
	Keep int // the hardest; published: 31
}

// Validate reports what is wrong with the settings.
func (r Retrieved) Validate() error {
	if r.Keep < 1 || r.Pool < r.Keep {
		return fmt.Errorf("negative: the hardest %d of %d retrieved negatives; keep at least 1, and no more than there are", r.Keep, r.Pool)
	}
	return nil
}

// Pairs implements Matching: with embeddings the pool is the mini-batch, which may have fewer than Keep.
func (r Retrieved) Pairs(c Contrasted, _ *Node) Pairs {
	batch := c.I2T.Shape().Dim(0)
	own := Iota(c.I2T.Graph(), shapes.Make(dtypes.Int32, batch), 0)
	p := Pairs{Images: own, Texts: own, Labels: OnesLike(own)}
	keep := min(r.Keep, batch-1) // the next one would be the own pair
	texts := Top(objective.MaskDiagonal(StopGradient(c.I2T)), keep)
	images := Top(objective.MaskDiagonal(StopGradient(c.T2I)), keep)
	for k := range keep {
		of := func(x *Node) *Node { return Squeeze(Slice(x, AxisRange(), AxisRange(k, k+1)), -1) }
		p.Images = Concatenate([]*Node{p.Images, of(images), own}, 0)
		p.Texts = Concatenate([]*Node{p.Texts, own, of(texts)}, 0)
		p.Labels = Concatenate([]*Node{p.Labels, ZerosLike(own), ZerosLike(own)}, 0)
	}
	return p
}

// Top are the places of the k largest scores of each row [rows, n], the largest first and equal ones by their place; [rows, k] int32.
func Top(scores *Node, k int) *Node {
	n := scores.Shape().Dim(-1)
	place := Iota(scores.Graph(), shapes.Make(dtypes.Int32, scores.Shape().Dim(0), n, n), 2)
	mine, other := InsertAxes(scores, 2), InsertAxes(scores, 1) // a row one of mine, a column one of the others
	dims := place.Shape().Dimensions
	mine, other = BroadcastToDims(mine, dims...), BroadcastToDims(other, dims...)
	before := LessThan(place, Transpose(place, 1, 2))
	above := Or(GreaterThan(other, mine), And(Equal(other, mine), before))
	rank := ReduceSum(ConvertDType(above, dtypes.Int32), -1) // [rows, n]
	wanted := Iota(scores.Graph(), shapes.Make(dtypes.Int32, scores.Shape().Dim(0), k, n), 1)
	hit := Equal(wanted, BroadcastToDims(InsertAxes(rank, 1), wanted.Shape().Dimensions...))
	return ArgMax(ConvertDType(hit, dtypes.Float32), -1)
}

// Choose takes places [rows, k] of the second axis of x [rows, n, ...]: [rows, k, ...].
func Choose(x, places *Node) *Node {
	rows, n := x.Shape().Dim(0), x.Shape().Dim(1)
	first := MulScalar(Iota(x.Graph(), places.Shape(), 0), n)
	flat := Reshape(x, append([]int{rows * n}, x.Shape().Dimensions[2:]...)...)
	return Gather(flat, InsertAxes(Add(places, first), -1))
}

// Retrieves is the number of negatives that the method's matching retrieves for each anchor from the pool, 0 where it retrieves none.
func (m Method) Retrieves() int {
	r, _ := m.Matching.(Retrieved)
	return r.Keep
}

// Pool is the number of pairs in the pool that the method's matching retrieves from, 0 where it has none.
func (m Method) Pool() int {
	r, _ := m.Matching.(Retrieved)
	return r.Pool
}

var uniter = Entry{
	Name:   "UNITER",
	Source: "Chen et al., 2020; METHODS.md 12",
	What:   "the hardest of many retrieved negatives",
	At:     func(s Sizes) Method { return s.Writing.retrieved(nil) },
}

// retrieved is a method that retrieves its negatives, and writes.
func (w WritingSettings) retrieved(by Writing) Method {
	return Method{Matching: Retrieved{Pool: w.Pool, Keep: w.Hard}, Writing: by, Masking: w.Rate}.WithDefaults()
}
