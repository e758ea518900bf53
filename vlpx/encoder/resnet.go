package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// ResNet is torchvision's residual network of bottlenecks, version 1.5: the stride is on the 3 x 3 convolution (He et al., 2016).
// ResNet-50 has Layers 3, 4, 6, 3 and a Width of 64.
type ResNet struct {
	Image  int   // pixels a side
	Layers []int // bottlenecks a stage; each stage but the first halves the sides and doubles the width
	Width  int   // of the stem and of the first stage's bottlenecks
}

// expansion is how many times as wide as its middle a bottleneck's result is.
const expansion = 4

// Input is the shape of what Encode reads of an image, [Image, Image, 3].
func (r ResNet) Input() []int { return []int{r.Image, r.Image, 3} }

// Output is the width of the features, 2048 of a ResNet-50.
func (r ResNet) Output() int { return stageWidth(r.Width, len(r.Layers)-1) }

// Encode turns images [batch, Input...] into features [batch, Output], the mean of the last stage's maps.
func (r ResNet) Encode(s *model.Scope, images *Node, half bool) *Node {
	stages := r.Stages(s, images, half)
	return ReduceMean(stages[len(stages)-1], 1, 2)
}

// Stages turns images [batch, Input...] into the maps after each stage, [batch, side, side, channels].
func (r ResNet) Stages(s *model.Scope, images *Node, half bool) []*Node {
	images.AssertDims(append([]int{-1}, r.Input()...)...)
	stem := s.In("stem")
	x := BatchNorm(stem.In("norm1"), Convolution(stem.In("convolution1"), images, 7, 2, r.Width, half))
	return stages(s, maxPool(relu(x)), r.Layers, bottleneck{width: r.Width, half: half})
}

// stages runs bottlenecks on maps x and returns what comes out of each stage.
//
//   - layers: bottlenecks a stage.
//   - first: those of the first stage.
func stages(s *model.Scope, x *Node, layers []int, first bottleneck) []*Node {
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

// stageWidth is the number of channels after a stage, counted from 0.
func stageWidth(width, stage int) int { return expansion * width << stage }

// bottleneck is three convolutions, 1 x 1, 3 x 3 and 1 x 1, beside a shortcut.
type bottleneck struct {
	width, stride int
	pooled        bool // CLIP's: average pools shrink the maps, and no convolution has a stride
	half          bool
}

// apply turns maps x [batch, side, side, channels] into [batch, side/stride, side/stride, expansion*width].
func (b bottleneck) apply(s *model.Scope, x *Node) *Node {
	out := expansion * b.width
	stride, pool := b.stride, 1
	if b.pooled {
		stride, pool = 1, b.stride
	}
	layer := func(number string, x *Node, size, stride, out int) *Node {
		return BatchNorm(s.In("norm%s", number), Convolution(s.In("convolution%s", number), x, size, stride, out, b.half))
	}
	y := relu(layer("1", x, 1, 1, b.width))
	y = relu(layer("2", y, 3, stride, b.width))
	y = layer("3", averagePool(y, pool), 1, 1, out)
	if b.stride != 1 || x.Shape().Dim(-1) != out {
		shortcut := s.In("shortcut")
		x = BatchNorm(shortcut.In("norm"), Convolution(shortcut.In("convolution"), averagePool(x, pool), 1, stride, out, b.half))
	}
	return relu(Add(x, y))
}
