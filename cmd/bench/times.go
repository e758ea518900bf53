package bench

import "slices"

// Times are what something took each time, in seconds.
type Times []float64

// Median is the middle of the times, in seconds.
func (t Times) Median() float64 { return t.quantile(0.5) }

// Quartiles are the times that a quarter and three quarters of them are below, in seconds.
func (t Times) Quartiles() (first, third float64) { return t.quantile(0.25), t.quantile(0.75) }

// quantile goes on a line from each time to the next.
func (t Times) quantile(p float64) float64 {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	at := p * float64(len(t)-1)
	below := int(at)
	above := min(below+1, len(t)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
