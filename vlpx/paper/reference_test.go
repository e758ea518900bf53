package paper

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/run"
)

// What is shipped is of artifacts that there are, each once, and its rows are of runs that were made: identities, and measures that can be.
func TestShippedReferences(t *testing.T) {
	all, err := References()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(all, func(r Reference) bool { return r.Artifact == "falcon/table1" && len(r.Rows) > 0 }) {
		t.Errorf("none of the %d references is of falcon/table1", len(all))
	}
	for i, r := range all {
		a, err := Find(r.Artifact)
		if err != nil {
			t.Error(err)
			continue
		}
		if slices.ContainsFunc(all[:i], func(x Reference) bool { return x.Artifact == r.Artifact && x.Scale == r.Scale && x.Data == r.Data }) {
			t.Errorf("%s at %s on %s is there twice", r.Artifact, r.Scale, r.Data)
		}
		for _, wrong := range unfit(r, a) {
			t.Errorf("%s: %s", r.Artifact, wrong)
		}
	}
}

var identity = regexp.MustCompile("^[0-9a-f]{16}$")

// unfit tells what is wrong with a reference of an artifact.
func unfit(r Reference, a Artifact) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !slices.Contains(ScaleNames(), r.Scale) || r.Data == "" || r.DataHash == "" || r.Engine == "" || r.Commit == "" || r.Date.IsZero() || r.Seconds <= 0 {
		say("scale %q, data %q %q, engine %q, commit %q, date %v, %v seconds: something is missing", r.Scale, r.Data, r.DataHash, r.Engine, r.Commit, r.Date, r.Seconds)
	}
	if len(r.Rows) == 0 {
		say("no rows")
	}
	columns := map[string]Column{}
	for _, c := range a.Columns {
		columns[c.Key()] = c
	}
	for k, row := range r.Rows {
		if !slices.ContainsFunc(a.Rows, func(x Row) bool { return x.Name == row.Name }) {
			say("row %q is not in the artifact", row.Name)
		}
		if slices.ContainsFunc(r.Rows[:k], func(x ReferenceRow) bool { return x.Name == row.Name }) {
			say("row %q is there twice", row.Name)
		}
		if len(row.Runs) == 0 || len(row.Metrics) == 0 || len(row.seeds()) != len(row.Runs) {
			say("%s: %d runs of %d seeds with %d metrics", row.Name, len(row.Runs), len(row.seeds()), len(row.Metrics))
		}
		for n, id := range row.Runs {
			if !identity.MatchString(id) || slices.Contains(row.Runs[:n], id) {
				say("%s: run %q is no identity, or is there twice", row.Name, id)
			}
		}
		for key, m := range row.Metrics {
			c, known := columns[key]
			mean, std, n := m[0], m[1], int(m[2])
			if !known || math.IsNaN(mean) || math.IsNaN(std) || std < 0 || n < 1 || n > len(row.Runs) || n == 1 && std != 0 ||
				c.Unit == "%" && (mean < 0 || mean > 100) {
				say("%s: %q is %v, which cannot be of a column of %d runs", row.Name, key, m, len(row.Runs))
			}
			if ends, ok := row.Intervals[key]; ok && (ends[0] > mean || ends[1] < mean) {
				say("%s: %q is %v, outside of its interval %v", row.Name, key, mean, ends)
			}
		}
		for key := range row.Intervals {
			if _, ok := row.Metrics[key]; !ok {
				say("%s: an interval of %q, which has no mean", row.Name, key)
			}
		}
	}
	return wrong
}

// What TestShippedReferences would not let pass.
func TestUnfitReferences(t *testing.T) {
	a, err := Find("falcon/table1")
	if err != nil {
		t.Fatal(err)
	}
	const id = "0123456789abcdef"
	good := func() Reference {
		return Reference{Artifact: a.ID, Scale: "mini", Data: "scenes", DataHash: "1", Engine: "go", Commit: "c0ffee", Date: noon, Seconds: 1, Rows: []ReferenceRow{
			{Name: "ALBEF", Runs: []string{id}, Metrics: map[string][3]float64{"TR@1": {10, 0, 1}}},
		}}
	}
	if wrong := unfit(good(), a); wrong != nil {
		t.Errorf("got %q of a good one", wrong)
	}
	for name, spoil := range map[string]func(*Reference){
		"no rows":             func(r *Reference) { r.Rows = nil },
		"something is":        func(r *Reference) { r.Commit = "" },
		"not in the artifact": func(r *Reference) { r.Rows[0].Name = "ALBERT" },
		"is there twice":      func(r *Reference) { r.Rows = append(r.Rows, r.Rows[0]) },
		"0 runs":              func(r *Reference) { r.Rows[0].Runs = nil },
		"of 2 seeds":          func(r *Reference) { r.Rows[0].Seeds = []uint64{4, 5} },
		"no identity":         func(r *Reference) { r.Rows[0].Runs[0] = "run 1" },
		"with 0 metrics":      func(r *Reference) { r.Rows[0].Metrics = nil },
		`"loss" is`:           func(r *Reference) { r.Rows[0].Metrics["loss"] = [3]float64{1, 0, 1} },
		`"TR@1" is [101`:      func(r *Reference) { r.Rows[0].Metrics["TR@1"] = [3]float64{101, 0, 1} },
		`"TR@1" is [10 1 1]`:  func(r *Reference) { r.Rows[0].Metrics["TR@1"] = [3]float64{10, 1, 1} },
		`"TR@1" is [10 1 2]`:  func(r *Reference) { r.Rows[0].Metrics["TR@1"] = [3]float64{10, 1, 2} },
		"outside of its":      func(r *Reference) { r.Rows[0].Intervals = map[string][2]float64{"TR@1": {11, 12}} },
		"which has no mean":   func(r *Reference) { r.Rows[0].Intervals = map[string][2]float64{"IR@1": {11, 12}} },
	} {
		r := good()
		spoil(&r)
		if wrong := strings.Join(unfit(r, a), "; "); !strings.Contains(wrong, name) {
			t.Errorf("got %q, want %q in it", wrong, name)
		}
	}
}

// A run with another seed is what a plan makes of that seed, whatever runs it needs first.
func TestSeeded(t *testing.T) {
	needing := 0
	for _, a := range All() {
		if a.Status() == NotYet {
			continue
		}
		p, err := NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{3, 8}, Set: []string{"warmstart=1"}})
		if err != nil {
			t.Fatal(err)
		}
		for i, runs := range p.Rows {
			if len(runs) == 0 {
				continue
			}
			if len(runs[0].Needs()) > 0 {
				needing++
			}
			got, err := p.seeded(i, 8)
			if err != nil {
				t.Fatal(err)
			}
			if want := runs[1].ID(); got.ID() != want {
				t.Errorf("%s, %s: got %s for seed 8, want %s", a.ID, a.Rows[i].Name, got.ID(), want)
			}
		}
	}
	if needing == 0 {
		t.Error("no run needs another")
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
	unfinished, store := halfDone(t)
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
	gap := unfinished.Rows[0].Results
	if got := leading(append(slices.Clone(gap[:1]), gap[2]), unfinished.Plan.Rows[0]); len(got) != 1 {
		t.Errorf("with the second seed missing: got %d leading results, want 1", len(got))
	}
	nothing := report(t, plan(t, "falcon/table1", Request{}), run.OpenStore(t.TempDir()))
	costs := plan(t, "mafa/table12", Request{Methods: []string{"ALBEF"}})
	finish(t, store, costs, "ALBEF", map[string][]float64{"TR@1": {1, 2, 3}})
	if _, err := NewReference(report(t, costs, store)); err == nil || !strings.Contains(err.Error(), "no measure") {
		t.Errorf("got %v of an artifact whose columns no run has by itself, want an error", err)
	}
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
		{"another seed", Request{Seeds: []uint64{7}}, "0 of 1 seeds"},
		{"another seed and configuration", Request{Seeds: []uint64{7}, Set: []string{"epochs=2"}}, "0 of 1 seeds, stale reference"},
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

// A reference of seeds that are not 1, 2 and so on says which; its commits and engines are those of its runs, and it has their intervals.
func TestReferenceOfOtherSeeds(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), plan(t, "falcon/table1", Request{Methods: []string{"ALBEF", "GRIT-VLP"}, Seeds: []uint64{4, 9}})
	for i := range 2 {
		for k, x := range p.Rows[i] {
			engine, commit := "go", "a"
			if i == 0 && k == 0 {
				engine, commit = "onnx:cpu", "b"
			}
			put(t, store, x, run.Result{ID: x.ID(), Seed: x.Train.Seed, Metrics: map[string]float64{"IR@1": 25}, Items: itemised(50),
				Finished: noon.Add(time.Duration(i) * time.Hour), Engine: engine, Commit: commit})
		}
	}
	reference, err := NewReference(report(t, p, store))
	if err != nil {
		t.Fatal(err)
	}
	one, other := reference.Rows[0], reference.Rows[1]
	if !slices.Equal(one.Seeds, []uint64{4, 9}) || one.Engine != "onnx:cpu, go" || one.Commit != "b, a" || other.Engine != "" || other.Commit != "" {
		t.Errorf("got %+v and %+v, want seeds 4 and 9, and the first of two engines and commits", one, other)
	}
	if ends := one.Intervals["IR@1"]; !(ends[0] > 17 && ends[0] < 21 && ends[1] > 29 && ends[1] < 33) {
		t.Errorf("got the interval %v, want about 25 ± 6", ends)
	}
	for _, c := range []struct {
		q      Request
		status string
	}{
		{Request{}, "0 of 3 seeds"}, {Request{Seeds: []uint64{9}}, "0 of 1 seeds"},
		{Request{Set: []string{"epochs=2"}}, "0 of 3 seeds, stale reference"},
	} {
		r := report(t, plan(t, "falcon/table1", c.q), run.OpenStore(t.TempDir()))
		r.reference = &reference
		table, err := r.Table()
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Rows[0].Status; got != c.status {
			t.Errorf("%+v: got status %q, want %q", c.q, got, c.status)
		}
		if got := table.Rows[0].Cells[3][2].Interval; got == nil || *got != one.Intervals["IR@1"] {
			t.Errorf("got the interval %v in the table, want the reference's", got)
		}
	}
	merged := Merge([]Reference{reference}, Reference{Artifact: reference.Artifact, Scale: "tiny", Data: "scenes", Engine: "xla", Commit: "new"})
	if row := merged[0].Rows[1]; row.Engine != "go" || row.Commit != "a" {
		t.Errorf("got %+v of a row that was kept, want its own engine and commit", row)
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
	seen := newer
	seen.Encoder, seen.Rows = "Images are seen by another.", newer.Rows[:1]
	if got := Merge(Merge(Merge(nil, one), two), seen)[0]; len(got.Rows) != 1 || got.Encoder != seen.Encoder {
		t.Errorf("behind another encoder: got %+v, want the new row alone", got)
	}
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
