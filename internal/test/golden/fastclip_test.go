package golden_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/negative"
)

func checkGammas(t *testing.T, c golden.Case) {
	want := c.Tensor("expected", "gamma_per_epoch").Float
	gamma, epochs := c.Float("params", "gamma"), c.Float("params", "gamma_decay_epochs")
	read(t, c)
	for e := range want {
		for _, within := range []float64{0, 0.75} { // of the epoch
			got := run(t, model.NewStore(), []*tensors.Tensor{tensors.FromScalar(float64(e) + within)},
				func(_ *model.Scope, in []*Node) []*Node {
					return []*Node{negative.CosineGamma(in[0], gamma, epochs)}
				})
			near(t, c, "gamma", got[0], want[e:e+1])
		}
	}
}

// fastCLIP is the contrast of a case; epsilon and the schedule are the published ones.
func fastCLIP(c golden.Case, version int) negative.FastCLIP {
	return negative.FastCLIP{Version: version, Gamma: c.Float("params", "gamma"), Decay: decay(c), Rho: c.Float("params", "rho")}
}

// checkFastCLIP holds version 3, or version 1, and with it version 0, which is the same but that its temperature learns.
func checkFastCLIP(t *testing.T, m machine, c golden.Case) {
	checkGlobalCLIP(t, m, c, negative.Method{}, nil, nil)
}

// checkGlobalCLIP holds FastCLIP's versions of one temperature, with what a method leaves out, and the state it keeps.
func checkGlobalCLIP(t *testing.T, m machine, c golden.Case, of negative.Method, first map[string][]float64, kept map[string]string) {
	t.Helper()
	versions := []int{0, 1}
	if c.Bool("params", "multiply_tau") {
		versions = []int{3}
	}
	if kept == nil {
		kept = map[string]string{}
	}
	kept["/image/samples/average"], kept["/text/samples/average"] = "u_im", "u_tt"
	for _, version := range versions {
		of.Contrast = fastCLIP(c, version)
		g := global{machine: m, method: of, tau: c.Float("params", "tau_init"), first: first, kept: kept}
		for k, got := range g.check(t, c, c.Int("params", "N"), epochsOf(c)) {
			at := stepPath("expected", k)
			want := c.Tensor(append(at, "grad", "log_logit_scale")...).Float
			if version == 1 {
				want = []float64{0}
			}
			g.like(t, c, "gradient of the log scale", []float64{got.scaleGradient}, want)
			if of.LeftOut == nil {
				continue
			}
			near(t, c, "mask of image anchors", got.kept[negative.ImageAnchors], c.Tensor(append(at, "mask_im")...).Float)
			near(t, c, "mask of text anchors", got.kept[negative.TextAnchors], c.Tensor(append(at, "mask_tt")...).Float)
		}
	}
	read(t, c)
}

func checkIndividualFastCLIP(t *testing.T, m machine, c golden.Case) {
	n, tau := c.Int("params", "N"), c.Float("params", "tau_init")
	contrast := fastCLIP(c, 2)
	contrast.Temperature, contrast.Rate = tau, c.Float("params", "lr_tau")
	g := global{machine: m, tau: tau, method: negative.Method{Contrast: contrast}, first: map[string][]float64{}, kept: map[string]string{}}
	for of, as := range map[string]string{"image": "im", "text": "tt"} {
		g.first["/"+of+"/samples/temperature"] = constantly(tau, n)
		for name, expected := range map[string]string{"average": "u", "bound": "bound", "temperature": "tau", "slope": "m_tau",
			"variance": "v_tau"} {
			if c.Has("expected", "steps", "0", expected+"_"+as) {
				g.kept["/"+of+"/samples/"+name] = expected + "_" + as
			}
		}
	}
	g.check(t, c, n, epochsOf(c))
}
