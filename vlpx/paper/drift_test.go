package paper

import (
	"math"
	"slices"
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
		{Name: "one", Runs: []string{"r1", "r2", "r3"}, Values: map[string][]*float64{"IR@1": v(40, 42, 44), "TR@1": v(50, none, 52)},
			Metrics: map[string][3]float64{"IR@1": {42, 2, 3}, "TR@1": {51, 1.4142, 2}}},
		{Name: "alone", Runs: []string{"s1"}, Values: map[string][]*float64{"IR@1": v(40)},
			Metrics: map[string][3]float64{"IR@1": {40, 0, 1}}},
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
		{Drift{"one", "TR@1", 3, 52, 53, 1.4142}, false},
		{Drift{"one", "IR@1", 3, 44, 54.1, 2}, true},
		{Drift{"alone", "IR@1", 1, 40, 40.01, 0}, true},
	}
	got := Drifts(shipped, fresh)
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %d of them", got, len(want))
	}
	for _, w := range want {
		at := slices.IndexFunc(got, func(d Drift) bool { return d == w.Drift })
		if at < 0 || got[at].TooFar() != w.far {
			t.Errorf("got %+v, want %+v among them, too far off %v", got, w.Drift, w.far)
		}
	}
	if got := Drifts(shipped[:1], fresh); len(got) != 0 {
		t.Errorf("got %+v of what is not shipped, want nothing", got)
	}
}
