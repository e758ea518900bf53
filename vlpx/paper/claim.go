package paper

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/run"
)

// Verdict is what our runs say of a claim.
type Verdict string

// Verdicts of a claim. Its p is corrected for the number of claims that are tested with it.
const (
	Supported    Verdict = "supported"    // corrected p < 0.05 in the claim's direction
	Contradicted Verdict = "contradicted" // corrected p < 0.05 against it
	Undecided    Verdict = "undecided"    // see Reason
	Untested     Verdict = "not yet"      // a method, a column or a second seed is missing
)

// Reason is why a claim is undecided, or why it has no verdict.
type Reason string

// Reasons of an undecided claim, and of one without a verdict.
const (
	OneSeed     Reason = "one seed"      // both rows have but one
	TwoSeeds    Reason = "two seeds"     // whose spread is of one degree of freedom: they decide nothing, whatever p is
	NoEffect    Reason = "no effect"     // the seeds could have shown a difference worth telling, and showed a smaller one
	TooFewSeeds Reason = "too few seeds" // they could not, or not one that holds among so many claims
	// SomeSeeds is of no verdict: some finished seeds lack the number, and those that have it need not be like the others.
	SomeSeeds Reason = "some seeds lack it"
)

const (
	// fewestSeeds are those that a verdict takes.
	fewestSeeds  = 3
	significance = 0.05 // the level below which a difference counts
	power        = 0.8  // the chance of finding what seeds are said to be able to show
	// worthPoints is the difference worth telling in a column in per cent, worthShare in any other as a share of the second row's mean.
	worthPoints = 1.0
	worthShare  = 0.05
)

// Finding is a claim with what our runs say of it. What is not known is null in JSON.
type Finding struct {
	Text       string   `json:"text"`
	Source     string   `json:"source,omitempty"`
	Seeds      int      `json:"seeds"`      // that both rows have, 0 where a column is missing
	Difference *float64 `json:"difference"` // of the means over these seeds, better minus than; null if untested
	// Interval is that of the difference over test images, of these seeds; see Summary.Interval.
	Interval *[2]float64 `json:"interval"`
	P        *float64    `json:"p"`      // of a two-sided paired t-test; null if untested, or if all differences are equal
	Holm     *float64    `json:"p_holm"` // p, corrected by Holm's method for the tested claims of the artifact
	// Detectable is the smallest difference that so many seeds show with a power of .8 at p < .05, by the spread of their differences.
	Detectable *float64 `json:"detectable"`
	Worth      *float64 `json:"worth"` // the difference worth telling, which Detectable is held against
	// SeedsNeeded, of an undecided claim, would show the difference seen with a power of .8, at .05 over the number of tested claims; 0 if
	// that is more than evidence.MostBlocks, or if nothing can be said.
	SeedsNeeded int     `json:"seeds_needed,omitempty"`
	Verdict     Verdict `json:"verdict"`
	Reason      Reason  `json:"reason,omitempty"`
}

// judge tests claims on values paired by seed, and corrects for their number.
func judge(claims []Claim, paired func(Claim) (better, than []float64)) []Finding {
	findings, tests := make([]Finding, len(claims)), make([]evidence.Test, len(claims))
	p, tested := make([]float64, len(claims)), 0
	for i, c := range claims {
		f := &findings[i]
		*f = Finding{Text: c.String(), Source: c.Source, Verdict: Untested}
		better, than := paired(c)
		if p[i] = math.NaN(); len(better) != len(than) {
			continue
		}
		if f.Seeds = len(better); f.Seeds < 2 {
			if f.Seeds == 1 {
				f.Reason = OneSeed
			}
			continue
		}
		t := evidence.PairedT(better, than)
		worth := worthPoints
		if c.In.Unit != "%" {
			worth = worthShare * math.Abs(stat.Mean(than, nil))
		}
		f.Difference, f.Worth, f.Verdict = &t.Difference, &worth, Undecided
		if tests[i], p[i] = t, t.P; !math.IsNaN(t.P) {
			detectable := t.SD * evidence.Detectable(2, t.N, significance, power)
			f.P, f.Detectable = &p[i], &detectable
			tested++
		}
	}
	for i, corrected := range evidence.Holm(p) {
		if f := &findings[i]; f.P != nil {
			f.Holm = &corrected
			f.decide(claims[i].In.Lower, tests[i], significance/float64(tested))
		} else if f.Verdict == Undecided {
			if f.Reason = TooFewSeeds; f.Seeds < fewestSeeds {
				f.Reason = TwoSeeds
			}
		}
	}
	return findings
}

// decide gives the verdict of a claim that has been tested. level is what p may be in any case for the corrected one to count.
func (f *Finding) decide(lower bool, t evidence.Test, level float64) {
	switch {
	case t.N < fewestSeeds:
		f.Reason = TwoSeeds
	case *f.Holm < significance && (t.Difference < 0) == lower:
		f.Verdict = Supported
		return
	case *f.Holm < significance:
		f.Verdict = Contradicted
		return
	case *f.Detectable <= *f.Worth && math.Abs(t.Difference) < *f.Worth:
		f.Reason = NoEffect
	default:
		f.Reason = TooFewSeeds
	}
	if t.SD > 0 {
		if n, enough := evidence.BlocksNeeded(t.Difference/t.SD, 2, level, power); enough {
			f.SeedsNeeded = max(n, fewestSeeds)
		}
	}
}

// BestOfSweep stands for a row in a claim; see Artifact.Sweep.
const BestOfSweep = "the best of the sweep"

// Claim is what a paper concludes from an artifact: one row better than another in a column.
type Claim struct {
	Better, Than string
	// Over are the rows over which the two gain, each its own: the claim is then that one gain is above the other. Empty where the rows
	// themselves are compared.
	Over   [2]string
	In     Column
	Source string // where the paper says so; empty for a claim of our own
}

func (c Claim) String() string {
	column := c.In.Name
	if c.In.Group != "" {
		column = c.In.Group + " " + c.In.Name
	}
	comparison := "above"
	if c.In.Lower {
		comparison = "below"
	}
	better, than := c.Better, c.Than
	if c.Over != ([2]string{}) {
		better, than = fmt.Sprintf("%s over %s", better, c.Over[0]), fmt.Sprintf("%s over %s", than, c.Over[1])
	}
	return fmt.Sprintf("%s %s %s in %s", better, comparison, than, column)
}

// Rows are the names of the rows that a claim takes.
func (c Claim) Rows() []string {
	names := []string{c.Better, c.Than}
	if c.Over != [2]string{} {
		names = append(names, c.Over[:]...)
	}
	return names
}

// compared are the two sides of a claim, one value a seed, of the results of its rows: of the two themselves, or what they gain.
func (c Claim) compared(rows [][]run.Result) (better, than []float64) {
	better, than = c.In.Values(rows[0]), c.In.Values(rows[1])
	if len(rows) > 2 {
		floats.Sub(better, c.In.Values(rows[2]))
		floats.Sub(than, c.In.Values(rows[3]))
	}
	return better, than
}
