package paper

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Verdict is what our runs say of a claim.
type Verdict string

// Verdicts of a claim.
const (
	Supported    Verdict = "supported"    // p < 0.05 in the claim's direction
	Contradicted Verdict = "contradicted" // p < 0.05 against it
	Undecided    Verdict = "undecided"
	Untested     Verdict = "not yet" // a method, a column or a second seed is missing
)

// significance is the level below which a difference counts.
const significance = 0.05

// Finding is a claim with what our runs say of it.
type Finding struct {
	Text       string   `json:"text"`
	Source     string   `json:"source,omitempty"`
	Difference *float64 `json:"difference"` // of the means over seeds, better minus than; null if untested
	P          *float64 `json:"p"`          // of a two-sided paired t-test; null if untested, or if all differences are equal
	Verdict    Verdict  `json:"verdict"`
}

// judge tests a claim on values paired by seed.
func judge(c Claim, better, than []float64) Finding {
	f := Finding{Text: c.String(), Source: c.Source, Verdict: Untested}
	if len(better) < 2 || len(better) != len(than) {
		return f
	}
	difference, p := PairedT(better, than)
	f.Difference, f.Verdict = &difference, Undecided
	if !math.IsNaN(p) {
		f.P = &p
	}
	if p < significance {
		f.Verdict = Supported
		if (difference < 0) != c.In.Lower {
			f.Verdict = Contradicted
		}
	}
	return f
}

// PairedT returns the mean of a-b and the two-sided p of Student's paired t-test that it is zero, for at least two pairs.
// Pairs that do not differ at all have p 1; of pairs that all differ by the same amount, as a few seeds of a small test split may, nothing
// can be said, and p is NaN.
func PairedT(a, b []float64) (difference, p float64) {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	mean, std := stat.MeanStdDev(d, nil)
	if std <= 1e-9*math.Abs(mean) { // but for rounding
		if mean == 0 {
			return 0, 1
		}
		return mean, math.NaN()
	}
	n := float64(len(d))
	t := math.Abs(mean) / (std / math.Sqrt(n))
	return mean, 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Survival(t)
}
