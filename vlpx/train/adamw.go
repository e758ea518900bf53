package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
)

// AdamW is Adam with decoupled weight decay (Loshchilov and Hutter, 2019) in ALBEF's groups: every tensor decays but those
// of one axis, which are biases, gains and offsets. The temperature has no axis at all and decays (METHODS.md 1.1).
type AdamW struct {
	Beta1, Beta2, Epsilon float64
	WeightDecay           float64
	ClipNorm              float64 // largest norm of the whole gradient; 0 for no clipping, as ALBEF has it
	// SpareScalars leaves a temperature, which has no axis, out of the group that decays, as CLIP does.
	SpareScalars bool `json:",omitempty"`
	// TemperatureRate, if not 0, is a learning rate for log(1/tau) alone, which has neither warm-up, cosine nor decay then, and a third of
	// it while tau is 0.03 or less, as FastCLIP-v3 has it (METHODS.md 9).
	TemperatureRate float64 `json:",omitempty"`
	// LayerDecay, if not 0, is what the learning rate falls by from layer to layer of each transformer, down from its output (see
	// encoder.Heights), as in fine-tuning a published model (Clark et al., 2020; Bao et al., 2022); it lies below 1.
	LayerDecay float64 `json:",omitempty"`
	// LoRA, if not 0, is the rank of adapters that are learned of the matrices of a transformer's layers in the place of all weights (Hu et
	// al., 2021).
	LoRA int `json:",omitempty"`
}

// lowTemperature is where FastCLIP learns a temperature more slowly.
const lowTemperature = 0.03

// Decays reports whether a weight of the given shape is in the group that decays.
func (o AdamW) Decays(shape shapes.Shape) bool {
	return shape.Rank() > 1 || shape.Rank() == 0 && !o.SpareScalars
}

// Update builds one update of the trainable variables of the model and of the method's parts from the gradient of loss, at the learning
// rate rate, a scalar. Where hold, a boolean scalar or nil, is true everything stays as it is. It returns the norm of the gradient before
// clipping.
func (o AdamW) Update(store *model.Store, loss, rate, hold *Node) (norm *Node) {
	return o.update(store, learn(store, loss), rate, hold)
}

// update is Update by a gradient.
func (o AdamW) update(store *model.Store, learned learned, rate, hold *Node) (norm *Node) {
	g, dtype := rate.Graph(), learned.gradients[0].DType()
	norm = learned.norm()
	scale := ScalarOne(g, dtype)
	if o.ClipNorm > 0 {
		scale = MinScalar(Div(Scalar(g, dtype, o.ClipNorm), AddScalar(norm, 1e-6)), 1)
	}

	set := setter(g, hold)
	counter := kept(store, "step", shapes.Make(dtype))
	step := AddScalar(counter.NodeValue(g), 1)
	set(counter, step)
	correction := func(beta float64) *Node { return OneMinus(Pow(Scalar(g, dtype, beta), step)) }
	correct1, correct2 := correction(o.Beta1), correction(o.Beta2)
	heights, err := o.heights(store)
	if err != nil {
		panic(err)
	}
	for i, v := range learned.weights {
		d := Mul(learned.gradients[i], scale)
		mean, variance := kept(store, "mean"+v.Path(), v.Shape()), kept(store, "variance"+v.Path(), v.Shape())
		m := Add(MulScalar(mean.NodeValue(g), o.Beta1), MulScalar(d, 1-o.Beta1))
		q := Add(MulScalar(variance.NodeValue(g), o.Beta2), MulScalar(Square(d), 1-o.Beta2))
		set(mean, m)
		set(variance, q)
		update := Div(Div(m, correct1), AddScalar(Sqrt(Div(q, correct2)), o.Epsilon))
		value, at := learned.values[i], rate
		own, decays := ofPart(v)
		switch {
		case own:
		case o.TemperatureRate > 0 && v.Name() == encoder.Scale:
			at = o.temperatureRate(value)
		default:
			decays = o.Decays(v.Shape())
			if height := heights[v.Path()]; height > 0 {
				at = MulScalar(at, math.Pow(o.LayerDecay, float64(height)))
			}
		}
		if decays {
			update = Add(update, MulScalar(value, o.WeightDecay))
		}
		set(v, Sub(value, Mul(at, update)))
	}
	return norm
}

// heights are those of the model's variables where the learning rate falls from layer to layer; nil where it does not.
func (o AdamW) heights(store *model.Store) (map[string]int, error) {
	if o.LayerDecay == 0 {
		return nil, nil
	}
	var paths []string
	for v := range store.Scope(framework.Model).IterVariables() {
		paths = append(paths, v.Path())
	}
	heights, err := encoder.Heights(paths)
	if err != nil {
		err = fmt.Errorf("train: a learning rate that falls by %g a layer: %w; set layerdecay=0", o.LayerDecay, err)
	}
	return heights, err
}

// temperatureRate is the learning rate of a temperature by its scale log(1/tau).
func (o AdamW) temperatureRate(scale *Node) *Node {
	full := ConstAs(scale, o.TemperatureRate)
	return Where(GreaterOrEqual(scale, ConstAs(scale, -math.Log(lowTemperature))), DivScalar(full, 3), full)
}

// Validate says what is wrong with the settings.
func (o AdamW) Validate() error {
	if !(o.Beta1 >= 0 && o.Beta1 < 1 && o.Beta2 >= 0 && o.Beta2 < 1) || !(o.Epsilon > 0) || o.WeightDecay < 0 || o.ClipNorm < 0 ||
		!(o.TemperatureRate >= 0) || !(o.LayerDecay >= 0 && o.LayerDecay < 1) || o.LoRA < 0 {
		return fmt.Errorf("train: AdamW %+v: betas lie in [0, 1), epsilon above 0, weight decay, "+
			"clip norm, the temperature's rate and the adapters' rank at 0 or above, the decay by layers in (0, 1), and 0 for none", o)
	}
	if o.LoRA > 0 && (o.LayerDecay > 0 || o.TemperatureRate > 0) {
		return errors.New("train: adapters beside a decay by layers or a temperature's rate, which are of weights that adapters freeze; set " +
			"lora=0, or layerdecay=0 and temperaturerate=0")
	}
	return nil
}
