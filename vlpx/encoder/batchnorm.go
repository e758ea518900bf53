package encoder

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"
)

const (
	batchNormEpsilon = 1e-5
	// batchNormMomentum is the weight of a batch in the running statistics, as PyTorch counts it.
	batchNormMomentum = 0.1
)

// BatchNorm normalises the channels of x [..., channels] and applies gain and offset (Ioffe and Szegedy, 2015), as PyTorch's
// BatchNorm2d does.
//
// In a graph that trains it takes mean and variance of the batch's values, the variance divided by their number, and moves the running
// ones by a tenth towards them, the variance here divided by their number less one; else it takes the running ones, which are no
// trainable variables.
func BatchNorm(s *model.Scope, x *Node) *Node {
	g, channels := x.Graph(), x.Shape().Dim(-1)
	centred, deviation := standard(s, x)
	scale := Div(Variable(s, g, Gain, channels), deviation)
	return Add(Mul(centred, spread(scale, x)), spread(Variable(s, g, Offset, channels), x))
}

// Standardise is BatchNorm without gain and offset, PyTorch's with affine=False.
func Standardise(s *model.Scope, x *Node) *Node {
	centred, deviation := standard(s, x)
	return Div(centred, spread(deviation, x))
}

// standard is x less its means, and the standard deviations, [channels].
func standard(s *model.Scope, x *Node) (centred, deviation *Node) {
	g, channels := x.Graph(), x.Shape().Dim(-1)
	runningMean, mean := statistic(s, x, RunningMean)
	runningVariance, variance := statistic(s, x, RunningVariance)
	if s.Store().IsTraining(g) {
		count := float64(x.Shape().Size() / channels)
		if count < 2 {
			exceptions.Panicf("encoder: batch normalisation trains on %s, one value a channel, which has no variance; use a larger "+
				"batch or image", x.Shape())
		}
		mean = channelMean(x)
		variance = channelMean(Square(Sub(x, spread(mean, x))))
		move(runningMean, mean)
		move(runningVariance, MulScalar(variance, count/(count-1)))
	}
	return Sub(x, spread(mean, x)), Sqrt(AddScalar(variance, batchNormEpsilon))
}

// channelMean is the mean of each channel of x [batch, ..., channels], first of each image and then of these: ONNX Runtime is ten times as
// slow where the reduced axes come first and are long.
func channelMean(x *Node) *Node {
	var inner []int
	for axis := 1; axis < x.Rank()-1; axis++ {
		inner = append(inner, axis)
	}
	if inner != nil {
		x = ReduceMean(x, inner...)
	}
	return ReduceMean(x, 0)
}

// spread brings numbers of channels [channels] to x [batch, ..., channels], so that the gradient comes back as channelMean goes: [batch,
// 1..., channels].
func spread(of, x *Node) *Node {
	batch, channels := x.Shape().Dim(0), x.Shape().Dim(-1)
	dims := make([]int, x.Rank())
	for axis := range dims {
		dims[axis] = 1
	}
	dims[0], dims[len(dims)-1] = batch, channels
	return Reshape(BroadcastToDims(InsertAxes(of, 0), batch, channels), dims...)
}

// statistic is the scope's variable of that name with a number a channel of x, which no optimiser moves, and its value.
func statistic(s *model.Scope, x *Node, name string) (*model.Variable, *Node) {
	dtype := dtypes.Float32
	if v := s.GetVariable(name); v != nil {
		dtype = v.DType()
	}
	v := s.WithInitializer(initializer.Zero).VariableWithShape(name, shapes.Make(dtype, x.Shape().Dim(-1)))
	// Where a graph does not train GoMLX makes a constant of a variable that is not trainable, for ONNX Runtime: training would go unseen.
	value := v.SetTrainable(true).NodeValue(x.Graph())
	return v.SetTrainable(false), value
}

// move brings a running statistic nearer to the batch's.
func move(running *model.Variable, batch *Node) {
	old := running.NodeValue(batch.Graph())
	running.SetNodeValue(Add(MulScalar(old, 1-batchNormMomentum), MulScalar(StopGradient(batch), batchNormMomentum)))
}
