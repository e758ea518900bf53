package evidence

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// At either end a tail of the binomial distribution has 2.5 %; none of n leaves 1 - .025^(1/n).
func TestProportion(t *testing.T) {
	for _, n := range []int{1, 7, 500} {
		if low, high := Proportion(0, n); low != 0 || math.Abs(high-(1-math.Pow(.025, 1/float64(n)))) > 1e-9 {
			t.Errorf("none of %d: got %v to %v", n, low, high)
		}
		if low, high := Proportion(n, n); high != 1 || math.Abs(low-math.Pow(.025, 1/float64(n))) > 1e-9 {
			t.Errorf("all of %d: got %v to %v", n, low, high)
		}
	}
	low, high := Proportion(5, 20)
	atMost := distuv.Binomial{N: 20, P: high}.CDF(5)
	atLeast := 1 - distuv.Binomial{N: 20, P: low}.CDF(4)
	if math.Abs(atMost-.025) > 1e-9 || math.Abs(atLeast-.025) > 1e-9 {
		t.Errorf("5 of 20: got %v to %v, with tails of %v and %v", low, high, atLeast, atMost)
	}
}
