package evidence

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Test is a t-test that a mean difference over blocks is zero. A block is a seed, or a world with its seed, that all rows share.
type Test struct {
	N          int     // blocks
	Difference float64 // its mean over the blocks
	SD         float64 // standard deviation of the difference in one block, as the test estimates it
	Freedom    float64 // degrees of freedom of SD
	// P is two-sided. It is 1 where nothing differs at all. It is NaN where SD is 0 and the difference is not, as a few seeds of a small
	// test split may give: nothing can be said then.
	P float64
}

func newTest(n int, difference, sd, freedom float64) Test {
	t := Test{N: n, Difference: difference, SD: sd, Freedom: freedom}
	switch {
	case sd > 1e-9*math.Abs(difference): // but for rounding
		t.P = 2 * t.student().Survival(math.Abs(difference)/t.se())
	case difference == 0:
		t.P = 1
	default:
		t.SD, t.P = 0, math.NaN()
	}
	return t
}

// se is the standard error of the difference.
func (t Test) se() float64 { return t.SD / math.Sqrt(float64(t.N)) }

func (t Test) student() distuv.StudentsT { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: t.Freedom} }

// Interval is the 95 % confidence interval of the difference.
func (t Test) Interval() (low, high float64) {
	half := t.student().Quantile((1+Coverage)/2) * t.se()
	return t.Difference - half, t.Difference + half
}

// Equivalence is the p of two one-sided tests (Schuirmann, 1987): that the true difference is not within the margin of zero. It is NaN
// where nothing can be said.
func (t Test) Equivalence(margin float64) float64 {
	if math.IsNaN(t.P) {
		return t.P
	}
	if t.SD == 0 {
		return 0 // all pairs are equal
	}
	return t.student().Survival((margin - math.Abs(t.Difference)) / t.se())
}

// PairedT is Student's paired t-test of a-b, for at least two pairs.
func PairedT(a, b []float64) Test {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	difference, sd := stat.MeanStdDev(d, nil)
	return newTest(len(d), difference, sd, float64(len(d)-1))
}
