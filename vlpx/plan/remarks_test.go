package plan_test

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/plan"
)

// A cosine that is set shorter than training is told of.
func TestSwings(t *testing.T) {
	a := plan.Experiment{ID: "test/swings", Rows: []plan.Row{plan.MethodRow("InfoNCE"), plan.MethodRow("GRIT-VLP")}}
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, ""},
		{[]string{"epochs=40"}, ""},
		{[]string{"epochs=40", "schedule.epochs=60"}, ""},
		{[]string{"epochs=40", "schedule.epochs=3"}, "of InfoNCE is at its least after 3 of 40 epochs"},
		{[]string{"warmstart=4", "schedule.epochs=5"}, "after 5 of 7 epochs"},
		// which stays at its least
		{[]string{"epochs=40", "schedule.epochs=3", "schedule.smooth=true", "schedule.linear=true", "schedule.units=0"}, ""},
	} {
		p := must.Get(plan.New(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: c.set}))(t)
		if got := strings.Join(p.Swings(), " "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: got %q, want %q", c.set, got, c.want)
		}
	}
}
