package benchmark

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Times are what something took each time, in seconds.
type Times []float64

// Median is the middle of the times, in seconds.
func (t Times) Median() float64 { return t.quantile(0.5) }

// Quartiles are the times that a quarter and three quarters of them are below, in seconds.
func (t Times) Quartiles() (first, third float64) { return t.quantile(0.25), t.quantile(0.75) }

func (t Times) quantile(p float64) float64 {
	if len(t) == 0 {
		return 0
	}
	return stat.Quantile(p, stat.LinInterp, slices.Sorted(slices.Values(t)), nil)
}
