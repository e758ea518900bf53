package scheduler

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Beta is a distribution over the hardness quantile of an anchor's next negative (FALCON, section 3.1; METHODS.md 14.3). Both
// parameters are positive. Its density at q is proportional to q^(A-1) (1-q)^(B-1).
type Beta struct{ A, B float64 }

// Quantiles drawn keep this distance from 0 and 1, where the log density and its gradient may be infinite (METHODS.md 14.3).
const edge = 1e-6

// Mean returns the expected quantile.
func (d Beta) Mean() float64 { return d.A / (d.A + d.B) }

// Valid reports whether both parameters are positive numbers, no larger than sums of variates can be. Of others nothing can be drawn.
func (d Beta) Valid() bool {
	const largest = 1e300
	return d.A > 0 && d.A <= largest && d.B > 0 && d.B <= largest
}

// Draw returns a quantile in [1e-6, 1-1e-6] of a valid distribution.
func (d Beta) Draw(r *rand.Rand) float64 {
	gonum := distuv.Beta{Alpha: d.A, Beta: d.B, Src: r}
	q := gonum.Rand()
	// At parameters near 0 both gamma variates of the quotient X/(X+Y) may underflow. As -log X is close to exponential there,
	// and so without memory, drawing again does not change the distribution.
	for math.IsNaN(q) {
		q = gonum.Rand()
	}
	return min(max(q, edge), 1-edge)
}

// LogDensity returns the logarithm of the density at q, in nats; negative infinity outside [0, 1].
func (d Beta) LogDensity(q float64) float64 { return distuv.Beta{Alpha: d.A, Beta: d.B}.LogProb(q) }

// Density returns the density at q, which is infinite at an end whose parameter is below 1.
func (d Beta) Density(q float64) float64 { return math.Exp(d.LogDensity(q)) }

// Gradient returns the derivatives of the log density at q in (0, 1) by the parameters A and B (METHODS.md 14.4):
//
//	d/dA = ln q - digamma(A) + digamma(A+B)
//	d/dB = ln(1-q) - digamma(B) + digamma(A+B)
func (d Beta) Gradient(q float64) (a, b float64) {
	both := mathext.Digamma(d.A + d.B)
	return math.Log(q) - mathext.Digamma(d.A) + both, math.Log1p(-q) - mathext.Digamma(d.B) + both
}
