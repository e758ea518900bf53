package golden_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// thresholds are those of a case.
func thresholds(c golden.Case) negative.Thresholds {
	return negative.Thresholds{Alpha: c.Float("params", "alpha"), Learn: c.Float("params", "start_update"),
		Use:  c.Float("params", "lda_start"),
		Rate: c.Float("params", "lr_lda"), Beta1: c.Float("params", "beta1"), Beta2: c.Float("params", "beta2"),
		Epsilon: c.Float("params", "eps")}
}

// checkGloFND holds thresholds on two views, with SogCLR or with InfoNCE, which keeps no average.
func checkGloFND(t *testing.T, on machine, c golden.Case) {
	first := map[string][]float64{"/left/image/samples/lambda": c.Tensor("inputs", "lambda_init").Float}
	kept := map[string]string{"/left/image/samples/lambda": "lambda_after", "/left/image/samples/mean": "m_after",
		"/left/image/samples/variance": "v_after"}
	m := negative.Method{Contrast: negative.InfoNCE{}, LeftOut: thresholds(c)}
	if c.Has("expected", "steps", "0", "u_after") {
		m.Contrast = negative.SogCLR{Gamma: c.Float("params", "gamma")}
		first["/image/samples/average"], kept["/image/samples/average"] = c.Tensor("inputs", "u_init").Float, "u_after"
	}
	g := global{machine: on, method: m, views: true, raw: true, tau: c.Float("params", "tau"), first: first, kept: kept}
	for k, got := range g.check(t, c, c.Int("params", "N"), epochsOf(c)) {
		want := ofViews(c.Matrix(append(stepPath("expected", k), "mask_view1")...),
			c.Matrix(append(stepPath("expected", k), "mask_view2")...))
		near(t, c, "mask", got.kept[negative.ImageAnchors], want)
	}
	read(t, c)
}

// ofViews are the masks of two views as [batch, views, candidates]: the published columns begin with the other view.
func ofViews(first, second [][]float64) []float64 {
	var all []float64
	for i := range first {
		batch := len(first)
		all = append(append(all, first[i][batch:]...), first[i][:batch]...)
		all = append(all, second[i]...)
	}
	return all
}

// checkBimodalGloFND holds thresholds with FastCLIP's loss.
func checkBimodalGloFND(t *testing.T, m machine, c golden.Case) {
	first, kept := map[string][]float64{}, map[string]string{}
	for of, as := range map[string]string{"image": "im", "text": "tt"} {
		first["/left/"+of+"/samples/lambda"] = c.Tensor("inputs", "lambda_"+as+"_init").Float
		for name, expected := range map[string]string{"lambda": "lambda", "mean": "m", "variance": "v"} {
			if c.Has("expected", "steps", "0", expected+"_"+as) {
				kept["/left/"+of+"/samples/"+name] = expected + "_" + as
			}
		}
	}
	checkGlobalCLIP(t, m, c, negative.Method{LeftOut: thresholds(c)}, first, kept)
}

// checkBatchQuantile holds the mask and the thresholds of given cosines.
func checkBatchQuantile(t *testing.T, c golden.Case) {
	quantile := negative.BatchQuantile{Alpha: c.Float("params", "alpha")}
	inputs := []*tensors.Tensor{value(c, "inputs", "sim")}
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(_ *model.Scope, in []*Node) []*Node {
		batch := in[0].Shape().Dim(0)
		own := InsertAxes(Diagonal(in[0].Graph(), batch), 1)
		a := negative.Anchors{Of: negative.ImageAnchors, Cosines: InsertAxes(in[0], 1), Positive: own, Negative: LogicalNot(own)}
		kept := LogicalAnd(a.Negative, LogicalNot(quantile.Find(a, negative.Sight{Progress: ScalarZero(in[0].Graph(), in[0].DType())})))
		return []*Node{ConvertDType(kept, in[0].DType()), quantile.Threshold(a)}
	})
	near(t, c, "mask", got[0], c.Tensor("expected", "mask").Float)
	near(t, c, "threshold", got[1], c.Tensor("expected", "threshold").Float)
	read(t, c)
}

// checkAttraction holds FNC: the found candidates are positives of all views.
func checkAttraction(t *testing.T, c golden.Case) {
	m := negative.Method{LeftOut: negative.Cancellation{TopK: c.Int("params", "fn_topk"), Threshold: c.Float("params", "fn_threshold")},
		Attract: true}
	views, tau := 2+c.Int("params", "support_size"), c.Float("params", "temperature")
	inputs := []*tensors.Tensor{value(c, "inputs", "hidden")}
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		all := Split(framework.Normalise(in[0]), 0, views)
		f := negative.Features{Image: all[0], Text: all[1], Support: all[2:], Views: true, Temperature: ConstAs(in[0], tau),
			Fields: field.Nodes{field.Progress: ScalarZero(in[0].Graph(), in[0].DType())}}
		f.Left = m.Leaving(s, f.Fields)
		z := negative.InfoNCE{}.ITC(f)
		found := Squeeze(Slice(f.Found(f.Anchors()[0]), AxisRange(), AxisElem(0)), 1)
		return withGradients(z.Loss, in, ConvertDType(found, in[0].DType()))
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "found", got[1], c.Tensor("expected", "false_negative_mask").Float)
	near(t, c, "gradient", got[2], c.Tensor("expected", "grad", "hidden").Float)
	read(t, c)
}
