package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/random"
)

const firstTemperature = 0.07

// Initialise gives every variable under root its first value: matrices and tables a normal distribution truncated at two
// standard deviations, gains and running variances one, the temperature 0.07, the scale that temperature's, all else zero. The standard
// deviation is BERT's 0.02 at a width of 768 and grows as 1/sqrt(fan-in) for narrower matrices; a kernel's fan-in is its pixels times its
// channels. Each variable draws from its own stream, named by its path below
// root: a momentum copy under another root gets the same values.
func Initialise(store *model.Store, root string, seed uint64) error {
	for v := range store.Scope(root).IterVariables() {
		name := strings.TrimPrefix(v.Path(), root)
		values := make([]float32, v.Shape().Size())
		switch v.Name() {
		case Weights, Embedding:
			truncatedNormal(random.Stream(seed, "init", name), values, deviation(v))
		case Gain, RunningVariance:
			fill(values, 1)
		case Temperature:
			fill(values, firstTemperature)
		case Scale:
			fill(values, float32(math.Log(1/firstTemperature)))
		case Bias, Offset, RunningMean:
		default:
			return fmt.Errorf("encoder: variable %s: no rule gives a first value to %q", v.Path(), v.Name())
		}
		if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
			return fmt.Errorf("encoder: variable %s: %w", v.Path(), err)
		}
	}
	return nil
}

func deviation(v *model.Variable) float64 {
	inputs := v.Shape().Size() / v.Shape().Dim(-1)
	switch {
	case v.Name() == Embedding:
		return 0.02 * math.Sqrt(768/math.Min(768, float64(v.Shape().Dim(-1))))
	case inputs < 768:
		return 1 / math.Sqrt(float64(inputs))
	}
	return 0.02
}

func truncatedNormal(r *rand.Rand, values []float32, std float64) {
	for i := range values {
		x := r.NormFloat64()
		for math.Abs(x) > 2 {
			x = r.NormFloat64()
		}
		values[i] = float32(x * std)
	}
}

func fill(values []float32, x float32) {
	for i := range values {
		values[i] = x
	}
}
