package paper_test

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// A comparison claims fewer false negatives in the mini-batch where the two draw it in different ways, and not where they share that.
func TestClaimsOfWhatRowsShare(t *testing.T) {
	for _, v := range []struct {
		first, other string
		claimed      bool
	}{
		{"InfoNCE", "GRIT-VLP", true}, {"InfoNCE", "DiHT", false}, {"ALBEF", "SRCL", false}, {"GRIT-VLP", "MAFA", false},
		{"GRIT-VLP", "FALCON", true},
		{"InfoNCE", "InfoNCE, temperature=.2", false}, {"GRIT-VLP", "GRIT-VLP, searchspace=16", true},
		{"InfoNCE", "InfoNCE, batchsize=4", true},
		{"InfoNCE", "InfoNCE, scenes.density=half", true},
	} {
		p := comparedPlan(t, plan.Request{Seeds: []uint64{1}}, v.first, v.other)
		claimed := false
		for _, c := range p.Artifact.Claims {
			claimed = claimed || c.In.Metric == train.FalseInBatch
		}
		if claimed != v.claimed || len(p.Artifact.Claims) < 4 {
			t.Errorf("%s against %s: claimed %v of false negatives in batch, want %v, among %d claims", v.other, v.first, claimed,
				v.claimed, len(p.Artifact.Claims))
		}
	}
}

// What no run can have once all are finished is not claimed, such as retrieval of a framework that reads no captions.
func TestClaimsOfWhatNobodyMeasures(t *testing.T) {
	p := comparedPlan(t, plan.Request{Seeds: []uint64{1, 2, 3}}, "InfoNCE", "GRIT-VLP")
	store := run.OpenStore(t.TempDir())
	papertest.Finish(t, store, p, "InfoNCE", map[string][]float64{train.FalseInBatch: {1, 2, 3}})
	if r := papertest.Report(t, p, store); len(r.Claims) != 5 {
		t.Errorf("got %d claims while runs are missing, want all five", len(r.Claims))
	}
	papertest.Finish(t, store, p, "GRIT-VLP", map[string][]float64{train.FalseInBatch: {2, 3.1, 4}})
	r := papertest.Report(t, p, store)
	if len(r.Claims) != 1 || r.Claims[0].Verdict != paper.Exploratory || !strings.Contains(r.Claims[0].Text, "in batch") {
		t.Errorf("got claims %+v, want the one of what was measured", r.Claims)
	}
}

// No row wins by its hardest negatives, nor where claims of papers tell their order.
func TestTheHardestHaveNoWinner(t *testing.T) {
	p := comparedPlan(t, plan.Request{Seeds: []uint64{1, 2, 3}}, "InfoNCE", "GRIT-VLP")
	store := run.OpenStore(t.TempDir())
	for k, name := range []string{"InfoNCE", "GRIT-VLP"} {
		papertest.Finish(t, store, p, name, map[string][]float64{train.FalseHardest: {float64(k), 2, 3},
			train.FalseInBatch: {float64(k), 2, 3}, "TR@1": {float64(k), 2, 3}})
	}
	found := 0
	for _, c := range papertest.Table(t, papertest.Report(t, p, store)).Columns {
		want, ok := map[string]tables.Best{"hardest": tables.Unranked, "in batch": tables.Lowest, "R@1": tables.Highest}[c.Name]
		if !ok {
			continue
		}
		if found++; c.Best != want {
			t.Errorf("%s %s: got the best %v, want %v", c.Group, c.Name, c.Best, want)
		}
	}
	if found != 4 {
		t.Errorf("got %d of the columns, want R@1 of both directions and two of false negatives", found)
	}
}
