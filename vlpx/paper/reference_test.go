package paper_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// A run with another seed is what a plan makes of that seed, whatever runs it needs first.
func TestSeeded(t *testing.T) {
	needing := 0
	for _, a := range catalogue.List() {
		if a.Status() == paper.NotYet {
			continue
		}
		p := must.Get(paper.NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{3, 8}, Set: []string{"warmstart=1"}}))(t)
		for i, runs := range p.Rows {
			if len(runs) == 0 {
				continue
			}
			if len(runs[0].Needs()) > 0 {
				needing++
			}
			got := must.Get(p.Seeded(i, 8))(t)
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
func fresh(t *testing.T) (paper.Reference, *paper.Report) {
	t.Helper()
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Methods: []string{"ALBEF"}})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30.00004}})
	r := papertest.Report(t, p, store)
	reference := must.Get(paper.NewReference(r))(t)
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
	partial := must.Get(paper.NewReference(unfinished))(t)
	var rows []string
	for _, row := range partial.Rows {
		rows = append(rows, fmt.Sprint(row.Name, " ", len(row.Runs), " ", row.Metrics["TR@1"][0]))
	}
	if want := []string{"ALBEF 3 20", "GRIT-VLP 3 22", "Hard quantile 2 45"}; !slices.Equal(rows, want) {
		t.Errorf("got rows %q, want %q", rows, want)
	}
	gap := unfinished.Rows[0].Results
	if got := paper.Leading(append(slices.Clone(gap[:1]), gap[2]), unfinished.Plan.Rows[0]); len(got) != 1 {
		t.Errorf("with the second seed missing: got %d leading results, want 1", len(got))
	}
	nothing := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{}), run.OpenStore(t.TempDir()))
	costs := papertest.Plan(t, catalogue.List(), "mafa/table12", plan.Request{Methods: []string{"ALBEF"}})
	papertest.Finish(t, store, costs, "ALBEF", map[string][]float64{"TR@1": {1, 2, 3}})
	must.Fail(t, must.Err(paper.NewReference(papertest.Report(t, costs, store))), "no measure", "an artifact whose columns no run has "+
		"by itself, want an error")
	must.Fail(t, must.Err(paper.NewReference(nothing)), "no finished run")

	store, p := run.OpenStore(t.TempDir()),
		papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Methods: []string{"ALBEF"}, Seeds: []uint64{1}})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10}})
	single, err := paper.NewReference(papertest.Report(t, p, store))
	if got, want := single.Rows[0].Metrics["TR@1"], [3]float64{10, 0, 1}; err != nil || got != want {
		t.Errorf("one seed: got %v, error %v; want %v", got, err, want)
	}
}

// A reference is shown beside the user's own results; one from another configuration is not.
func TestReferenceInTable(t *testing.T) {
	reference, _ := fresh(t)
	for _, c := range []struct {
		name    string
		request plan.Request
		status  string
	}{
		{"the same configuration", plan.Request{}, "3 shipped seeds"},
		{"two rows", plan.Request{Methods: []string{"GRIT-VLP", "ALBEF"}}, "3 shipped seeds"},
		{"further seeds", plan.Request{Seeds: []uint64{1, 2, 3, 4}}, "3 shipped seeds"},
		{"another configuration", plan.Request{Set: []string{"epochs=2"}}, "0 of 3 seeds"},
		{"another seed", plan.Request{Seeds: []uint64{7}}, "3 shipped seeds"},
		{"another seed and configuration", plan.Request{Seeds: []uint64{7}, Set: []string{"epochs=2"}}, "0 of 1 seeds"},
	} {
		r := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/table1", c.request), run.OpenStore(t.TempDir()))
		r.SetReference(&reference)
		table := must.Get(r.Table())(t)
		if got := table.Rows[0].Status; got != c.status {
			t.Errorf("%s: got status %q, want %q", c.name, got, c.status)
		}
		want := tables.Value{Mean: 20, Std: 10, N: 3, Of: 3}
		if c.request.Set != nil {
			want = tables.Value{}
		}
		if got := table.Rows[0].Cells[0][2]; got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
		if got := strings.Contains(table.Note, "other settings are not shown: ALBEF"); got != (c.request.Set != nil) {
			t.Errorf("%s: got the note %q", c.name, table.Note)
		}
		if got := table.Rows[1].Cells[0][2]; got != (tables.Value{}) {
			t.Errorf("%s: a row without reference: got %+v", c.name, got)
		}
	}
}

// A reference of seeds that are not 1, 2 and so on says which; its commits and engines are those of its runs, and it has their intervals.
func TestReferenceOfOtherSeeds(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()),
		papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Methods: []string{"ALBEF", "GRIT-VLP"}, Seeds: []uint64{4, 9}})
	for i := range 2 {
		for k, x := range p.Rows[i] {
			engine, commit := "go", "a"
			if i == 0 && k == 0 {
				engine, commit = "onnx:cpu", "b"
			}
			papertest.Put(t, store, x, run.Result{ID: x.ID(), Seed: x.Train.Seed, Metrics: map[string]float64{"IR@1": 25},
				Examples: eval.QueryItems.Examples(itemised(50)),
				Finished: papertest.Noon.Add(time.Duration(i) * time.Hour), Engine: engine, Commit: commit})
		}
	}
	reference := must.Get(paper.NewReference(papertest.Report(t, p, store)))(t)
	one, other := reference.Rows[0], reference.Rows[1]
	if !slices.Equal(one.Seeds, []uint64{4, 9}) || one.Engine != "onnx:cpu, go" || one.Commit != "b, a" || other.Engine != "" ||
		other.Commit != "" {
		t.Errorf("got %+v and %+v, want seeds 4 and 9, and the first of two engines and commits", one, other)
	}
	if ends := one.Intervals["IR@1"]; !(ends[0] > 17 && ends[0] < 21 && ends[1] > 29 && ends[1] < 33) {
		t.Errorf("got the interval %v, want about 25 ± 6", ends)
	}
	for _, c := range []struct {
		q      plan.Request
		status string
	}{
		{plan.Request{}, "2 shipped seeds"}, {plan.Request{Seeds: []uint64{9}}, "2 shipped seeds"},
	} {
		r := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/table1", c.q), run.OpenStore(t.TempDir()))
		r.SetReference(&reference)
		table := must.Get(r.Table())(t)
		if got := table.Rows[0].Status; got != c.status {
			t.Errorf("%+v: got status %q, want %q", c.q, got, c.status)
		}
		if got := table.Rows[0].Cells[3][2].Interval; got == nil || *got != one.Intervals["IR@1"] {
			t.Errorf("got the interval %v in the table, want the reference's", got)
		}
	}
	merged := paper.Merge([]paper.Reference{reference}, paper.Reference{Artifact: reference.Artifact, Scale: "tiny", Data: "scenes",
		Engine: "xla", Commit: "new"})
	if row := merged[0].Rows[1]; row.Engine != "go" || row.Commit != "a" {
		t.Errorf("got %+v of a row that was kept, want its own engine and commit", row)
	}
}

func TestMerge(t *testing.T) {
	rows := func(runs string, names ...string) (all []paper.ReferenceRow) {
		for _, name := range names {
			all = append(all, paper.ReferenceRow{Name: name, Runs: []string{runs}})
		}
		return all
	}
	one := paper.Reference{Artifact: "a", Scale: "mini", Data: "scenes", Commit: "old", Rows: rows("1", "ALBEF", "FALCON")}
	two := paper.Reference{Artifact: "a", Scale: "tiny", Data: "scenes"}
	newer := paper.Reference{Artifact: "a", Scale: "mini", Data: "scenes", Commit: "new", Rows: rows("2", "FALCON", "MAFA")}
	got := paper.Merge(paper.Merge(paper.Merge(nil, one), two), newer)
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
	more := paper.Reference{Artifact: "a", Scale: "mini", Data: "scenes",
		Rows: []paper.ReferenceRow{{Name: "MAFA", Runs: []string{"2", "3"}}}}
	fewer := paper.Reference{Artifact: "a", Scale: "mini", Data: "scenes", Rows: rows("2", "MAFA")}
	seen := newer
	seen.Encoder, seen.Rows = "Images are seen by another.", newer.Rows[:1]
	if got := paper.Merge(paper.Merge(paper.Merge(nil, one), two), seen)[0]; len(got.Rows) != 1 || got.Encoder != seen.Encoder {
		t.Errorf("behind another encoder: got %+v, want the new row alone", got)
	}
	if got := paper.Merge(paper.Merge(nil, more), fewer)[0].Rows; len(got) != 1 || len(got[0].Runs) != 2 {
		t.Errorf("got %+v, want the row with more of the same runs", got)
	}
}

// Results of another framework are others, which stand beside the first.
func TestMergeOfAnotherFramework(t *testing.T) {
	albef, _ := fresh(t)
	clip := albef
	clip.Framework = "CLIP"
	all := paper.Merge([]paper.Reference{albef}, clip)
	text := must.Get(json.Marshal(all))(t)
	if read, err := paper.ParseReferences(text); err != nil || len(read) != 2 || read[0].Framework != "" || read[1].Framework != "CLIP" {
		t.Errorf("got %+v (%v), want those of both frameworks", read, err)
	}
}

// What verdicts are made of is shipped: a claim is tested on shipped seeds as it was on the store's own, and seeds.csv has them.
func TestVerdictOfShippedSeeds(t *testing.T) {
	q := plan.Request{Seeds: []uint64{1, 2, 3, 4, 5}, Without: papertest.RowsAlone}
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "falcon/table1", q)
	papertest.Finish(t, store, p, "FALCON", map[string][]float64{"IR@1": {44, 45, 46, 44.5, 45.5}})
	papertest.Finish(t, store, p, "GRIT-VLP", map[string][]float64{"IR@1": {40, 41.1, 42, 40.4, 41.6}})
	papertest.Finish(t, store, p, "MAFA", map[string][]float64{"IR@1": {43, 44, 45.2, 43.5, 44.4}})
	made := papertest.Report(t, p, store)
	text := must.Get(json.Marshal([]paper.Reference{must.Get(paper.NewReference(made))(t)}))(t)
	references := must.Get(paper.ParseReferences(text))(t)
	if v := references[0].Rows[0].Values["IR@1"]; references[0].Rows[0].Name != "GRIT-VLP" || len(v) != 5 || *v[1] != 41.1 {
		t.Fatalf("got the values %v", v)
	}
	newcomer := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Without: papertest.RowsAlone}),
		run.OpenStore(t.TempDir()))
	newcomer.SetReference(&references[0])
	newcomer.Judge()
	const claim = "FALCON above GRIT-VLP in Image Retrieval R@1"
	want, got := papertest.Finding(made, claim), papertest.Finding(newcomer, claim)
	if want.Verdict != paper.Supported || got.Verdict != want.Verdict || *got.P != *want.P || *got.Holm != *want.Holm ||
		got.Pooled != 3 || got.SeedsNote() != "5 shipped" {
		t.Errorf("got %+v of shipped seeds, want %+v", got, want)
	}
	if judged := references[0].Claims; len(judged) != len(slices.DeleteFunc(slices.Clone(made.Claims),
		func(f paper.Finding) bool { return f.Difference == nil })) {
		t.Errorf("%d claims are shipped", len(judged))
	}
	var csv strings.Builder
	must.Do(t, newcomer.SeedsCSV(&csv))
	if lines := csv.String(); !strings.Contains(lines, "GRIT-VLP,2,IR@1,41.1,tiny,scenes,") || !strings.Contains(lines, ",reference\n") {
		t.Errorf("seeds.csv has\n%s", lines)
	}

	// An older reference has means alone: the interval is wider, as blocks are not known.
	for i := range references[0].Rows {
		references[0].Rows[i].Values = nil
	}
	newcomer.SetReference(&references[0])
	newcomer.Judge()
	if old := papertest.Finding(newcomer, claim); old.Paired != nil || math.Abs(*old.Difference-*want.Difference) > 1e-9 ||
		old.Blocks[0] >= want.Blocks[0] || old.Blocks[1] <= want.Blocks[1] {
		t.Errorf("got %+v of means alone, want a wider interval than %v", old, *want.Blocks)
	}
}

// A row without a current reference of its own has that of another artifact's row of the same runs.
func TestShippedByAnotherArtifact(t *testing.T) {
	reference, _ := fresh(t)
	r := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/D.2", plan.Request{}), run.OpenStore(t.TempDir()))
	r.SetReference(&reference)
	table := papertest.Table(t, r)
	if got := table.Rows[0]; got.Status != "3 shipped seeds" || got.Cells[0][2].Mean != 20 ||
		!strings.Contains(table.Note, "whose runs these are: ALBEF (falcon/table1)") {
		t.Errorf("got %+v, %s", got, table.Note)
	}
	for id, want := range map[string]string{
		"vlpx/tagged":    "Nothing is shipped of this. vlpx reproduce vlpx/tagged -scale tiny",
		"falcon/figure4": "docs/GALLERY.md has this of one world. vlpx reproduce falcon/figure4 -scale tiny",
	} {
		of := papertest.Report(t, papertest.Plan(t, catalogue.List(), id, plan.Request{}), run.OpenStore(t.TempDir()))
		if note := papertest.Table(t, of).Note; !strings.Contains(note, want) {
			t.Errorf("got the note %q, want a command and its cost", note)
		}
	}
}

// What several artifacts have shipped of the same runs is one row, with columns that are means of what is shipped; of means of seeds alone,
// or of other runs, there are none.
func TestShippedBySeveralArtifacts(t *testing.T) {
	one, _ := fresh(t)
	v := func(values ...float64) (each []*float64) {
		for _, x := range values {
			each = append(each, &x)
		}
		return each
	}
	other, fewer := one, one
	row := paper.ReferenceRow{Name: "ALBEF", Runs: one.Rows[0].Runs, Metrics: map[string][3]float64{"IR@1": {5, 1, 3}, "TR mAP": {1, 0, 3}},
		Values: map[string][]*float64{"IR@1": v(4, 5, 6)}}
	other.Artifact, other.Rows = "vlpx/leftout", []paper.ReferenceRow{row}
	row.Runs, row.Values, row.Metrics = row.Runs[:1], map[string][]*float64{"IR mAP": v(7)}, map[string][3]float64{"IR mAP": {7, 0, 1}}
	fewer.Artifact, fewer.Rows = "vlpx/map", []paper.ReferenceRow{row}
	r := papertest.Report(t, papertest.Plan(t, catalogue.List(), "vlpx/agreement", plan.Request{}), run.OpenStore(t.TempDir()))
	r.SetReferences(one, other, fewer)
	at := slices.IndexFunc(r.Rows, func(row paper.RowReport) bool { return row.Name == "ALBEF" })
	shipped := r.Rows[at].Shipped
	if len(shipped) != 3 || shipped[0].Metrics["own R@1"] != 7 || shipped[2].Metrics["own R@1"] != 18 || shipped[0].Metrics["IR@1"] != 4 {
		t.Errorf("got %+v, want means of TR@1 and IR@1", shipped)
	}
	if _, ok := shipped[0].Metrics["mAP, all true"]; ok {
		t.Errorf("got %+v, want no mean of TR mAP, which has no values, and IR mAP, which is of fewer runs", shipped[0])
	}
	table := papertest.Table(t, r)
	if got, want := table.Rows[at].Cells[0][2], (tables.Value{Mean: 12.5, Std: 5.5, N: 3, Of: 3}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A view takes what is shipped of its rows, in their order.
func TestShippedInAView(t *testing.T) {
	reference, _ := fresh(t)
	r := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{}), run.OpenStore(t.TempDir()))
	r.SetReference(&reference)
	viewed := must.Get(r.Viewed(paper.View{Rows: []string{"FALCON", "ALBEF"}, Metrics: []string{"TR@1"}}))(t)
	rows := papertest.Table(t, viewed).Rows
	if rows[0].Status != "0 of 3 seeds" || rows[1].Status != "3 shipped seeds" || rows[1].Cells[0][2].Mean != 20 {
		t.Errorf("got %+v", rows)
	}
}
