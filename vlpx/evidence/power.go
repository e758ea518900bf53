package evidence

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// MostPairs is where PairsNeeded gives up.
const MostPairs = 1000

// Power is the chance that a two-sided paired t-test of n pairs, at least two, finds a p below the level, where the true mean of the
// differences is so many of their standard deviations.
func Power(effect float64, n int, level float64) float64 {
	freedom := float64(n - 1)
	critical := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - level/2)
	shift := effect * math.Sqrt(float64(n))
	return beyond(critical, freedom, shift) + beyond(critical, freedom, -shift)
}

// Detectable is the smallest effect, in standard deviations of the differences, that a two-sided paired t-test of n pairs finds at the
// level with the power.
func Detectable(n int, level, power float64) float64 {
	low, high := 0., 1.
	for Power(high, n, level) < power {
		low, high = high, 2*high
	}
	for high-low > 1e-10*high {
		if mid := (low + high) / 2; Power(mid, n, level) < power {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// PairsNeeded is the smallest number of pairs with which a two-sided paired t-test finds an effect, in standard deviations of the
// differences, at the level with the power. It tells whether MostPairs are enough.
func PairsNeeded(effect, level, power float64) (pairs int, enough bool) {
	effect = min(math.Abs(effect), 1e3) // two pairs find this at any level of use, and a larger one takes long to add up
	n := 2 + sort.Search(MostPairs-1, func(k int) bool { return Power(effect, 2+k, level) >= power })
	return min(n, MostPairs), n <= MostPairs
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
