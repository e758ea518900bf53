package evidence

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// MostBlocks is where BlocksNeeded gives up.
const MostBlocks = 1000

// Power is the chance that a two-sided test of a contrast in so many blocks, at least two, finds a p below the level. The variance is
// pooled over so many rows; of two rows it is the paired t-test. The effect is the true mean of the contrast, in its standard deviations
// in one block.
func Power(effect float64, rows, blocks int, level float64) float64 {
	freedom := float64((rows - 1) * (blocks - 1))
	critical := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - level/2)
	shift := effect * math.Sqrt(float64(blocks))
	return beyond(critical, freedom, shift) + beyond(critical, freedom, -shift)
}

// Detectable is the smallest effect that the test of Power finds at the level with the power.
func Detectable(rows, blocks int, level, power float64) float64 {
	low, high := 0., 1.
	for Power(high, rows, blocks, level) < power {
		low, high = high, 2*high
	}
	for high-low > 1e-10*high {
		if mid := (low + high) / 2; Power(mid, rows, blocks, level) < power {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// BlocksNeeded is the smallest number of blocks with which the test of Power finds an effect at the level with the power. It tells whether
// MostBlocks are enough.
func BlocksNeeded(effect float64, rows int, level, power float64) (blocks int, enough bool) {
	effect = min(math.Abs(effect), 1e3) // two blocks find this at any level of use, and a larger one takes long to add up
	n := 2 + sort.Search(MostBlocks-1, func(k int) bool { return Power(effect, rows, 2+k, level) >= power })
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
