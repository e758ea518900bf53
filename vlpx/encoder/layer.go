package encoder

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// Names of the variables; Initialise and the optimiser's groups go by them.
const (
	Weights         = "weights"          // matrices, [in, out], and kernels of convolutions, [height, width, in, out]
	Bias            = "bias"             // [out]
	Gain            = "gain"             // of a normalisation, [width]
	Offset          = "offset"           // of a normalisation, [width]
	RunningMean     = "running_mean"     // of a batch normalisation, [channels]; not trainable
	RunningVariance = "running_variance" // of a batch normalisation, [channels]; not trainable
	Embedding       = "embedding"        // tables and learned tokens, [entries, width]
	Temperature     = "temperature"      // tau, a scalar
	Scale           = "scale"            // log(1/tau), a scalar, as CLIP learns it
)

// Variable returns the value of the scope's trainable variable in the graph, declaring it in float32 on first use. One that the
// store has already keeps its type, so that a model computes in the type of its weights and inputs.
func Variable(s *model.Scope, g *Graph, name string, dims ...int) *Node {
	dtype := dtypes.Float32
	if v := s.GetVariable(name); v != nil {
		dtype = v.DType()
	}
	return s.WithInitializer(initializer.Zero).VariableWithShape(name, shapes.Make(dtype, dims...)).NodeValue(g)
}

// DType is the type of the weights below a scope, float32 while there are none.
func DType(s *model.Scope) dtypes.DType {
	for v := range s.IterVariables() {
		return v.DType()
	}
	return dtypes.Float32
}

// Linear maps x [..., in] to [..., out] with a bias. With half the product runs in bfloat16; the result has x's type.
func Linear(s *model.Scope, x *Node, out int, half bool) *Node {
	in := x.Shape().Dim(-1)
	y := MatMulRows(x, Variable(s, x.Graph(), Weights, in, out), half)
	return Add(y, ExpandLeftToRank(Variable(s, x.Graph(), Bias, out), x.Rank()))
}

// MatMulRows multiplies the last axis of x [..., in] by w [in, out].
func MatMulRows(x, w *Node, half bool) *Node {
	dims := append([]int{}, x.Shape().Dimensions...)
	in, out := w.Shape().Dim(0), w.Shape().Dim(1)
	x = Reshape(x, x.Shape().Size()/in, in)
	dims[len(dims)-1] = out
	return Reshape(inHalf(half, (*DotBuilder).MatMul, x, w), dims...)
}

// inHalf computes a product in bfloat16 if half is set, and returns a's type either way. Its gradient's products are in bfloat16, too: with
// the accumulator that GoMLX names for a product of halves, float32, it would compute these in float32, which are two thirds of all.
// Engines sum up products of halves in float32 without being told.
func inHalf(half bool, product func(*DotBuilder) *Node, a, b *Node) *Node {
	if !half {
		return product(Dot(a, b))
	}
	a16, b16 := ConvertDType(a, dtypes.BFloat16), ConvertDType(b, dtypes.BFloat16)
	return ConvertDType(product(Dot(a16, b16).WithAccumulatorDType(dtypes.InvalidDType)), a.DType())
}

// LayerNorm normalises the last axis of x and applies gain and offset.
func LayerNorm(s *model.Scope, x *Node, epsilon float64) *Node {
	width := x.Shape().Dim(-1)
	centred := Sub(x, ReduceAndKeep(x, ReduceMean, -1))
	variance := ReduceAndKeep(Square(centred), ReduceMean, -1)
	normal := Div(centred, Sqrt(AddScalar(variance, epsilon)))
	gain, offset := Variable(s, x.Graph(), Gain, width), Variable(s, x.Graph(), Offset, width)
	return Add(Mul(normal, ExpandLeftToRank(gain, x.Rank())), ExpandLeftToRank(offset, x.Rank()))
}

// dropout drops a share of x while training.
func dropout(s *model.Scope, x *Node, rate float64) *Node {
	if rate == 0 {
		return x
	}
	return layers.DropoutStatic(s, x, rate)
}

// gelu is the exact GELU, x times the normal distribution function of x.
func gelu(x *Node) *Node {
	return Mul(x, MulScalar(OnePlus(Erf(MulScalar(x, 0.7071067811865476))), 0.5))
}

// Activation names a feed-forward's non-linearity; the empty one is the exact GELU.
type Activation string

const (
	Quick   Activation = "quick" // OpenAI's QuickGELU, x times the logistic function of 1.702 x
	NewGELU Activation = "new"   // GPT-2's "gelu_new", the GELU with its normal distribution function approximated by a tanh
	ReLU    Activation = "relu"  // x where it is above zero, else zero
)

func (a Activation) apply(x *Node) *Node {
	switch a {
	case Quick:
		return Mul(x, Sigmoid(MulScalar(x, 1.702)))
	case NewGELU:
		inner := MulScalar(Add(x, MulScalar(Mul(x, Square(x)), 0.044715)), math.Sqrt(2/math.Pi))
		return Mul(x, MulScalar(OnePlus(Tanh(inner)), 0.5))
	case ReLU:
		return relu(x)
	}
	return gelu(x)
}
