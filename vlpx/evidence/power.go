package evidence

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// MostBlocks is where BlocksNeeded gives up.
const MostBlocks = 1000

// Design is how a contrast is tested in blocks. Its variance is pooled over Rows rows, the contrast's among them; of two rows it is the
// paired t-test. A finding has a two-sided p below Level, and below Own by the contrast's own variance over the blocks, 1 for no such
// condition.
type Design struct {
	Rows       int
	Level, Own float64
}

// Power is the chance of a finding in so many blocks, at least two. The effect is the true mean of the contrast, in its standard deviations
// in one block. All rows have one variance.
func (d Design) Power(effect float64, blocks int) float64 {
	freedom := float64(blocks - 1)
	shift := effect * math.Sqrt(float64(blocks))
	if d.Rows == 2 {
		critical := criticalT(min(d.Level, d.Own), freedom)
		return beyond(critical, freedom, shift) + beyond(critical, freedom, -shift)
	}
	others := freedom * float64(d.Rows-2)
	pooled, own := criticalT(d.Level, freedom+others), criticalT(d.Own, freedom)
	squares, weights := chiSquared(freedom)
	further, furtherWeights := chiSquared(others)
	found := 0.
	for i, a := range squares {
		for j, b := range further {
			critical := max(pooled*math.Sqrt((a+b)/(freedom+others)), own*math.Sqrt(a/freedom))
			found += weights[i] * furtherWeights[j] * (distuv.UnitNormal.CDF(shift-critical) + distuv.UnitNormal.CDF(-shift-critical))
		}
	}
	return found
}

// criticalT is the size of t that a two-sided p of the level has.
func criticalT(level, freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - level/2)
}

// chiSquared are nodes of a chi-squared number of some degrees of freedom, with their weights: those of Gauss and Legendre over its
// probability.
func chiSquared(freedom float64) (nodes, weights []float64) {
	nodes, weights = make([]float64, 40), make([]float64, 40)
	quad.Legendre{}.FixedLocations(nodes, weights, 0, 1)
	for i, p := range nodes {
		nodes[i] = distuv.ChiSquared{K: freedom}.Quantile(p)
	}
	return nodes, weights
}

// Detectable is the smallest effect that is found in so many blocks with the power.
func (d Design) Detectable(blocks int, power float64) float64 {
	low, high := 0., 1.
	for d.Power(high, blocks) < power {
		low, high = high, 2*high
	}
	for high-low > 1e-10*high {
		if mid := (low + high) / 2; d.Power(mid, blocks) < power {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// BlocksNeeded is the smallest number of blocks in which an effect is found with the power. It tells whether MostBlocks are enough.
func (d Design) BlocksNeeded(effect, power float64) (blocks int, enough bool) {
	effect = min(math.Abs(effect), 1e3) // two blocks find this at any level of use, and a larger one takes long to add up
	n := 2 + sort.Search(MostBlocks-1, func(k int) bool { return d.Power(effect, 2+k) >= power })
	return min(n, MostBlocks), n <= MostBlocks
}

// beyond is the chance that a noncentral t, with degrees of freedom and a noncentrality, is above t, which is not below zero: the series
// of Lenth, "Algorithm AS 243: Cumulative distribution function of the non-central t distribution", Applied Statistics 38 (1989). Its
// terms are weighed as by a Poisson distribution, of which twelve standard deviations are added up.
func beyond(t, freedom, noncentrality float64) float64 {
	x := t * t / (freedom + t*t)
	mean := noncentrality * noncentrality / 2
	below := distuv.UnitNormal.CDF(-noncentrality)
	if mean > 0 {
		spread := 12 * (math.Sqrt(mean) + 1)
		for j := math.Floor(max(0, mean-spread)); j <= mean+spread; j++ {
			even, _ := math.Lgamma(j + 1)
			odd, _ := math.Lgamma(j + 1.5)
			weight := j*math.Log(mean) - mean
			below += math.Exp(weight-even) / 2 * mathext.RegIncBeta(j+.5, freedom/2, x)
			below += noncentrality / math.Sqrt2 * math.Exp(weight-odd) / 2 * mathext.RegIncBeta(j+1, freedom/2, x)
		}
	} else {
		below += mathext.RegIncBeta(.5, freedom/2, x) / 2
	}
	return 1 - below
}
