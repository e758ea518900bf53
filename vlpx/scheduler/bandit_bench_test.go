package scheduler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// expected is the mean reward of a quantile, in standard deviations of the noise from mini-batch to mini-batch: a peak at .8 above what any
// quantile gets.
func expected(q float64) float64 { return 2 + 0.5*math.Exp(-math.Pow((q-0.8)/0.15, 2)/2) }

// BenchmarkBandit teaches policies on made-up rewards, with one quantile a mini-batch and as many updates as a run at mini has, and
// reports how much of the way from a quantile of one half to the best one, .8, their rewards gained: 0 for nothing learned, 1 for all. The
// defaults of positivity, baseline and rate are held against it, without a training run.
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
	const updates, quantiles = 9 * 312, 100 // nine epochs
	p := NewPolicy(Network{Inputs: quantiles, Hidden: 128, Blocks: 2, Open: open}, rate, seed)
	r := rand.New(rand.NewPCG(seed, 77))
	state := make([]float32, quantiles)
	var baseline, got float64
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
		reward := expected(q) + r.NormFloat64()
		if update == 0 {
			baseline = reward
		}
		advantage := reward
		if decay > 0 {
			advantage -= baseline
			baseline = decay*baseline + (1-decay)*reward
		}
		p.Update(state, []float64{q}, advantage)
		got += expected(q) / updates
	}
	return (got - expected(0.5)) / (expected(0.8) - expected(0.5))
}
