package evidence

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Paired is Student's paired t-test that two means are the same.
type Paired struct {
	N          int
	Difference float64 // of the means
	SD         float64 // standard deviation of the differences
	// P is two-sided. It is 1 for pairs that do not differ at all, and NaN for pairs that all differ by the same amount, as a few seeds of
	// a small test split may: nothing can be said of them.
	P float64
}

// PairedT tests a-b, for at least two pairs.
func PairedT(a, b []float64) Paired {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	t := Paired{N: len(d)}
	t.Difference, t.SD = stat.MeanStdDev(d, nil)
	switch {
	case t.SD > 1e-9*math.Abs(t.Difference): // but for rounding
		n := float64(t.N)
		of := math.Abs(t.Difference) / (t.SD / math.Sqrt(n))
		t.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Survival(of)
	case t.Difference == 0:
		t.P = 1
	default:
		t.SD, t.P = 0, math.NaN()
	}
	return t
}
