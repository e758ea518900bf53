package train

import (
	"fmt"
	"sort"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// AdamW is Adam with decoupled weight decay (Loshchilov and Hutter, 2019) in ALBEF's groups: every tensor decays but those
// of one axis, which are biases, gains and offsets. The temperature has no axis at all and decays (METHODS.md 1.1).
type AdamW struct {
	Beta1, Beta2, Epsilon float64
	WeightDecay           float64
	ClipNorm              float64 // largest norm of the whole gradient; 0 for no clipping, as ALBEF has it
	// SpareScalars leaves a temperature, which has no axis, out of the group that decays, as CLIP does.
	SpareScalars bool `json:",omitempty"`
}

// Optimiser is the root of the optimiser's variables: the step count and two moments for each weight.
const Optimiser = "/optimiser"

// Decays tells whether a weight of the given shape is in the group that decays.
func (o AdamW) Decays(shape shapes.Shape) bool {
	return shape.Rank() > 1 || shape.Rank() == 0 && !o.SpareScalars
}

// Update builds one update of the trainable variables under root from the gradient of loss, at the learning rate rate, a
// scalar. Where hold, a boolean scalar or nil, is true everything stays as it is. It returns the norm of the gradient before
// clipping.
func (o AdamW) Update(store *model.Store, root string, loss, rate, hold *Node) (norm *Node) {
	g := loss.Graph()
	var weights []*model.Variable
	for v := range store.Scope(root).IterVariables() {
		if v.Trainable && v.InUseByGraph(g) {
			weights = append(weights, v)
		}
	}
	sort.Slice(weights, func(i, j int) bool { return weights[i].Path() < weights[j].Path() })
	values := make([]*Node, len(weights))
	for i, v := range weights {
		values[i] = v.NodeValue(g)
	}
	gradients := Gradient(loss, values...)

	dtype := loss.DType()
	square := ScalarZero(g, dtype)
	for _, d := range gradients {
		square = Add(square, ReduceAllSum(Square(d)))
	}
	norm = Sqrt(square)
	scale := ScalarOne(g, dtype)
	if o.ClipNorm > 0 {
		scale = MinScalar(Div(Scalar(g, dtype, o.ClipNorm), AddScalar(norm, 1e-6)), 1)
	}

	set := func(v *model.Variable, value *Node) {
		if hold != nil {
			value = Where(hold, v.NodeValue(g), value)
		}
		v.SetNodeValue(value)
	}
	counter := o.state(store, "step", shapes.Make(dtype))
	step := AddScalar(counter.NodeValue(g), 1)
	set(counter, step)
	correction := func(beta float64) *Node { return OneMinus(Pow(Scalar(g, dtype, beta), step)) }
	correct1, correct2 := correction(o.Beta1), correction(o.Beta2)
	for i, v := range weights {
		d := Mul(gradients[i], scale)
		mean, variance := o.state(store, "mean"+v.Path(), v.Shape()), o.state(store, "variance"+v.Path(), v.Shape())
		m := Add(MulScalar(mean.NodeValue(g), o.Beta1), MulScalar(d, 1-o.Beta1))
		q := Add(MulScalar(variance.NodeValue(g), o.Beta2), MulScalar(Square(d), 1-o.Beta2))
		set(mean, m)
		set(variance, q)
		update := Div(Div(m, correct1), AddScalar(Sqrt(Div(q, correct2)), o.Epsilon))
		if o.Decays(v.Shape()) {
			update = Add(update, MulScalar(values[i], o.WeightDecay))
		}
		set(v, Sub(values[i], Mul(rate, update)))
	}
	return norm
}

func (AdamW) state(store *model.Store, name string, shape shapes.Shape) *model.Variable {
	path := Optimiser + "/" + strings.TrimPrefix(name, "/")
	return store.VariableWithShape(path, shape, initializer.Zero).SetTrainable(false)
}

// Validate tells what is wrong with the settings.
func (o AdamW) Validate() error {
	if !(o.Beta1 >= 0 && o.Beta1 < 1 && o.Beta2 >= 0 && o.Beta2 < 1) || !(o.Epsilon > 0) || o.WeightDecay < 0 || o.ClipNorm < 0 {
		return fmt.Errorf("train: AdamW %+v: betas lie in [0, 1), epsilon above 0, weight decay and clip norm at 0 or above", o)
	}
	return nil
}
