package scheduler

import (
	"math"
	"testing"

	"vlpx.internal/vlpx/random"
)

// The first step is the rate against the gradient's sign, after decay. For the second, of the gradient -0.5:
// m = 0.9*0.05 - 0.1*0.5 = -0.005, over 1-0.81; v = 0.25 corrected; so w = 0.899*0.999 + 0.1*0.005/0.19/0.5.
func TestAdamWLiteral(t *testing.T) {
	o, w := newAdamW(0.1, 1), []float32{1}
	o.update(w, []float32{0.5})
	near(t, float64(w[0]), 0.899, 1e-6, "first step")
	o.update(w, []float32{-0.5})
	near(t, float64(w[0]), 0.9033642, 1e-6, "second step")
}

func TestAdamWSlow(t *testing.T) {
	const n, rate, decay = 40000, 0.01, 0.01
	r := random.Stream(1, "adamw")
	o := newAdamW(rate, n)
	weights, gradient := make([]float32, n), make([]float32, n)
	slow, m, v := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range weights {
		weights[i] = float32(r.NormFloat64())
		slow[i] = float64(weights[i])
	}
	for step := 1; step <= 4; step++ {
		for i := range gradient {
			gradient[i] = float32(r.NormFloat64())
			g := float64(gradient[i])
			m[i] = 0.9*m[i] + 0.1*g
			v[i] = 0.999*v[i] + 0.001*g*g
			slow[i] -= rate * decay * slow[i]
			corrected := m[i] / (1 - math.Pow(0.9, float64(step)))
			slow[i] -= rate * corrected / (math.Sqrt(v[i]/(1-math.Pow(0.999, float64(step)))) + 1e-8)
		}
		o.update(weights, gradient)
	}
	for i, w := range weights {
		near(t, float64(w), slow[i], 1e-6, "weight %d", i)
	}
}

// A weight without a gradient only decays.
func TestAdamWDecay(t *testing.T) {
	o, w := newAdamW(0.5, 2), []float32{4, -4}
	o.update(w, []float32{0, 0})
	near(t, float64(w[0]), 4*0.995, 1e-6, "positive")
	near(t, float64(w[1]), -4*0.995, 1e-6, "negative")
}
