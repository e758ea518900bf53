package scheduler

import (
	"fmt"
	"testing"

	"vlpx.internal/vlpx/random"
)

// chain is how many anchors a mini-batch of 32 has.
const chain = 31

// benchmark runs a benchmark at several widths of the network, over the states and quantiles of one chain.
func benchmark(b *testing.B, run func(p *Policy, states []float32, quantiles []float64)) {
	for _, hidden := range []int{64, 128, 256} {
		b.Run(fmt.Sprint("hidden=", hidden), func(b *testing.B) {
			p := NewPolicy(Network{Inputs: 100, Hidden: hidden, Blocks: 2}, 1e-4, 1)
			states, quantiles := drawRows(random.Stream(1, "benchmark"), chain, 100)
			b.ReportAllocs()
			for b.Loop() {
				run(p, states, quantiles)
			}
		})
	}
}

// BenchmarkPredict predicts for the anchors of a chain, one after another.
func BenchmarkPredict(b *testing.B) {
	benchmark(b, func(p *Policy, states []float32, _ []float64) {
		for t := range chain {
			p.Predict(states[t*100:][:100])
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	benchmark(b, func(p *Policy, states []float32, quantiles []float64) { p.Update(states, quantiles, 0.1) })
}

// BenchmarkDifferentiate and BenchmarkAdamW are the two halves of Update.
func BenchmarkDifferentiate(b *testing.B) {
	benchmark(b, func(p *Policy, states []float32, quantiles []float64) { p.differentiate(states, quantiles, 0.1) })
}

func BenchmarkAdamW(b *testing.B) {
	benchmark(b, func(p *Policy, _ []float32, _ []float64) { p.optimiser.update(p.weights, p.gradient) })
}
