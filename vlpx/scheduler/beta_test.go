package scheduler

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"vlpx.internal/vlpx/random"
)

func TestBetaClosedForms(t *testing.T) {
	for _, c := range []struct {
		d       Beta
		density func(q float64) float64
		a, b    func(q float64) float64 // derivatives of the log density
	}{
		// digamma(n+1) - digamma(n) = 1/n.
		{Beta{1, 1}, func(q float64) float64 { return 1 },
			func(q float64) float64 { return math.Log(q) + 1 }, func(q float64) float64 { return math.Log(1-q) + 1 }},
		{Beta{2, 1}, func(q float64) float64 { return 2 * q },
			func(q float64) float64 { return math.Log(q) + 1./2 }, func(q float64) float64 { return math.Log(1-q) + 3./2 }},
		{Beta{1, 3}, func(q float64) float64 { return 3 * (1 - q) * (1 - q) },
			func(q float64) float64 { return math.Log(q) + 11./6 }, func(q float64) float64 { return math.Log(1-q) + 1./3 }},
		{Beta{2, 2}, func(q float64) float64 { return 6 * q * (1 - q) },
			func(q float64) float64 { return math.Log(q) + 5./6 }, func(q float64) float64 { return math.Log(1-q) + 5./6 }},
		// digamma(1) - digamma(1/2) = 2 ln 2.
		{Beta{.5, .5}, func(q float64) float64 { return 1 / (math.Pi * math.Sqrt(q*(1-q))) },
			func(q float64) float64 { return math.Log(q) + 2*math.Ln2 }, func(q float64) float64 { return math.Log(1-q) + 2*math.Ln2 }},
	} {
		for _, q := range []float64{edge, 0.01, 0.3, 0.5, 0.9, 1 - edge} {
			near(t, c.d.Density(q), c.density(q), 1e-12, "density of %v at %v", c.d, q)
			near(t, c.d.LogDensity(q), math.Log(c.density(q)), 1e-12, "log density of %v at %v", c.d, q)
			a, b := c.d.Gradient(q)
			near(t, a, c.a(q), 1e-10, "derivative of %v by A at %v", c.d, q)
			near(t, b, c.b(q), 1e-10, "derivative of %v by B at %v", c.d, q)
		}
	}
	near(t, Beta{3, 1}.Mean(), 0.75, 1e-15, "mean")
}

func TestBetaGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Beta{rapid.Float64Range(0.05, 30).Draw(t, "a"), rapid.Float64Range(0.05, 30).Draw(t, "b")}
		q := rapid.Float64Range(edge, 1-edge).Draw(t, "q")
		h := 1e-5 * min(d.A, d.B)
		a, b := d.Gradient(q)
		near(t, a, (Beta{d.A + h, d.B}.LogDensity(q)-Beta{d.A - h, d.B}.LogDensity(q))/(2*h), 1e-6, "by A")
		near(t, b, (Beta{d.A, d.B + h}.LogDensity(q)-Beta{d.A, d.B - h}.LogDensity(q))/(2*h), 1e-6, "by B")
		mirrored, _ := Beta{d.B, d.A}.Gradient(1 - q)
		near(t, b, mirrored, 1e-9, "by A of the mirror image")
	})
}

// TestBetaDraw is the test of Kolmogorov and Smirnov: the largest distance between the shares of n draws below a quantile and
// the distribution function exceeds 1.95/sqrt(n) in one of a thousand streams; these are fixed.
func TestBetaDraw(t *testing.T) {
	const n = 4000
	critical := 1.95 / math.Sqrt(n)
	for _, d := range []Beta{{1, 1}, {2, 1}, {1, 5}, {30, 12}, {1.3, 1.7}, {0.5, 0.5}, {0.7, 3}} {
		r := random.Stream(1, "beta", d.A, d.B)
		draws := make([]float64, n)
		for i := range draws {
			draws[i] = d.Draw(r)
		}
		slices.Sort(draws)
		cdf, distance := distuv.Beta{Alpha: d.A, Beta: d.B}.CDF, 0.0
		for i, q := range draws {
			distance = max(distance, cdf(q)-float64(i)/n, float64(i+1)/n-cdf(q))
		}
		if distance > critical {
			t.Errorf("%v: distance %.4f, want at most %.4f", d, distance, critical)
		}
	}
}

// Beta(3e-4, 1e-4) is nearly a coin that shows 1 with probability 3/4, and its gamma variates mostly underflow.
func TestBetaDrawAtTheEnds(t *testing.T) {
	const n = 2000
	r, high := random.Stream(1, "ends"), 0
	for range n {
		switch q := (Beta{3e-4, 1e-4}).Draw(r); {
		case !(q >= edge && q <= 1-edge):
			t.Fatalf("drew %v", q)
		case q > 0.5:
			high++
		}
	}
	near(t, float64(high)/n, 0.75, 4*math.Sqrt(0.75*0.25/n), "share of high draws, to four standard deviations")
}

// near fails unless got is within tolerance of want, relative where want is above 1.
func near(t rapid.TB, got, want, tolerance float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf(format+": got %v, want %v", append(args, got, want)...)
	}
}
