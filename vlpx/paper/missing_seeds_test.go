package paper_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// someSeeds is a report of three finished seeds of two rows, of which one seed lacks IR@1 of GRIT-VLP.
func someSeeds(t *testing.T) *paper.Report {
	t.Helper()
	store := run.OpenStore(t.TempDir())
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Without: papertest.RowsAlone})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}, "IR@1": {5, 6, 7}})
	for k, r := range p.Rows[papertest.RowNumber(t, p, "GRIT-VLP")] {
		metrics := map[string]float64{"TR@1": float64(11 * (k + 1)), "IR@1": float64(k + 6)}
		if k == 1 {
			delete(metrics, "IR@1")
		}
		papertest.Put(t, store, r, run.Result{ID: r.ID(), Method: "GRIT-VLP", Seed: r.Train.Seed, Metrics: metrics, Engine: "go",
			Commit: "c0ffee"})
	}
	return papertest.Report(t, p, store)
}

func TestAMetricThatSomeSeedsLack(t *testing.T) {
	r := someSeeds(t)
	row := papertest.Row(r, "GRIT-VLP")
	if s := row.Metrics["IR@1"]; s.N != 2 || s.Of != 3 || *s.Mean != 7 {
		t.Errorf("got %v of %d of %d seeds, want 7 of 2 of 3", *s.Mean, s.N, s.Of)
	}
	if s := row.Metrics["TR@1"]; s.N != 3 || s.Of != 0 {
		t.Errorf("got %d of %d seeds of a metric that all have, want 3 and nothing further", s.N, s.Of)
	}
	text, err := json.Marshal(row.Metrics)
	if err != nil || !strings.Contains(string(text), `"n":2,"of":3`) || strings.Count(string(text), `"of":`) != 1 {
		t.Errorf("got %s (%v), want the one metric of two seeds with of 3", text, err)
	}
	table := must.Get(r.Table())(t)
	if told := textOf(t, table); strings.Count(told, "±1.4 (n=2)") != 1 ||
		!strings.Contains(strings.Join(strings.Fields(told), " "), "(n=1) is of how many") {
		t.Errorf("the table does not say of how many seeds the mean is:\n%s", told)
	}
	figure := must.Get(r.Figure())(t)
	const want = "Means over some of the seeds, since the others lack the number: GRIT-VLP in Image Retrieval: R@1 (2 of 3)."
	if note := figure.(plots.Figure).Note; !strings.Contains(note, want) {
		t.Errorf("the figure's note is %q", note)
	}
}

// The paper's numbers of a task that was left out are not shown beside what has run.
func TestNoColumnsOfATaskLeftOut(t *testing.T) {
	groups := func(r *paper.Report) (all []string) {
		for _, c := range r.Shown() {
			if !slices.Contains(all, c.Group) {
				all = append(all, c.Group)
			}
		}
		return all
	}
	if got := groups(someSeeds(t)); slices.Contains(got, "NLVR2") || slices.Contains(got, "VQA") || got[0] != "Text Retrieval" {
		t.Errorf("without NLVR2 and VQA the columns are of %q", got)
	}
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Without: []string{"VQA"}, Methods: []string{"ALBEF"}})
	store := run.OpenStore(t.TempDir())
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}})
	if got := groups(papertest.Report(t, p, store)); !slices.Contains(got, "NLVR2") || slices.Contains(got, "VQA") {
		t.Errorf("without VQA, where NLVR2 has not run yet, the columns are of %q", got)
	}
}

// A claim about what a finished seed lacks has no verdict, says why, and does not make the others' correction sharper.
func TestNoClaimOfSomeSeeds(t *testing.T) {
	r := someSeeds(t)
	tested := 0
	for _, f := range r.Claims {
		if f.P != nil {
			tested++
		}
		if f.Text == "GRIT-VLP above ALBEF in Image Retrieval R@1" &&
			(f.Verdict != paper.Untested || f.Reason != paper.SomeSeeds || f.P != nil || f.Difference != nil || f.Interval != nil) {
			t.Errorf("got %+v of two of three seeds, want no test, and why", f)
		}
		if f.Text == "GRIT-VLP above ALBEF in Text Retrieval R@1" && (f.Seeds != 3 || f.P == nil) {
			t.Errorf("got %+v, want a test of three seeds, alone", f)
		}
	}
	if tested != 1 {
		t.Errorf("%d claims are tested, want the one whose numbers are all there", tested)
	}
}
