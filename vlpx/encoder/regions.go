package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Regions embeds the regions of an image, such as a detector's boxes, as UNITER does (Chen et al., 2020, section 3.1; METHODS.md 12).
type Regions struct {
	Count    int // of an image at most; what it has less are rows to spare
	Features int // width of a region's features
}

// Geometry is how many numbers tell where a region is: its left, top, right and bottom edge, its width and height, each a share of the
// image's, and its area.
const Geometry = 7

// Input is the shape of an image: a row a region of its features, its geometry, and 1 where there is a region, 0 in a row to spare.
func (r Regions) Input() []int { return []int{r.Count, r.Features + Geometry + 1} }

// Mask is 1 where an image [images, Count, Features+Geometry+1] has a region, [images, Count].
func (r Regions) Mask(regions *Node) *Node {
	return Squeeze(Slice(regions, AxisRange(), AxisRange(), AxisRange(r.Features+Geometry, r.Features+Geometry+1)), -1)
}

// Embed turns regions [images, Count, Features+Geometry+1] into [images, Count, width]: features and geometry each by a linear layer and a
// layer normalisation, and their sum with the type of images normalised once more.
//
//   - kind: the type embedding of images, [width].
func (r Regions) Embed(s *model.Scope, regions, kind *Node, rate float64, half bool) *Node {
	width := kind.Shape().Dim(0)
	part := func(s *model.Scope, from, to int) *Node {
		x := Slice(regions, AxisRange(), AxisRange(), AxisRange(from, to))
		return LayerNorm(s.In("norm"), Linear(s.In("in"), x, width, half), bertEpsilon)
	}
	seen := part(s.In("features"), 0, r.Features)
	placed := part(s.In("geometry"), r.Features, r.Features+Geometry)
	x := Add(Add(seen, placed), ExpandLeftToRank(kind, 3))
	return dropout(s, LayerNorm(s.In("norm"), x, bertEpsilon), rate)
}
