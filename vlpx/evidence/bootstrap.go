package evidence

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/random"
)

const (
	// Resamples are drawn for an interval, whose ends are then within 3 % of its width of where any more would put them (two standard
	// errors of a normal statistic).
	Resamples = 2000
	// Coverage of an interval.
	Coverage = .95
	// ResampleSeed draws the same resamples whatever is measured, so that differences are paired.
	ResampleSeed = 1
)

// Bootstrap holds resamples of items, drawn with replacement: the same ones for all statistics of so many items.
type Bootstrap struct {
	times [][]float64 // how often each item was drawn, [Resamples][items]
}

// NewBootstrap draws resamples of so many items, at least one.
func NewBootstrap(items int) *Bootstrap {
	draw := random.Stream(ResampleSeed, "bootstrap")
	b := &Bootstrap{}
	for range Resamples {
		times := make([]float64, items)
		for range items {
			times[draw.IntN(items)]++
		}
		b.times = append(b.times, times)
	}
	return b
}

// Interval is the percentile interval of a statistic, which is told how often each item counts (Efron and Tibshirani, An Introduction to
// the Bootstrap, 1993, chapter 13). It says how the statistic would vary with other test items, all else the same.
func (b *Bootstrap) Interval(statistic func(times []float64) float64) (low, high float64) {
	values := make([]float64, 0, len(b.times))
	for _, times := range b.times {
		values = append(values, statistic(times))
	}
	slices.Sort(values)
	return stat.Quantile((1-Coverage)/2, stat.Empirical, values, nil), stat.Quantile((1+Coverage)/2, stat.Empirical, values, nil)
}
