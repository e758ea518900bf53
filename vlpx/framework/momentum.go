package framework

import (
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// teacher is the momentum model's view of a mini-batch, without gradient.
type teacher struct {
	image, text *Node // um and wm, [batch, Embed]
	words       *Node // logits over the vocabulary for the masked captions, [batch, tokens, vocabulary]
	mix         *Node // weight of the soft targets, a scalar
}

// teach moves the momentum weights towards the online ones as they were before this step's update, then runs the momentum
// model on the batch (METHODS.md 1.3).
func (a ALBEF) teach(s *model.Scope, decay float64, b Batch) teacher {
	g, batch := b.Pixels.Graph(), b.Pixels.Shape().Dim(0)
	for v := range s.Store().Scope(Momentum).IterVariables() {
		online := s.Store().GetVariable(Model + strings.TrimPrefix(v.Path(), Momentum))
		v.SetNodeValue(MovingAverage(v.NodeValue(g), StopGradient(online.NodeValue(g)), decay))
	}
	m := s.Store().Scope(Momentum)
	image := a.EncodeImage(m, b.Pixels)
	both := a.EncodeText(m, Concatenate([]*Node{b.IDs, b.Masked}, 0))
	masked := AxisRange(batch, 2*batch)
	choice := ConvertDType(Diagonal(g, batch), dtypes.Float32)
	fused := a.Fuse(m, Slice(both.States, masked), Slice(both.Bias, masked), image.Tokens, choice)
	return teacher{
		image: StopGradient(image.Feature),
		text:  StopGradient(Slice(both.Feature, AxisRange(0, batch))),
		words: StopGradient(a.maskedWords(m, fused)),
	}
}

// MovingAverage is decay times the average plus the rest of the value: the momentum update of ALBEF.
func MovingAverage(average, value *Node, decay float64) *Node {
	return Add(MulScalar(average, decay), MulScalar(value, 1-decay))
}
