package paper

import (
	"math"

	"vlpx.internal/vlpx/evidence"
)

// Verdict is what runs say of a claim.
type Verdict string

// Verdicts of a claim.
const (
	Supported    Verdict = "supported"    // corrected p < 0.05 in the claim's direction, which its own rows share
	Contradicted Verdict = "contradicted" // the same against it
	Equivalent   Verdict = "equivalent"   // the same of two one-sided tests: the rows differ by less than a point
	Undecided    Verdict = "undecided"    // none of these
	Secondary    Verdict = "secondary"    // not among the table's primary claims; see Reason
	Exploratory  Verdict = "exploratory"  // too few blocks for a verdict
	Untested     Verdict = "not yet"      // a method, a column or a second seed is missing
)

// Reason is why a claim is undecided or has no verdict, and what a secondary claim's interval says.
type Reason string

// Reasons.
const (
	OneSeed   Reason = "one seed" // both rows have but one
	NoSpread  Reason = "always the same difference"
	SomeSeeds Reason = "some seeds lack it" // those that have the number need not be like the others
	ByPooling Reason = "by pooling alone"   // p of the claim's own rows is not below 0.05
	For       Reason = "for it"             // the uncorrected interval is on the claim's side of zero
	Against   Reason = "against it"
	Open      Reason = "open" // it holds zero
)

const (
	fewestBlocks = 5    // that a verdict takes
	significance = 0.05 // the level below which a difference counts: the corrected p, and that of the claim's own rows
	power        = 0.8  // the chance of finding what blocks are said to be able to show
	// worthPoints is the smallest difference of interest in a column in per cent. Other columns have none, so that nothing is equivalent
	// there.
	worthPoints = 1.0
)

// Finding is a claim with what runs say of it. What is not known is null in JSON.
type Finding struct {
	Text    string `json:"text"`
	Source  string `json:"source,omitempty"`
	Primary bool   `json:"primary"`        // tested with the table's other primary claims; else secondary
	Seeds   int    `json:"seeds"`          // blocks that its rows share, 0 where a column is missing
	From    string `json:"from,omitempty"` // "reference" where they are shipped ones; empty for this store's
	// Difference of the means over these, better minus than; null if untested. Blocks is its 95 % confidence interval.
	Difference *float64    `json:"difference"`
	Blocks     *[2]float64 `json:"interval_blocks"`
	// Interval is that of the difference over test images, of these seeds; see Summary.Interval.
	Interval *[2]float64 `json:"interval"`
	// P is two-sided, of the contrast of the claim's rows by the residual mean square of Pooled rows, or of its own rows for a column
	// whose rows differ in variance. It is null if untested, or if all differences are equal. Moderated is Smyth's, Paired that of a paired
	// t-test.
	P         *float64 `json:"p"`
	Pooled    int      `json:"pooled_rows,omitempty"`
	Moderated *float64 `json:"p_moderated"`
	Paired    *float64 `json:"p_paired"`
	Holm      *float64 `json:"p_holm"` // P, corrected by Holm's method for the primary claims that are tested
	// Equivalence is the p of two one-sided tests that the rows differ by Worth or more, corrected likewise.
	Equivalence *float64 `json:"p_equivalence"`
	// Detectable is the smallest difference that so many blocks show with a power of .8, at .05 over the number of primary claims and, of a
	// primary claim, by its own rows.
	Detectable *float64 `json:"detectable"`
	Worth      *float64 `json:"worth"` // the smallest difference of interest; null in a column that is not in per cent
	// SeedsNeeded are the blocks that show Worth likewise; 0 if that is more than evidence.MostBlocks, or if nothing can be said.
	SeedsNeeded int     `json:"seeds_needed,omitempty"`
	Verdict     Verdict `json:"verdict"`
	Reason      Reason  `json:"reason,omitempty"`
}

// trial is what a claim is tested on: values of rows, those of the claim and others like them, [rows][blocks].
type trial struct {
	claim   Claim
	primary bool
	rows    []string
	values  [][]float64
	means   [][3]float64 // of rows without values: mean, standard deviation and number of runs
	from    string       // the source of values or means; empty for this store
	reason  Reason       // why there are no values, if it is known
}

// blocks is the number of blocks.
func (t trial) blocks() int {
	switch {
	case len(t.values) > 0:
		return len(t.values[0])
	case len(t.means) > 0:
		least := t.means[0][2]
		for _, m := range t.means {
			least = min(least, m[2])
		}
		return int(least)
	}
	return 0
}

// judge tests claims, the primary ones corrected for their number.
func judge(trials []trial) []Finding {
	findings, tests, own := make([]Finding, len(trials)), make([]evidence.Test, len(trials)), make([]evidence.Test, len(trials))
	different, equivalent, primary := make([]float64, len(trials)), make([]float64, len(trials)), 0
	for i, t := range trials {
		f := &findings[i]
		*f = Finding{Text: t.claim.String(), Source: t.claim.Source, Primary: t.primary, Seeds: t.blocks(), From: t.from,
			Verdict: Untested, Reason: t.reason}
		different[i], equivalent[i] = math.NaN(), math.NaN()
		if f.Seeds == 1 {
			f.Reason = OneSeed
		}
		if f.Seeds < 2 {
			continue
		}
		tests[i], own[i] = f.test(t)
		if f.Seeds >= fewestBlocks && t.primary {
			different[i] = tests[i].P
			if f.Worth != nil {
				equivalent[i] = tests[i].Equivalence(*f.Worth)
			}
		}
		if t.primary && f.P != nil {
			primary++
		}
	}
	differ, same := evidence.Holm(different), evidence.Holm(equivalent)
	for i := range findings {
		f := &findings[i]
		if !math.IsNaN(differ[i]) {
			f.Holm = &differ[i]
		}
		if !math.IsNaN(same[i]) {
			f.Equivalence = &same[i]
		}
		if f.Difference != nil {
			f.reach(tests[i], max(primary, 1))
			f.decide(trials[i].claim.In.Lower, own[i])
		}
	}
	return findings
}

// test fills in what is known of a claim by itself. Beside its test is that of its own rows.
func (f *Finding) test(t trial) (test, own evidence.Test) {
	weights := t.claim.weights(t.rows)
	var moderated, paired evidence.Test
	if t.means != nil {
		test = evidence.Unblocked(t.means, weights, f.Seeds, t.claim.In.pooled())
		own = evidence.Unblocked(t.means, weights, f.Seeds, false)
		moderated.P, paired.P = math.NaN(), math.NaN()
	} else {
		all := evidence.NewBlocks(t.values)
		test, moderated, paired = all.Pooled(weights), all.Moderated(weights), all.Paired(weights)
		if !t.claim.In.pooled() {
			test, moderated = paired, paired
		}
		own = paired
	}
	if t.claim.In.pooled() {
		f.Pooled = len(t.rows)
	}
	f.Difference = &test.Difference
	if t.claim.In.Unit == "%" {
		worth := worthPoints
		f.Worth = &worth
	}
	for _, of := range []struct {
		p  **float64
		is evidence.Test
	}{{&f.P, test}, {&f.Moderated, moderated}, {&f.Paired, paired}} {
		if !math.IsNaN(of.is.P) {
			*of.p = &of.is.P
		}
	}
	if f.P != nil {
		low, high := test.Interval()
		f.Blocks = &[2]float64{low, high}
	}
	return test, own
}

// reach fills in what the blocks could show, of a primary claim corrected for their number.
func (f *Finding) reach(test evidence.Test, primary int) {
	if f.P == nil || test.SD == 0 {
		return
	}
	design := evidence.Design{Rows: max(f.Pooled, 2), Level: significance, Own: 1}
	if f.Primary {
		design.Level, design.Own = significance/float64(primary), significance
	}
	detectable := test.SD * design.Detectable(test.N, power)
	f.Detectable = &detectable
	if f.Worth != nil {
		if n, enough := design.BlocksNeeded(*f.Worth/test.SD, power); enough {
			f.SeedsNeeded = max(n, fewestBlocks)
		}
	}
}

// decide gives the verdict of a claim of two blocks at least, with the test of its own rows: where rows differ in variance, the pooled test
// of some of them errs too often.
func (f *Finding) decide(lower bool, own evidence.Test) {
	inDirection := (*f.Difference < 0) == lower
	switch {
	case f.Seeds < fewestBlocks:
		f.Verdict = Exploratory
	case f.P == nil:
		f.Verdict, f.Reason = Undecided, NoSpread
	case !f.Primary:
		f.Verdict, f.Reason = Secondary, Open
		if *f.P < significance && inDirection {
			f.Reason = For
		} else if *f.P < significance {
			f.Reason = Against
		}
	case *f.Holm < significance && !(own.P < significance):
		f.Verdict, f.Reason = Undecided, ByPooling
	case *f.Holm < significance && inDirection:
		f.Verdict = Supported
	case *f.Holm < significance:
		f.Verdict = Contradicted
	case f.Equivalence != nil && *f.Equivalence < significance && own.Equivalence(*f.Worth) < significance:
		f.Verdict = Equivalent
	default:
		f.Verdict = Undecided
	}
}
