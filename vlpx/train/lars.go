package train

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// LARS is stochastic gradient descent with momentum whose steps are as long as the weights they move (You et al., 2017), as SimCLR and
// SogCLR train by it (METHODS.md 7.1): a tensor of two or more axes has its gradient with decay scaled to Trust times the tensor's norm;
// one of fewer axes, which is a bias, a gain, an offset or a temperature, neither decays nor is scaled. The zero value is none.
type LARS struct {
	Trust       float64 // published: 0.001
	Momentum    float64 // published: 0.9
	WeightDecay float64 // published: 1e-6
}

// Validate says what is wrong with the settings.
func (o LARS) Validate() error {
	if !(o.Trust > 0) || !(o.Momentum >= 0 && o.Momentum < 1) || !(o.WeightDecay >= 0) {
		return fmt.Errorf("train: LARS %+v: trust lies above 0, momentum in [0, 1), weight decay at 0 or above", o)
	}
	return nil
}

// Update is as AdamW's.
func (o LARS) Update(store *model.Store, loss, rate, hold *Node) (norm *Node) {
	return o.update(store, learn(store, loss), rate, hold)
}

// update is Update by a gradient.
func (o LARS) update(store *model.Store, learned learned, rate, hold *Node) (norm *Node) {
	set := setter(rate.Graph(), hold)
	for i, v := range learned.weights {
		value, d := learned.values[i], learned.gradients[i]
		matrix := v.Shape().Rank() > 1
		if own, decays := ofPart(v); decays || matrix && !own {
			d = Add(d, MulScalar(value, o.WeightDecay))
		}
		if matrix {
			d = Mul(d, o.scale(value, d))
		}
		momentum := kept(store, "momentum"+v.Path(), v.Shape())
		d = Add(MulScalar(momentum.NodeValue(rate.Graph()), o.Momentum), d)
		set(momentum, d)
		set(v, Sub(value, Mul(rate, d)))
	}
	return learned.norm()
}

// scale is Trust times the norm of a weight over that of its update, 1 where either is 0; a scalar.
func (o LARS) scale(value, update *Node) *Node {
	norm := func(x *Node) *Node { return Sqrt(ReduceAllSum(Square(x))) }
	of, by := norm(value), norm(update)
	zero := ZerosLike(of)
	some := LogicalAnd(GreaterThan(of, zero), GreaterThan(by, zero))
	return Where(some, Div(MulScalar(of, o.Trust), Where(some, by, OnesLike(by))), OnesLike(of))
}
