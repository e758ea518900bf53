package paper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/run"
)

func TestShippedReferences(t *testing.T) {
	all, err := References()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		a, err := Find(r.Artifact)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Contains(ScaleNames(), r.Scale) || r.Data == "" || r.Engine == "" || r.Date.IsZero() || r.Seconds <= 0 {
			t.Errorf("%s: scale %q, data %q, engine %q, date %v, %v seconds: something is missing", r.Artifact, r.Scale, r.Data, r.Engine, r.Date, r.Seconds)
		}
		for _, row := range r.Rows {
			if !slices.ContainsFunc(a.Rows, func(x Row) bool { return x.Name == row.Name }) || len(row.Runs) == 0 {
				t.Errorf("%s: row %q is not in the artifact, or has no runs", r.Artifact, row.Name)
			}
		}
	}
}

// fresh makes a reference of ALBEF's three runs.
func fresh(t *testing.T) (Reference, *Report) {
	t.Helper()
	store, p := run.OpenStore(t.TempDir()), plan(t, "falcon/table1", Request{Methods: []string{"ALBEF"}})
	finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30.00004}})
	r := report(t, p, store)
	reference, err := NewReference(r)
	if err != nil {
		t.Fatal(err)
	}
	return reference, r
}

func TestNewReference(t *testing.T) {
	reference, _ := fresh(t)
	if len(reference.Rows) != 1 || reference.Rows[0].Name != "ALBEF" || len(reference.Rows[0].Runs) != 3 || reference.Seconds != 2 {
		t.Errorf("got %+v, want ALBEF's three runs of 2 seconds", reference)
	}
	if got, want := reference.Rows[0].Metrics["TR@1"], [3]float64{20, 10, 3}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	unfinished, _ := halfDone(t)
	partial, err := NewReference(unfinished)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range partial.Rows {
		rows = append(rows, fmt.Sprint(row.Name, " ", len(row.Runs), " ", row.Metrics["TR@1"][0]))
	}
	if want := []string{"ALBEF 3 20", "GRIT-VLP 3 22", "Hard quantile 2 45"}; !slices.Equal(rows, want) {
		t.Errorf("got rows %q, want %q", rows, want)
	}
	gap := unfinished.Rows[0].results
	if got := leading(append(slices.Clone(gap[:1]), gap[2]), unfinished.plan.Rows[0]); len(got) != 1 {
		t.Errorf("with the second seed missing: got %d leading results, want 1", len(got))
	}
	nothing := report(t, plan(t, "falcon/table1", Request{}), run.OpenStore(t.TempDir()))
	if _, err := NewReference(nothing); err == nil || !strings.Contains(err.Error(), "no finished run") {
		t.Errorf("got error %v, want one about the missing runs", err)
	}

	store, p := run.OpenStore(t.TempDir()), plan(t, "falcon/table1", Request{Methods: []string{"ALBEF"}, Seeds: []uint64{1}})
	finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10}})
	single, err := NewReference(report(t, p, store))
	if got, want := single.Rows[0].Metrics["TR@1"], [3]float64{10, 0, 1}; err != nil || got != want {
		t.Errorf("one seed: got %v, error %v; want %v", got, err, want)
	}
}

// A reference is shown beside the user's own results; one from another configuration is marked.
func TestReferenceInTable(t *testing.T) {
	reference, _ := fresh(t)
	for _, c := range []struct {
		name    string
		request Request
		status  string
	}{
		{"the same configuration", Request{}, "0 of 3 seeds"},
		{"two rows", Request{Methods: []string{"GRIT-VLP", "ALBEF"}}, "0 of 3 seeds"},
		{"further seeds", Request{Seeds: []uint64{1, 2, 3, 4}}, "0 of 4 seeds"},
		{"another configuration", Request{Set: []string{"epochs=2"}}, "0 of 3 seeds, stale reference"},
	} {
		r := report(t, plan(t, "falcon/table1", c.request), run.OpenStore(t.TempDir()))
		r.reference = &reference
		table, err := r.Table()
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Rows[0].Status; got != c.status {
			t.Errorf("%s: got status %q, want %q", c.name, got, c.status)
		}
		if got, want := table.Rows[0].Cells[0][2], (plots.Value{Mean: 20, Std: 10, N: 3}); got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
		if got := table.Rows[1].Cells[0][2]; got != (plots.Value{}) {
			t.Errorf("%s: a row without reference: got %+v", c.name, got)
		}
	}
}

func TestMerge(t *testing.T) {
	rows := func(runs string, names ...string) (all []ReferenceRow) {
		for _, name := range names {
			all = append(all, ReferenceRow{Name: name, Runs: []string{runs}})
		}
		return all
	}
	one := Reference{Artifact: "a", Scale: "mini", Data: "scenes", Commit: "old", Rows: rows("1", "ALBEF", "FALCON")}
	two := Reference{Artifact: "a", Scale: "tiny", Data: "scenes"}
	newer := Reference{Artifact: "a", Scale: "mini", Data: "scenes", Commit: "new", Rows: rows("2", "FALCON", "MAFA")}
	got := Merge(Merge(Merge(nil, one), two), newer)
	if len(got) != 2 || got[0].Commit != "new" || got[1].Scale != "tiny" {
		t.Fatalf("got %+v, want the newer one in its place and the other kept", got)
	}
	var merged []string
	for _, row := range got[0].Rows {
		merged = append(merged, row.Name+" "+row.Runs[0]+" "+row.Commit)
	}
	if want := []string{"FALCON 2 ", "MAFA 2 ", "ALBEF 1 old"}; !slices.Equal(merged, want) {
		t.Errorf("got rows %q, want %q", merged, want)
	}
	more := Reference{Artifact: "a", Scale: "mini", Data: "scenes", Rows: []ReferenceRow{{Name: "MAFA", Runs: []string{"2", "3"}}}}
	fewer := Reference{Artifact: "a", Scale: "mini", Data: "scenes", Rows: rows("2", "MAFA")}
	if got := Merge(Merge(nil, more), fewer)[0].Rows; len(got) != 1 || len(got[0].Runs) != 2 {
		t.Errorf("got %+v, want the row with more of the same runs", got)
	}
}

func TestRound(t *testing.T) {
	for x, want := range map[float64]float64{1.00005: 1.0001, -0.3: -0.3, -1.00006: -1.0001, 0: 0} {
		if got := round(x); got != want {
			t.Errorf("%v: got %v, want %v", x, got, want)
		}
	}
}
