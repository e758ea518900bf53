package paper

import (
	"math"
	"testing"
)

// Values are held against those of the same run, and lie too far off by the spread of the shipped seeds.
func TestDrifts(t *testing.T) {
	v := func(values ...float64) (all []*float64) {
		for _, x := range values {
			if math.IsNaN(x) {
				all = append(all, nil)
				continue
			}
			all = append(all, &x)
		}
		return all
	}
	none := math.NaN()
	shipped := []Reference{{Artifact: "other"}, {Artifact: "a", Rows: []ReferenceRow{
		{Name: "one", Runs: []string{"r1", "r2", "r3"}, Values: map[string][]*float64{"IR@1": v(40, 42, 44), "TR@1": v(50, none, 52)}},
		{Name: "alone", Runs: []string{"s1"}, Values: map[string][]*float64{"IR@1": v(40)}},
	}}}
	fresh := Reference{Artifact: "a", Rows: []ReferenceRow{
		{Name: "one", Runs: []string{"r2", "r3"}, Seeds: []uint64{2, 3}, Values: map[string][]*float64{"IR@1": v(42, 54.1), "TR@1": v(7, 53)}},
		{Name: "alone", Runs: []string{"s1", "new"}, Values: map[string][]*float64{"IR@1": v(40.01, 9), "unknown": v(1, 1)}},
		{Name: "not shipped", Runs: []string{"x"}, Values: map[string][]*float64{"IR@1": v(1)}},
	}}
	want := []struct {
		Drift
		far bool
	}{
		{Drift{"one", "IR@1", 2, 42, 42, 2}, false},
		{Drift{"one", "TR@1", 3, 52, 53, math.Sqrt2}, false},
		{Drift{"one", "IR@1", 3, 44, 54.1, 2}, true},
		{Drift{"alone", "IR@1", 1, 40, 40.01, none}, true},
	}
	got := Drifts(shipped, fresh)
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %d of them", got, len(want))
	}
	for _, w := range want {
		found := false
		for _, d := range got {
			same := d.Std == w.Std || math.Abs(d.Std-w.Std) < 1e-12 || math.IsNaN(d.Std) && math.IsNaN(w.Std)
			if d.Row == w.Row && d.Metric == w.Metric && d.Seed == w.Seed && d.Shipped == w.Shipped && d.Fresh == w.Fresh && same {
				found = true
				if d.TooFar() != w.far {
					t.Errorf("%+v: too far %v, want %v", d, d.TooFar(), w.far)
				}
			}
		}
		if !found {
			t.Errorf("%+v is not among %+v", w.Drift, got)
		}
	}
	if got := Drifts(shipped[:1], fresh); len(got) != 0 {
		t.Errorf("got %+v of what is not shipped, want nothing", got)
	}
}
