package mafa

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Gains are paired by seed, of the seeds that all four rows have: (5-2)-(4-3) and (9-3)-(7-3), and so 2 on the average.
func TestGains(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "mafa/table5", plan.Request{})
	for name, values := range map[string][]float64{
		"GRIT + MAFA": {5, 9, 100}, "GRIT": {2, 3}, "Random + MAFA": {4, 7, 0}, "Random": {3, 3, 0},
	} {
		papertest.Finish(t, store, p, name, map[string][]float64{"IR@1": values})
	}
	got := papertest.Finding(papertest.Report(t, p, store), "GRIT + MAFA over GRIT above Random + MAFA over Random in Image Retrieval R@1")
	if got.Difference == nil || !papertest.Near(*got.Difference, 2) || got.Verdict != paper.Exploratory {
		t.Errorf("got %+v, want a difference of 2 and nothing decided", got)
	}
	some := papertest.Report(t, papertest.Plan(t, Artifacts(), "mafa/table5",
		plan.Request{Methods: []string{"GRIT + MAFA", "Random + MAFA", "GRIT"}}), store)
	for _, line := range some.ClaimsTable().Rows {
		if strings.Contains(line.Name, "Random over") || strings.Contains(line.Name, "over Random") {
			t.Errorf("%s is shown, though a row of it was not asked for", line.Name)
		}
	}
}
