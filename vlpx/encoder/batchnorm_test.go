package encoder

import (
	"math"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// The first channel's values 1, 3, 5 and 7 have the mean 4, the variance 5 and, divided by one less than their number, 20/3; the second's
// are all 2.
func TestBatchNormByHand(t *testing.T) {
	x := [][]float32{{1, 2}, {3, 2}, {5, 2}, {7, 2}}
	training := true
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), training)
		return []*Node{BatchNorm(s.In("n"), in[0])}
	}, x)
	n.set("/n/"+Gain, []float32{2, 1})
	n.set("/n/"+Offset, []float32{0.5, -1})
	n.set("/n/"+RunningMean, []float32{10, 0})
	n.set("/n/"+RunningVariance, []float32{3, 1})
	root := math.Sqrt(5 + 1e-5)
	near(t, "training", n.run(x)[0], []float64{-6/root + 0.5, -1, -2/root + 0.5, -1, 2/root + 0.5, -1, 6/root + 0.5, -1}, 1e-6)
	near(t, "running mean", n.get("/n/"+RunningMean), []float64{9.4, 0.2}, 1e-6)
	near(t, "running variance", n.get("/n/"+RunningVariance), []float64{2.7 + 2.0/3, 0.9}, 1e-6)

	training = false
	evaluated := [][]float32{{9.4, 0.2}, {10.4, 1.2}} // another shape makes another graph
	first, second := math.Sqrt(2.7+2.0/3+1e-5), math.Sqrt(0.9+1e-5)
	near(t, "evaluation", n.run(evaluated)[0], []float64{0.5, -1, 2/first + 0.5, 1/second - 1}, 1e-5)
	near(t, "running mean after evaluation", n.get("/n/"+RunningMean), []float64{9.4, 0.2}, 1e-6)
	for v := range n.store.IterVariables() {
		if want := v.Name() == Gain || v.Name() == Offset; strings.HasPrefix(v.Path(), "/n/") && v.Trainable != want {
			t.Errorf("%s is trainable: got %v, want %v", v.Path(), v.Trainable, want)
		}
	}
}

// A number alone has no variance.
func TestBatchNormOfOneValue(t *testing.T) {
	backend := enginetest.PureGo(t)
	exec := must.Get(model.NewExec(backend, model.NewStore(), func(s *model.Scope, x *Node) *Node {
		s.Store().SetTraining(x.Graph(), true)
		return BatchNorm(s, x)
	}))(t)
	must.Fail(t, must.Err(exec.Call(tensors.FromValue([][]float32{{1, 2}}))), "use a larger batch or image")
}
