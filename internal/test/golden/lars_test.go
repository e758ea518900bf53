package golden_test

import (
	"strconv"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/train"
)

// checkLARS recomputes steps with given gradients: the loss is the sum of the products of weights and gradients.
func checkLARS(t *testing.T, c golden.Case) {
	backend := enginetest.PureGo(t)
	m, store := machine{backend, dtypes.Float64}, model.NewStore()
	names, given := []string{"weight", "bias"}, map[string]string{"weight": "grads_w", "bias": "grads_b"}
	for _, name := range names {
		must.Get(store.CreateVariable(framework.Model+"/"+name, value(c, "inputs", name)))(t)
	}
	o := train.LARS{Trust: c.Float("params", "trust_coefficient"), Momentum: c.Float("params", "momentum"),
		WeightDecay: c.Float("params", "weight_decay")}
	step := m.prepared(t, store, func(s *model.Scope, in []*Node) []*Node {
		loss := ScalarZero(in[0].Graph(), in[0].DType())
		for i, name := range names {
			loss = Add(loss, ReduceAllSum(Mul(s.Store().GetVariable(framework.Model+"/"+name).NodeValue(in[0].Graph()), in[i])))
		}
		return []*Node{o.Update(s.Store(), loss, in[len(names)], nil)}
	})
	rate := tensors.FromScalar(c.Float("params", "lr"))
	for k := range c.Len("expected", "steps") {
		at := strconv.Itoa(k)
		step([]*tensors.Tensor{value(c, "inputs", given["weight"], at), value(c, "inputs", given["bias"], at), rate})
		for _, name := range names {
			near(t, c, name, numbers(t, store.GetVariable(framework.Model+"/"+name).MustValue()),
				c.Tensor("expected", "steps", at, name).Float)
		}
	}
	read(t, c)
}
