package golden_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// checkSigLIP holds the sigmoid loss, with the gradients by the variables that it trains.
func checkSigLIP(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "image_feat"), value(c, "inputs", "text_feat")}
	store, path := model.NewStore(), func(name string) string {
		return state + negative.VariablePath("Contrast", negative.Variable{Name: name})
	}
	names := []string{"log_scale", "bias"}
	for _, name := range names {
		must.Get(store.CreateVariable(path(name), value(c, "inputs", name)))(t)
	}
	read(t, c)
	got := run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		z := negative.SigLIP{Scale: 10, Bias: -10}.ITC(negative.Features{Image: in[0], Text: in[1], State: s.Store().Scope(state)})
		var variables []*Node
		for _, name := range names {
			variables = append(variables, s.Store().GetVariable(path(name)).NodeValue(in[0].Graph()))
		}
		return withGradients(z.Loss, append(in, variables...), Add(z.I2T, variables[1]))
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "logits", got[1], c.Tensor("expected", "logits").Float)
	for i, name := range append([]string{"image_feat", "text_feat"}, names...) {
		near(t, c, name+" gradient", got[2+i], c.Tensor("expected", "grad", name).Float)
	}
	read(t, c)
}

func checkDebiased(t *testing.T, c golden.Case) { debiased(t, c, false, "image_feat", "text_feat") }
func checkDebiasedViews(t *testing.T, c golden.Case) {
	debiased(t, c, true, "view1_feat", "view2_feat")
}

// debiased holds the debiased loss, of images and texts or of two views.
func debiased(t *testing.T, c golden.Case, views bool, names ...string) {
	inputs := []*tensors.Tensor{value(c, "inputs", names[0]), value(c, "inputs", names[1])}
	tau, prior, clamped := c.Float("params", "temperature"), c.Float("params", "tau_plus"), c.Float("params", "clamped")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		f := negative.Features{Image: in[0], Text: in[1], Temperature: ConstAs(in[0], tau), Views: views}
		var estimates, least []*Node
		for _, a := range f.Anchors() {
			flat := func(x *Node) *Node { // view by view, as the published code has the anchors
				x = TransposeAllAxes(x, 1, 0, 2)
				return Reshape(x, -1, x.Shape().Dim(2))
			}
			logits := flat(Div(a.Cosines, f.Temperature))
			own := ReduceSum(Where(flat(a.Positive), logits, ZerosLike(logits)), -1)
			_, estimate, is := objective.Debiased(own, logits, flat(a.Negative), f.Temperature, prior)
			estimates, least = append(estimates, Exp(estimate)), append(least, ConvertDType(is, logits.DType()))
		}
		z := negative.Debiased{Prior: prior}.ITC(f)
		return withGradients(z.Loss, in, Concatenate(estimates, 0), ReduceAllSum(Concatenate(least, 0)))
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	if views {
		near(t, c, "negatives", got[1], c.Tensor("expected", "negatives").Float)
	}
	if math.Abs(got[2][0]-clamped) > 0.5 {
		t.Errorf("got %g anchors clamped, want %g", got[2][0], clamped)
	}
	for i, name := range names {
		near(t, c, name+" gradient", got[3+i], c.Tensor("expected", "grad", name).Float)
	}
	read(t, c)
}
