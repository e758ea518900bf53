package plots_test

import (
	"io"
	"math"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
)

// BenchmarkLive draws what a run shows while it trains: losses by step and recall by epoch, at the resolution of a screen.
func BenchmarkLive(b *testing.B) {
	losses := plots.Lines{Title: "Losses", XLabel: "step", YLabel: "loss (nats)"}
	for _, name := range []string{"ITC", "ITM", "MLM"} {
		s := plots.Series{Name: name}
		for k := range 5000 {
			s.X = append(s.X, float64(k+1))
			s.Mean = append(s.Mean, 2+math.Sin(float64(k*k%977))/(1+float64(k)/500))
		}
		losses.Series = append(losses.Series, s)
	}
	recall := plots.Lines{Title: "Validation", XLabel: "epoch", YLabel: "R@1 (%)", Series: []plots.Series{
		{Name: "TR", X: []float64{1, 2, 3, 4}, Mean: []float64{1, 4, 8, 9}},
		{Name: "IR", X: []float64{1, 2, 3, 4}, Mean: []float64{1, 2, 5, 7}}}}
	f := plots.Figure{Panels: []plots.Panel{losses, recall}}
	for b.Loop() {
		must.Do(b, f.PNG(io.Discard, 100))
	}
}
