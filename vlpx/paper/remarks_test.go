package paper

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
)

// A comparison of a run with itself is refused where settings say that it were another.
func TestSameRuns(t *testing.T) {
	compare := func(own []negative.Method, methods ...string) (*Planned, error) {
		var rows []plan.Row
		for _, text := range methods {
			row := must.Get(plan.Variant(text, own))(t)
			rows = append(rows, row)
		}
		a := must.Get(Compared(rows))(t)
		return NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}})
	}
	for _, c := range [][]string{
		{"GRIT-VLP", "GRIT-VLP, hard=.7", "same runs"},
		{"GRIT-VLP, searchspace=40", "GRIT-VLP", "same runs"},
		{"GRIT-VLP", "GRIT-VLP, contrast.weight=.2", "same runs"},
		{"GRIT-VLP, searchspace=80", "GRIT-VLP, batches.searchspace=80", "same runs"},
		{"Hard quantile, hard=.3", "Easy quantile, easy=.3", "same runs"},
	} {
		if _, err := compare(nil, c[:2]...); err == nil || !strings.Contains(err.Error(), "leave one of them out") ||
			!strings.Contains(err.Error(), c[2]) {
			t.Errorf("%v: got %v", c[:2], err)
		}
	}
	p := must.Get(compare([]negative.Method{{Name: "Mine"}}, "InfoNCE", "Mine"))(t)
	if n := len(p.Runs()); n != 1 {
		t.Errorf("%d runs, want the one", n)
	}
}
