package train

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// The loss is the sum of w^3/3 over the weights but the last matrix's, whose gradient is zero; so it is of what starts at zero.
func TestLARSAgainstALoop(t *testing.T) {
	o := LARS{Trust: 0.01, Momentum: 0.9, WeightDecay: 0.5}
	store := model.NewStore()
	weights := map[string][]float64{"scalar": {0.7}, "bias": {0.5, -1, 2}, "matrix": {1, -2, 0.25, 1.5}, "zero": {0, 0, 0, 0},
		"still": {1, 2}}
	put(t, store, "/model/scalar", float32(0.7))
	put(t, store, "/model/bias", []float32{0.5, -1, 2})
	put(t, store, "/model/matrix", [][]float32{{1, -2}, {0.25, 1.5}})
	put(t, store, "/model/zero", [][]float32{{0, 0}, {0, 0}})
	put(t, store, "/model/still", [][]float32{{1, 2}})
	slope := func(name string, x float64) float64 {
		if name == "still" {
			return 0
		}
		return x * x
	}
	exec := must.Get(model.NewExec(enginetest.PureGo(t), store, func(s *model.Scope, in []*Node) []*Node {
		g := in[0].Graph()
		loss := ScalarZero(g, in[0].DType())
		for name := range weights {
			x := s.Store().GetVariable("/model/" + name).NodeValue(g)
			factor := 1. / 3
			if name == "still" {
				factor = 0
			}
			loss = Add(loss, MulScalar(ReduceAllSum(Mul(x, Square(x))), factor))
		}
		hold := GreaterThan(in[1], ZerosLike(in[1]))
		return []*Node{o.Update(s.Store(), loss, in[0], hold)}
	}))(t)
	defer exec.Finalize()
	length := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v * v
		}
		return math.Sqrt(sum)
	}
	momentum := map[string][]float64{}
	for step, rate := range []float64{0.1, 0.3, 0.3, 0.2} {
		held := step == 2
		var whole []float64
		for name, w := range weights {
			d := make([]float64, len(w))
			for i, x := range w {
				d[i] = slope(name, x)
			}
			whole = append(whole, d...)
			if held {
				continue
			}
			if name != "scalar" && name != "bias" {
				for i, x := range w {
					d[i] += o.WeightDecay * x
				}
				scale := 1.0
				if length(w) > 0 && length(d) > 0 {
					scale = o.Trust * length(w) / length(d)
				}
				for i := range d {
					d[i] *= scale
				}
			}
			if momentum[name] == nil {
				momentum[name] = make([]float64, len(w))
			}
			for i := range w {
				momentum[name][i] = o.Momentum*momentum[name][i] + d[i]
				w[i] -= rate * momentum[name][i]
			}
		}
		hold := float32(0)
		if held {
			hold = 1
		}
		out := must.Get(exec.Call(float32(rate), hold))(t)
		if got, want := float64(tensors.ToScalar[float32](out[0])), length(whole); math.Abs(got-want) > 1e-5*want {
			t.Errorf("step %d: got gradient norm %g, want %g", step, got, want)
		}
		for name, w := range weights {
			for i, got := range vector(t, store, "/model/"+name) {
				if !(math.Abs(float64(got)-w[i]) < 1e-5) {
					t.Errorf("step %d: %s[%d]: got %g, want %g", step, name, i, got, w[i])
				}
			}
		}
	}
}

func TestLARSValidates(t *testing.T) {
	for _, bad := range []LARS{{}, {Trust: -1}, {Trust: 1, Momentum: 1}, {Trust: 1, WeightDecay: -1}, {Trust: math.NaN()}} {
		must.Fail(t, bad.Validate(), "trust lies above 0", "%+v", bad)
	}
}
