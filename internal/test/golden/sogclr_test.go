package golden_test

import (
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/negative"
)

// constantly are n times the same number.
func constantly(x float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = x
	}
	return all
}

// epochsOf are those of a case's steps, 0 where it does not tell.
func epochsOf(c golden.Case) []float64 {
	if c.Has("params", "epochs") {
		return c.Tensor("params", "epochs").Float
	}
	return make([]float64, c.Len("inputs", "steps"))
}

func checkSogCLR(t *testing.T, m machine, c golden.Case) {
	first := c.Tensor("inputs", "u_init").Float
	g := global{
		machine: m,
		method:  negative.Method{Contrast: negative.SogCLR{Gamma: c.Float("params", "gamma")}},
		views:   true, raw: true, tau: c.Float("params", "tau"),
		first: map[string][]float64{"/image/samples/average": first},
		kept:  map[string]string{"/image/samples/average": "u_state_after"},
	}
	g.check(t, c, len(first), epochsOf(c))
}

// checkBimodalSogCLR holds the form of iSogCLR's repository.
func checkBimodalSogCLR(t *testing.T, m machine, c golden.Case) {
	global{
		machine: m,
		method:  negative.Method{Contrast: negative.SogCLR{As: negative.ByISogCLR, Gamma: c.Float("params", "gamma")}},
		tau:     c.Float("params", "tau"),
		kept: map[string]string{"/image/samples/average": "s_I", "/text/samples/average": "s_T", "/image/samples/bound": "b_I",
			"/text/samples/bound": "b_T"},
	}.check(t, c, c.Int("params", "N"), epochsOf(c))
}

// decay is that of a case's schedule of gamma, 0 where it is constant.
func decay(c golden.Case) float64 {
	if c.Text("params", "gamma_schedule") == "constant" {
		return 0
	}
	return c.Float("params", "gamma_decay_epochs")
}

// checkLibAUC holds GCLoss of views or of images and captions, with one temperature or individual ones.
func checkLibAUC(views, individual bool) func(*testing.T, machine, golden.Case) {
	return func(t *testing.T, m machine, c golden.Case) {
		n, tau, gamma := c.Int("params", "N"), c.Float("params", "tau"), c.Float("params", "gamma")
		g := global{machine: m, views: views, raw: views, tau: tau,
			method: negative.Method{Contrast: negative.SogCLR{As: negative.ByLibAUC, Gamma: gamma, Decay: decay(c)}}}
		g.kept = map[string]string{"/image/samples/average": "u1", "/text/samples/average": "u2", "/image/samples/bound": "b1",
			"/text/samples/bound": "b2"}
		if views {
			g.kept = map[string]string{"/image/samples/average": "u"}
		}
		if individual {
			g.method.Contrast = negative.ISogCLR{As: negative.ByLibAUC, Gamma: gamma, Decay: decay(c), Temperature: tau,
				Least: c.Float("params", "tau_min"), Most: c.Float("params", "tau_max"),
				Rho: c.Float("params", "rho"), Rate: c.Float("params", "eta"), Beta: c.Float("params", "beta")}
			g.first = map[string][]float64{"/image/samples/temperature": constantly(tau, n),
				"/text/samples/temperature": constantly(tau, n)}
			g.kept["/image/samples/temperature"], g.kept["/image/samples/slope"] = "tau", "tau_momentum"
			if !views {
				g.kept["/image/samples/temperature"], g.kept["/image/samples/slope"] = "tau_img", "tau_momentum_img"
				g.kept["/text/samples/temperature"] = "tau_txt"
			}
		}
		g.check(t, c, n, epochsOf(c))
	}
}

func checkISogCLR(views bool) func(*testing.T, machine, golden.Case) {
	return func(t *testing.T, m machine, c golden.Case) {
		n, tau := c.Int("params", "N"), c.Float("params", "tau_init")
		g := global{machine: m, views: views, tau: tau,
			method: negative.Method{Contrast: negative.ISogCLR{Gamma: c.Float("params", "gamma"), Temperature: tau,
				Least: c.Float("params", "tau_min"), Most: c.Float("params", "tau_max"),
				Rho: c.Float("params", "rho"), Rate: c.Float("params", "eta_init"), Beta: c.Float("params", "beta_u")}}}
		g.first = map[string][]float64{"/image/samples/temperature": constantly(tau, n), "/text/samples/temperature": constantly(tau, n)}
		epochs := make([]float64, c.Len("inputs", "steps"))
		if views {
			g.kept = map[string]string{"/image/samples/average": "s", "/image/samples/temperature": "tau", "/image/samples/slope": "u"}
			for k := range epochs { // the case's steps are of epochs of their own
				epochs[k] = float64(k)
			}
		} else {
			g.kept = map[string]string{"/image/samples/average": "s_I", "/image/samples/bound": "b_I",
				"/image/samples/temperature": "tau_I", "/image/samples/slope": "u_I",
				"/text/samples/average": "s_T", "/text/samples/bound": "b_T", "/text/samples/temperature": "tau_T",
				"/text/samples/slope": "u_T"}
		}
		g.check(t, c, n, epochs)
	}
}
