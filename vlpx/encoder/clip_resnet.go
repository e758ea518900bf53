package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// CLIPResNet is CLIP's ModifiedResNet (Radford et al., 2021): a stem of three convolutions, average pools in the place of strides, and
// attention in the place of the mean. RN50 has Layers 3, 4, 6, 3, a Width of 64, 32 Heads and an Output of 1024.
type CLIPResNet struct {
	Image  int   // pixels a side, a multiple of Reduction
	Layers []int // bottlenecks a stage; each stage but the first halves the sides and doubles the width
	Width  int   // of the stem and of the first stage's bottlenecks, an even number
	Heads  int   // of the attention pool
	Output int   // width of the features
}

// Reduction is how many pixels a side become one place of the last maps.
func (r CLIPResNet) Reduction() int { return 4 << (len(r.Layers) - 1) }

// Channels is the width of the last maps, which the attention pool reads.
func (r CLIPResNet) Channels() int { return expansion * r.Width << (len(r.Layers) - 1) }

// Input is the shape of what Encode reads of an image, [Image, Image, 3].
func (r CLIPResNet) Input() []int { return []int{r.Image, r.Image, 3} }

// Encode turns images [batch, Input...] into features [batch, Output].
func (r CLIPResNet) Encode(s *model.Scope, images *Node, half bool) *Node {
	maps := r.Stages(s, images, half)
	return r.pool(s.In("pool"), maps[len(maps)-1], half)
}

// Stages turns images [batch, Input...] into the maps after each stage, [batch, side, side, channels].
func (r CLIPResNet) Stages(s *model.Scope, images *Node, half bool) []*Node {
	images.AssertDims(append([]int{-1}, r.Input()...)...)
	if r.Image%r.Reduction() != 0 {
		exceptions.Panicf("encoder: images of %d pixels a side do not come out even after %d stages; take a multiple of %d",
			r.Image, len(r.Layers), r.Reduction())
	}
	stem, x := s.In("stem"), images
	for i, width := range []int{r.Width / 2, r.Width / 2, r.Width} {
		stride := 1
		if i == 0 {
			stride = 2
		}
		x = relu(BatchNorm(stem.In("norm%d", i+1), Convolution(stem.In("convolution%d", i+1), x, 3, stride, width, half)))
	}
	return stages(s, averagePool(x, 2), r.Layers, block{width: r.Width, pooled: true, half: half})
}

// pool lets the mean of maps [batch, side, side, width] attend to it and to all places; the first position is the mean's.
func (r CLIPResNet) pool(s *model.Scope, maps *Node, half bool) *Node {
	batch, width := maps.Shape().Dim(0), maps.Shape().Dim(3)
	x := Reshape(maps, batch, maps.Shape().Dim(1)*maps.Shape().Dim(2), width)
	x = Concatenate([]*Node{ReduceAndKeep(x, ReduceMean, 1), x}, 1)
	x = Add(x, InsertAxes(Variable(s.In("position"), x.Graph(), Embedding, x.Shape().Dim(1), width), 0))
	b := Block{Width: width, Heads: r.Heads, Half: half}
	m := b.memory(s, x)
	mean := b.mix(s, b.query(s, Slice(x, AxisRange(), AxisRange(0, 1))), m.Keys, m.Values, nil)
	return Linear(s.In("output"), Squeeze(mean, 1), r.Output, half)
}
