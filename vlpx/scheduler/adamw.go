package scheduler

import "math"

// adamW is AdamW as PyTorch has it by default (Loshchilov and Hutter, 2019): betas 0.9 and 0.999, epsilon 1e-8, and weight
// decay 0.01 on every number, biases too. FALCON gives the rate only (Table 5).
type adamW struct {
	rate          float64
	steps         int64     // updates made so far
	first, second []float32 // moments of each weight's gradient
}

func newAdamW(rate float64, weights int) adamW {
	return adamW{rate: rate, first: make([]float32, weights), second: make([]float32, weights)}
}

// update moves the weights one step against the gradient of a loss.
func (o *adamW) update(weights, gradient []float32) {
	const grain = 1 << 14 // weights that are worth a goroutine
	o.steps++
	split(len(weights), grain, func(from, to int) {
		o.updatePart(weights[from:to], gradient[from:to], o.first[from:to], o.second[from:to])
	})
}

func (o *adamW) updatePart(weights, gradient, first, second []float32) {
	const (
		beta1, beta2 = 0.9, 0.999
		epsilon      = 1e-8
		weightDecay  = 0.01
	)
	rate := float32(o.rate / (1 - math.Pow(beta1, float64(o.steps))))
	scale := float32(1 / math.Sqrt(1-math.Pow(beta2, float64(o.steps))))
	keep := float32(1 - o.rate*weightDecay)
	gradient, first, second = gradient[:len(weights)], first[:len(weights)], second[:len(weights)] // spares the bounds checks
	for i, w := range weights {
		g := gradient[i]
		m := beta1*first[i] + (1-beta1)*g
		v := beta2*second[i] + (1-beta2)*g*g
		first[i], second[i] = m, v
		weights[i] = w*keep - rate*m/(float32(math.Sqrt(float64(v)))*scale+epsilon)
	}
}
