package evidence

import "gonum.org/v1/gonum/stat/distuv"

// Proportion is the exact 95 % interval of a share of which k of n were found (Clopper and Pearson, 1934); n is one at least.
func Proportion(k, n int) (low, high float64) {
	high = 1
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(.025)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(.975)
	}
	return low, high
}
