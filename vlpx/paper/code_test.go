package paper_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// recode lets a finished run be of a code.
func recode(t *testing.T, store *run.Store, r run.Run, code string) {
	t.Helper()
	result := must.Get(store.Result(r))(t)
	result.Code = code
	papertest.Put(t, store, r, result)
}

// Rows with runs of other code are marked in the table, and so are those that go on from such a run; results of today's code, and of
// versions that do not tell, are not.
func TestOtherCodeIsMarked(t *testing.T) {
	r, store := halfDone(t)
	const mark = "Of other code:"
	table, err := r.Table()
	if err != nil || strings.Contains(table.Note, mark) {
		t.Errorf("of no code that is told: got the note %q (%v)", table.Note, err)
	}
	runs := func(name string) []run.Run {
		return r.Plan.Rows[slices.IndexFunc(r.Plan.Artifact.Rows, func(row plan.Row) bool { return row.Name == name })]
	}
	for _, name := range []string{"ALBEF", "GRIT-VLP", "Hard quantile"} {
		for k, x := range runs(name) {
			code := x.Code()
			if name == "GRIT-VLP" || name == "Hard quantile" && k == 1 {
				code = "0123456789abcdef"
			}
			if _, done, err := store.Find(x); done && err == nil {
				recode(t, store, x, code)
			}
		}
	}
	r = papertest.Report(t, r.Plan, store)
	if table, err = r.Table(); err != nil || !strings.Contains(table.Note, mark) {
		t.Errorf("got the note %q (%v)", table.Note, err)
	}
	got := map[string]string{}
	for _, row := range table.Rows {
		got[row.Name] = row.Status
	}
	for name, want := range map[string]string{"ALBEF": "", "GRIT-VLP": "of other code", "Hard quantile": "2 of 3 seeds, 1 of 2 runs of " +
		"other code", "FALCON": "0 of 3 seeds"} {
		if got[name] != want {
			t.Errorf("%s: got the status %q, want %q", name, got[name], want)
		}
	}
	const named = "Of other code, so that the same settings may give other numbers today: GRIT-VLP, Hard quantile (1 of 2 runs)."
	if note := papertest.Figure(t, r).Note; !strings.Contains(note, named) {
		t.Errorf("the figure's note is %q, want %q in it", note, named)
	}
	text, err := json.Marshal(papertest.Row(r, "GRIT-VLP"))
	if err != nil || !strings.Contains(string(text), `"other_code":3`) {
		t.Errorf("got %s (%v)", text, err)
	}
}

// A run that goes on from one of other code is of other code.
func TestOtherCodeOfAWarmStart(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "falcon/table1",
		plan.Request{Methods: []string{"ALBEF"}, Seeds: []uint64{1}, Without: papertest.RowsAlone, Set: []string{"warmstart=1"}})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10}})
	x := p.Rows[0][0]
	if x.Init == nil {
		t.Fatal("it goes on from nothing")
	}
	recode(t, store, x, x.Code())
	papertest.Put(t, store, *x.Init, run.Result{ID: x.Init.ID(), Code: "0123456789abcdef"})
	if row := papertest.Row(papertest.Report(t, p, store), "ALBEF"); row.OtherCode != 1 {
		t.Errorf("got %d runs of other code, want one", row.OtherCode)
	}
	must.Do(t, os.WriteFile(filepath.Join(store.Dir(*x.Init), "result.json"), []byte("{"), 0o644))
	r, err := paper.NewReport(p, store)
	if err != nil || len(papertest.Row(r, "ALBEF").Results) != 1 || len(r.Damaged) != 1 || !strings.Contains(r.Damaged[0], x.Init.ID()) {
		t.Errorf("got %+v (%v), want the row, and the damaged result of the run that it goes on from", r, err)
	}
}

// A row is of other code, too, where that has measured what the row asks, or made the run whose sentences are read.
func TestOtherCodeOfAQuestion(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), asking(t, "tags/table4", plan.Request{Seeds: []uint64{1}})
	const name = "TAGS1 by UNITER"
	papertest.Finish(t, store, p, name, map[string][]float64{"TR@1": {10}})
	j := p.Jobs[papertest.RowNumber(t, p, name)][0][1]
	ask := func(code string) int {
		t.Helper()
		must.Do(t, store.Keep(j.Run, run.Evaluation{ID: j.Run.ID(), Of: j.Measure(), Code: code,
			Metrics: map[string]float64{string(eval.DiscriminationAccuracy): 90}}))
		return papertest.Row(papertest.Report(t, p, store), name).OtherCode
	}
	const other = "0123456789abcdef"
	if n := ask(j.Run.Code()); n != 0 {
		t.Errorf("of today's code: got %d runs of other code", n)
	}
	if n := ask(other); n != 1 {
		t.Errorf("asked by other code: got %d runs of it, want one", n)
	}
	papertest.Put(t, store, *j.Of, run.Result{ID: j.Of.ID(), Code: other})
	if n := ask(j.Run.Code()); n != 1 {
		t.Errorf("about sentences of other code: got %d runs of it, want one", n)
	}
}

// Where a table has other rows than the report, its note names those of other code.
func TestOtherCodeOfRowsThatATableLacks(t *testing.T) {
	table := tables.Table{Note: "Scale tiny.", Rows: []tables.Row{{Name: "epoch 1"}, {Name: "FALCON", Status: "2 of 3 seeds"}}}
	paper.MarkCode(&table, []paper.OfCode{{Row: "ALBEF", Runs: 3}, {Row: "MAFA", Other: 1, Runs: 3}, {Row: "FALCON", Other: 2, Runs: 2}})
	if got := table.Rows[1].Status; got != "2 of 3 seeds, of other code" || table.Rows[0].Status != "" {
		t.Errorf("got the statuses %q and %q", table.Rows[0].Status, got)
	}
	want := "Scale tiny. " + paper.CodeMeaning + " Of other code, so that the same settings may give other numbers today: MAFA (1 " +
		"of 3 runs)."
	if table.Note != want {
		t.Errorf("got the note %q, want %q", table.Note, want)
	}
}
