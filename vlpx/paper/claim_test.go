package paper

import (
	"math"
	"testing"

	"vlpx.internal/vlpx/evidence"
)

var (
	high = Column{Group: "IR", Name: "R@1", Unit: "%"}
	low  = Column{Name: "rank", Lower: true}
)

// alone judges one claim, "A" against "B".
func alone(in Column, better, than []float64) Finding {
	return judge([]Claim{{Better: "A", Than: "B", In: in, Source: "Table 1"}}, func(Claim) (b, t []float64) { return better, than })[0]
}

func TestJudge(t *testing.T) {
	more, less := []float64{10.1, 10.3, 10}, []float64{1, 1.1, 0.9}
	for _, c := range []struct {
		name         string
		in           Column
		better, than []float64
		want         Verdict
		reason       Reason
		text         string
	}{
		{"more is better", high, more, less, Supported, "", "A above B in IR R@1"},
		{"more, against the claim", high, less, more, Contradicted, "", "A above B in IR R@1"},
		{"less is better", low, less, more, Supported, "", "A below B in rank"},
		{"less, against the claim", low, more, less, Contradicted, "", "A below B in rank"},
		{"noise", high, []float64{1, 5, 2}, []float64{3, 1, 4}, Undecided, TooFewSeeds, "A above B in IR R@1"},
		{"a steady nothing", high, []float64{1, 5.1, 2}, []float64{1.1, 5, 2}, Undecided, NoEffect, "A above B in IR R@1"},
		{"no difference at all", high, less, less, Undecided, NoEffect, "A above B in IR R@1"},
		{"always the same difference", high, []float64{5, 6, 7}, []float64{4, 5, 6}, Undecided, TooFewSeeds, "A above B in IR R@1"},
		{"two seeds, however small p", high, more[:2], less[:2], Undecided, TwoSeeds, "A above B in IR R@1"},
		{"two seeds that differ by the same", high, []float64{5, 6}, []float64{4, 5}, Undecided, TwoSeeds, "A above B in IR R@1"},
		{"two seeds against each other", high, []float64{5, 6}, []float64{6, 5}, Undecided, TwoSeeds, "A above B in IR R@1"},
		{"one seed", high, more[:1], less[:1], Untested, OneSeed, "A above B in IR R@1"},
		{"nothing", high, nil, nil, Untested, "", "A above B in IR R@1"},
	} {
		f := alone(c.in, c.better, c.than)
		if f.Verdict != c.want || f.Reason != c.reason || f.Text != c.text || f.Source != "Table 1" {
			t.Errorf("%s: got %+v, want %s (%s), %q", c.name, f, c.want, c.reason, c.text)
		}
		if tested := f.Difference != nil; tested != (c.want != Untested) {
			t.Errorf("%s: tested: got %v", c.name, tested)
		}
	}
}

// What the seeds could show is worked out from the spread of the differences: 1, 2 and 3 have a standard deviation of 1.
func TestWhatSeedsCouldShow(t *testing.T) {
	more2, less2 := []float64{10, 10.01}, []float64{1, 1}
	f := alone(high, []float64{11, 22, 33}, []float64{10, 20, 30})
	if got := evidence.Power(*f.Detectable, 2, 3, .05); math.Abs(got-.8) > 1e-6 {
		t.Errorf("the difference %v, of a spread of 1, has power %v, want .8", *f.Detectable, got)
	}
	if f.Verdict != Undecided || f.Reason != TooFewSeeds || f.Seeds != 3 || *f.Worth != 1 {
		t.Errorf("got %+v, want three seeds that are too few for a point", f)
	}
	// A mean of 2 spreads is shown by 5 seeds: Power(2, 4) is .75, Power(2, 5) is .92.
	if evidence.Power(2, 2, f.SeedsNeeded, .05) < .8 || evidence.Power(2, 2, f.SeedsNeeded-1, .05) >= .8 || f.SeedsNote() != "3 of 5" {
		t.Errorf("got %d seeds needed, told as %q; want the fewest, 5", f.SeedsNeeded, f.SeedsNote())
	}
	// Two seeds that would do by their spread are told to need a third.
	if f := alone(high, more2, less2); *f.Holm >= .05 || f.SeedsNote() != "2 of 3" || f.Conclusion() != "undecided: two seeds" {
		t.Errorf("got %q and %q at p %v, want two of three seeds and no decision below .05", f.SeedsNote(), f.Conclusion(), *f.Holm)
	}
	if f := alone(high, []float64{10.01, 9.99, 10.02, 9.981}, []float64{10, 10, 10, 10}); f.SeedsNote() != "4 of > 1000" ||
		f.Reason != NoEffect {
		t.Errorf("got %q (%s) of next to no difference, want more than a thousand seeds, and no effect", f.SeedsNote(), f.Reason)
	}
	// Where a column is not in per cent, a twentieth of the second row's mean is worth telling.
	ranks := func(spread float64) Finding {
		return alone(low, []float64{100 + spread, 100 - spread, 101}, []float64{100, 100, 100})
	}
	if f := ranks(.5); *f.Worth != 5 || f.Reason != NoEffect {
		t.Errorf("got %v worth telling and %q, want 5 and no effect", *f.Worth, f.Reason)
	}
	if f := ranks(5); f.Reason != TooFewSeeds {
		t.Errorf("got %q of a wide spread, want too few seeds", f.Reason)
	}
}

// Of claims that are tested together each has to be the surer. Differences of 1, 1.5 and 2 have t = 1.5 / (.5/sqrt 3) = 5.196, p = .0351:
// alone it decides; among two like it, or with a claim that shows nothing, it does not, but for the smallest p.
func TestClaimsAreCorrectedForTheirNumber(t *testing.T) {
	better, than := []float64{11, 21.5, 32}, []float64{10, 20, 30}
	if f := alone(high, better, than); f.Verdict != Supported || *f.P != *f.Holm || math.Abs(*f.P-.0351) > 1e-4 {
		t.Errorf("alone: got %s at p %v, corrected %v; want supported at .0351", f.Verdict, *f.P, *f.Holm)
	}
	noise := []float64{10, 22, 28}
	claims := []Claim{{Better: "A", In: high}, {Better: "untested", In: high}, {Better: "noise", In: high}}
	findings := judge(claims, func(c Claim) (b, o []float64) {
		switch c.Better {
		case "A":
			return better, than
		case "noise":
			return noise, than
		}
		return nil, nil
	})
	f := findings[0]
	if f.Verdict != Undecided || f.Reason != TooFewSeeds || math.Abs(*f.Holm-2**f.P) > 1e-12 {
		t.Errorf("with another claim: got %s (%s) at p %v, corrected %v; want undecided at twice p", f.Verdict, f.Reason, *f.P, *f.Holm)
	}
	if f.SeedsNeeded <= f.Seeds || evidence.Power(3, 2, f.SeedsNeeded, .025) < .8 || evidence.Power(3, 2, f.SeedsNeeded-1, .025) >= .8 {
		t.Errorf("with another claim: got %d seeds needed, want the fewest that show 3 spreads at .025", f.SeedsNeeded)
	}
	if n := findings[2]; *n.Holm != *n.P || findings[1].Holm != nil || findings[1].Verdict != Untested {
		t.Errorf("got %v of the largest p, %v, and %v of a claim that is not tested", *n.Holm, *n.P, findings[1].Holm)
	}
}
