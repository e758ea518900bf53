package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// ResNet is torchvision's residual network, version 1.5: the stride is on the 3 x 3 convolution (He et al., 2016). ResNet-50 has Layers
// 3, 4, 6, 3 and a Width of 64, ResNet-18 Layers 2, 2, 2, 2, Basic blocks and the same Width.
type ResNet struct {
	Image  int   // pixels a side
	Layers []int // blocks a stage; each stage but the first halves the sides and doubles the width
	Width  int   // of the stem and of the first stage's blocks
	// Basic blocks have two convolutions of 3 x 3 and no bottleneck.
	Basic bool `json:",omitempty"`
	// Stem, if not 0, is for small images: the stride of a convolution of 3 x 3 that no max pool follows, in the place of one of 7 x 7
	// with a stride of 2 and a pool. SimCLR has 1 for images of 32 pixels (Chen et al., 2020, B.9).
	Stem int `json:",omitempty"`
}

// expansion is how many times as wide as its middle a bottleneck's result is.
const expansion = 4

// Input is the shape of what Encode reads of an image, [Image, Image, 3].
func (r ResNet) Input() []int { return []int{r.Image, r.Image, 3} }

// first is a block of the first stage.
func (r ResNet) first(half bool) block { return block{width: r.Width, basic: r.Basic, half: half} }

// Encode turns images [batch, Input...] into features [batch, width], 2048 of a ResNet-50, the mean of the last stage's maps.
func (r ResNet) Encode(s *model.Scope, images *Node, half bool) *Node {
	stages := r.Stages(s, images, half)
	return ReduceMean(stages[len(stages)-1], 1, 2)
}

// Stages turns images [batch, Input...] into the maps after each stage, [batch, side, side, channels].
func (r ResNet) Stages(s *model.Scope, images *Node, half bool) []*Node {
	images.AssertDims(append([]int{-1}, r.Input()...)...)
	stem := s.In("stem")
	size, stride := 7, 2
	if r.Stem > 0 {
		size, stride = 3, r.Stem
	}
	x := relu(BatchNorm(stem.In("norm1"), Convolution(stem.In("convolution1"), images, size, stride, r.Width, half)))
	if r.Stem == 0 {
		x = maxPool(x)
	}
	return stages(s, x, r.Layers, r.first(half))
}

// stages runs blocks on maps x and returns what comes out of each stage.
//
//   - layers: blocks a stage.
//   - first: those of the first stage.
func stages(s *model.Scope, x *Node, layers []int, first block) []*Node {
	var all []*Node
	for stage, count := range layers {
		b := first
		b.width = first.width << stage
		at := s.In("stage%d", stage+1)
		for layer := range count {
			b.stride = 1
			if stage > 0 && layer == 0 {
				b.stride = 2
			}
			x = b.apply(at.In("layer_%d", layer), x)
		}
		all = append(all, x)
	}
	return all
}

// block is what stands beside a shortcut: three convolutions, 1 x 1, 3 x 3 and 1 x 1, which are a bottleneck, or two of 3 x 3.
type block struct {
	width, stride int
	basic         bool // two convolutions
	pooled        bool // CLIP's: average pools shrink the maps, and no convolution has a stride
	half          bool
}

// out is the number of channels of the result.
func (b block) out() int {
	if b.basic {
		return b.width
	}
	return expansion * b.width
}

// apply turns maps x [batch, side, side, channels] into [batch, side/stride, side/stride, out].
func (b block) apply(s *model.Scope, x *Node) *Node {
	stride, pool := b.stride, 1
	if b.pooled {
		stride, pool = 1, b.stride
	}
	layer := func(number string, x *Node, size, stride, out int) *Node {
		return BatchNorm(s.In("norm%s", number), Convolution(s.In("convolution%s", number), x, size, stride, out, b.half))
	}
	var y *Node
	if b.basic {
		y = layer("2", relu(layer("1", x, 3, stride, b.width)), 3, 1, b.width)
	} else {
		y = relu(layer("1", x, 1, 1, b.width))
		y = relu(layer("2", y, 3, stride, b.width))
		y = layer("3", averagePool(y, pool), 1, 1, b.out())
	}
	if b.stride != 1 || x.Shape().Dim(-1) != b.out() {
		shortcut := s.In("shortcut")
		x = BatchNorm(shortcut.In("norm"), Convolution(shortcut.In("convolution"), averagePool(x, pool), 1, stride, b.out(), b.half))
	}
	return relu(Add(x, y))
}
