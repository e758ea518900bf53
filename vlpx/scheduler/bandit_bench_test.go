package scheduler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// measured is what a probe at mini on scenes got (docs/FALCON.md): in each scheduled epoch the mean reward at some quantiles,
// in units of 1e-4 nats, and its standard deviation from mini-batch to mini-batch. The first value is extrapolated.
var measured = []struct {
	mean []float64
	std  float64
}{
	{[]float64{400, 405, 432, 473, 417, 395}, 170},
	{[]float64{245, 256, 282, 366, 292, 258}, 130},
	{[]float64{115, 126, 146, 195, 191, 134}, 75},
	{[]float64{40, 43, 51, 59, 50, 48}, 24},
}

func expected(epoch int, q float64) float64 {
	at := []float64{0, 0.2, 0.5, 0.8, 0.9, 1}
	i := 1
	for q > at[i] {
		i++
	}
	w := (q - at[i-1]) / (at[i] - at[i-1])
	return measured[epoch].mean[i-1]*(1-w) + measured[epoch].mean[i]*w
}

// BenchmarkBandit teaches policies on the measured rewards, with one quantile a mini-batch and as many updates as a run at mini
// has, and reports how much of the way from a quantile of one half to the best one, .8, their rewards gained: 0 for nothing
// learned, 1 for all. It is how the defaults of positivity, baseline and rate were chosen, without a training run.
func BenchmarkBandit(b *testing.B) {
	for _, open := range []bool{false, true} {
		for _, decay := range []float64{0, 0.95} {
			for _, rate := range []float64{1e-4, 3e-4, 1e-3} {
				b.Run(fmt.Sprintf("open=%v/baseline=%v/rate=%v", open, decay, rate), func(b *testing.B) {
					var gains []float64
					for b.Loop() {
						gains = gains[:0]
						for seed := range uint64(12) {
							gains = append(gains, gain(open, decay, rate, seed))
						}
					}
					mean, std := stat.MeanStdDev(gains, nil)
					b.ReportMetric(mean, "gained")
					b.ReportMetric(std, "std")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

func gain(open bool, decay, rate float64, seed uint64) float64 {
	const updates, quantiles = 312, 100 // an epoch
	p := NewPolicy(Network{Inputs: quantiles, Hidden: 128, Blocks: 2, Open: open}, rate, seed)
	r := rand.New(rand.NewPCG(seed, 77))
	state := make([]float32, quantiles)
	var baseline, got, half, best float64
	for epoch, m := range measured {
		for update := range updates {
			sum := 0.0
			for i := range state { // a row of similarities from about -.2 to 1
				x := math.Exp(1.2*float64(i)/(quantiles-1) - 0.2 + 0.05*r.NormFloat64())
				state[i], sum = float32(x), sum+x
			}
			for i := range state {
				state[i] *= float32(quantiles / sum)
			}
			q := p.Predict(state).Draw(r)
			reward := expected(epoch, q) + m.std*r.NormFloat64()
			if epoch+update == 0 {
				baseline = reward
			}
			advantage := reward
			if decay > 0 {
				advantage -= baseline
				baseline = decay*baseline + (1-decay)*reward
			}
			p.Update(state, []float64{q}, advantage)
			got, half, best = got+expected(epoch, q)/m.std, half+expected(epoch, 0.5)/m.std, best+expected(epoch, 0.8)/m.std
		}
	}
	return (got - half) / (best - half)
}
