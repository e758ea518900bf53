package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/random"
)

// lora learns low-rank adapters (Hu et al., 2021; METHODS.md 1.2): each matrix W [in, out] of a transformer's layers is W0 + A B, with
// A [in, LoRA] and B [LoRA, out] learned by AdamW. All other weights of the model are frozen; those of a method's parts learn as ever.
//
// The product is added to W in every step, so that the model is always a plain one, which is evaluated, kept and exported as any. By the
// chain rule the gradient by A is dW Bᵀ, that by B is Aᵀ dW. The optimiser keeps the adapters and two moments of each.
type lora struct {
	AdamW
	seed uint64
}

// adapter is what is learned of a matrix.
type adapter struct {
	of, a, b *model.Variable
	// was are the values of a and b before the update.
	was [2]*Node
}

// Update is as AdamW's.
func (o lora) Update(store *model.Store, loss, rate, hold *Node) (norm *Node) {
	return o.update(store, learn(store, loss), rate, hold)
}

// update is Update by a gradient. The norm is that of the adapters' gradient.
func (o lora) update(store *model.Store, l learned, rate, hold *Node) (norm *Node) {
	g := rate.Graph()
	var by learned
	var adapters []adapter
	for i, v := range l.weights {
		value, d := l.values[i], l.gradients[i]
		if part, _ := ofPart(v); part {
			by.add(v, value, d)
		}
		if !adaptable(v) {
			continue
		}
		one := o.adapter(store, v)
		a, b := one.a.NodeValue(g), one.b.NodeValue(g)
		one.was = [2]*Node{a, b}
		by.add(one.a, a, MatMul(d, Transpose(b, 0, 1)))
		by.add(one.b, b, MatMul(Transpose(a, 0, 1), d))
		adapters = append(adapters, one)
	}
	if len(adapters) == 0 {
		panic(errors.New("train: low-rank adapters: the model has no matrix of a transformer's layers that learns; set lora=0"))
	}
	norm = o.AdamW.update(store, by, rate, hold)
	for _, one := range adapters {
		a, b := one.a.NodeValue(g), one.b.NodeValue(g)
		// A'B' - AB, without the difference of two large products
		change := Add(MatMul(Sub(a, one.was[0]), b), MatMul(one.was[0], Sub(b, one.was[1])))
		one.of.SetNodeValue(Add(one.of.NodeValue(g), change))
	}
	return norm
}

// adaptable reports whether a weight is a matrix of a transformer's layers.
func adaptable(v *model.Variable) bool {
	return v.Name() == encoder.Weights && v.Shape().Rank() == 2 && encoder.OfLayer(v.Path())
}

// adapter is that of a matrix: A as the published code draws it, uniform in ±1/√in, and B zero, so that the first product is zero.
func (o lora) adapter(store *model.Store, v *model.Variable) adapter {
	in, out := v.Shape().Dim(0), v.Shape().Dim(1)
	if o.LoRA > min(in, out) {
		panic(fmt.Errorf("train: low-rank adapters of rank %d for %s, which is %d x %d; set lora to %d at most", o.LoRA, v.Path(), in, out,
			min(in, out)))
	}
	drawn := func(g *Graph, shape shapes.Shape) *Node {
		draw, values := random.Stream(o.seed, "lora", v.Path()), make([]float32, shape.Size())
		for i := range values {
			values[i] = float32((2*draw.Float64() - 1) / math.Sqrt(float64(in)))
		}
		return ConvertDType(ConstTensor(g, tensors.FromFlatDataAndDimensions(values, shape.Dimensions...)), shape.DType)
	}
	return adapter{of: v, a: keptFrom(store, "lora.a"+v.Path(), shapes.Make(v.DType(), in, o.LoRA), drawn),
		b: kept(store, "lora.b"+v.Path(), shapes.Make(v.DType(), o.LoRA, out))}
}

// add adds a weight with its value and gradient.
func (l *learned) add(v *model.Variable, value, gradient *Node) {
	l.weights, l.values, l.gradients = append(l.weights, v), append(l.values, value), append(l.gradients, gradient)
}
