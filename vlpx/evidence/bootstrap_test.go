package evidence_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"vlpx.internal/vlpx/evidence"
)

// mean is the statistic of a mean over items.
func mean(of []float64) func(times []float64) float64 {
	return func(times []float64) float64 { return floats.Dot(times, of) / float64(len(of)) }
}

// Of items of which k are hits, a resample has Binomial(n, k/n) hits, whose quantiles are known.
func TestBootstrapOfABinomial(t *testing.T) {
	for _, c := range []struct{ n, hits int }{{500, 150}, {500, 25}, {40, 20}} {
		items := make([]float64, c.n)
		for i := range c.hits {
			items[i] = 1
		}
		low, high := evidence.NewBootstrap(c.n).Interval(mean(items))
		binomial := distuv.Binomial{N: float64(c.n), P: float64(c.hits) / float64(c.n)}
		// The share of resamples up to an end is that of the binomial within the noise of 2,000, 5 standard errors.
		near := 5 * math.Sqrt(.025*.975/evidence.Resamples)
		for end, want := range map[float64]float64{low: .025, high: .975} {
			hits := math.Round(end * float64(c.n))
			if binomial.CDF(hits) < want-near || binomial.CDF(hits-1) > want+near {
				t.Errorf("%d of %d: got an end at %v hits, of share %v, want %v", c.hits, c.n, hits, binomial.CDF(hits), want)
			}
		}
	}
}

// The same resamples serve all statistics: the difference of two that move together varies less than either.
func TestBootstrapIsPaired(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b, difference := make([]float64, 300), make([]float64, 300), make([]float64, 300)
	for i := range a {
		a[i] = 10 * r.NormFloat64()
		b[i] = a[i] + r.NormFloat64()
		difference[i] = b[i] - a[i]
	}
	boot := evidence.NewBootstrap(len(a))
	low, high := boot.Interval(func(times []float64) float64 { return mean(b)(times) - mean(a)(times) })
	wantLow, wantHigh := evidence.NewBootstrap(len(a)).Interval(mean(difference))
	if math.Abs(low-wantLow) > 1e-9 || math.Abs(high-wantHigh) > 1e-9 {
		t.Errorf("got [%v, %v] of the difference of means, want [%v, %v], those of the mean difference", low, high, wantLow, wantHigh)
	}
	// Of a mean of normal items the interval is 1.96 standard errors either way.
	m, se := stat.Mean(difference, nil), stat.StdDev(difference, nil)/math.Sqrt(300)
	if math.Abs(low-(m-1.96*se)) > .2*se || math.Abs(high-(m+1.96*se)) > .2*se {
		t.Errorf("got [%v, %v], want %v ± %v", low, high, m, 1.96*se)
	}
}

func TestBootstrapOfOneItem(t *testing.T) {
	if low, high := evidence.NewBootstrap(1).Interval(mean([]float64{3})); low != 3 || high != 3 {
		t.Errorf("got [%v, %v], want 3 alone", low, high)
	}
}
