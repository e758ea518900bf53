package paper_test

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Methods of one's own are further rows: always run, reported like the others, and gone with the next plan.
func TestOwnMethods(t *testing.T) {
	mine := []negative.Method{
		{Name: "mine", Contrast: negative.Consistency{Weight: 0.5}},
		{Name: "mine, too", Batches: negative.Grouped{SearchSpace: 16}},
	}
	table1 := papertest.Artifact(t, catalogue.List(), "falcon/table1")
	before := len(table1.Rows)
	for _, c := range []struct {
		methods, want []string
	}{
		{[]string{"GRIT-VLP"}, []string{"GRIT-VLP", "mine", "mine, too"}},
		{[]string{"mine"}, []string{"mine", "mine, too"}},
	} {
		p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{1}, Methods: c.methods, Own: mine,
			Without: papertest.RowsAlone})
		var got []string
		for _, r := range p.Runs() {
			got = append(got, r.Train.Method.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of %q run %q, want %q", c.methods, got, c.want)
		}
	}
	all := papertest.Plan(t, catalogue.List(), "falcon/table1",
		plan.Request{Seeds: []uint64{1}, Own: mine[:1], Without: papertest.RowsAlone})
	if got, want := len(all.Runs()), len(papertest.Plan(t, catalogue.List(), "falcon/table1",
		plan.Request{Seeds: []uint64{1}, Without: papertest.RowsAlone}).Runs())+1; got != want {
		t.Errorf("%d runs of all rows and one of my own, want %d", got, want)
	}
	if len(table1.Rows) != before {
		t.Errorf("the before's artifact has %d rows now, want %d as before", len(table1.Rows), before)
	}

	p := papertest.Plan(t, catalogue.List(), "falcon/table1",
		plan.Request{Methods: []string{"ALBEF"}, Own: mine, Without: papertest.RowsAlone})
	method := p.Rows[before][0].Train.Method
	if method.Matching != (negative.Hardest{}) || method.Batches != (negative.Uniform{}) || method.Contrast != mine[0].Contrast {
		t.Errorf("got %+v, want my contrast and the plain choices for the rest", method)
	}
	store := run.OpenStore(t.TempDir())
	papertest.Finish(t, store, p, "mine", map[string][]float64{"TR@1": {10, 20, 30}})
	r := papertest.Report(t, p, store)
	if s := papertest.Row(r, "mine").Metrics["TR@1"]; *s.Mean != 20 || s.N != 3 || s.Paper != nil {
		t.Errorf("got %+v, want my 20 of three seeds beside no number of the paper's", s)
	}
	if got := papertest.Row(r, "mine, too").Status; got != "0 of 3 seeds" {
		t.Errorf("got status %q of a row that did not run, want 0 of 3 seeds", got)
	}
	table := must.Get(r.Table())(t)
	if len(table.Rows) != 3 {
		t.Fatalf("%d rows in the table, want those asked for: ALBEF and two of my own", len(table.Rows))
	}
	last := table.Rows[1]
	if want := (tables.Value{Mean: 20, Std: 10, N: 3}); last.Name != "mine" || last.Status != "" || last.Cells[0][1] != want {
		t.Errorf("got row %+v, want mine with %+v", last, want)
	}
	if claims := r.ClaimsTable(); len(claims.Rows) != 0 || len(r.Claims) == 0 {
		t.Errorf("%d claims in the table, want none of rows that were not asked for", len(claims.Rows))
	}
}

func TestOwnMethodErrors(t *testing.T) {
	own := func(names ...string) plan.Request {
		q := plan.Request{Scale: "tiny"}
		for _, name := range names {
			q.Own = append(q.Own, negative.Method{Name: name})
		}
		return q
	}
	with := func(contrast negative.Contrast) plan.Request {
		return plan.Request{Scale: "tiny", Own: []negative.Method{{Name: "mine", Contrast: contrast}}}
	}
	table1 := papertest.Artifact(t, catalogue.List(), "falcon/table1")
	for name, c := range map[string]struct {
		artifact paper.Artifact
		request  plan.Request
		want     string
	}{
		"no name":         {table1, own("mine", ""), `method 2 of your own is called ""`},
		"space":           {table1, own("mine "), `called "mine "`},
		"catalogue":       {table1, own("falcon"), `a row "falcon" already`},
		"twice":           {table1, own("mine", "Mine"), `a row "Mine" already`},
		"no such row":     {table1, plan.Request{Scale: "tiny", Methods: []string{"min"}, Own: own("mine").Own}, `did you mean "mine"?`},
		"no comparison":   {paper.Artifact{ID: "falcon/table5"}, own("mine"), `falcon/table5 compares no methods`},
		"unexported part": {table1, with(struct{ negative.Contrast }{}), "the field Contrast"},
		"a function": {table1, with(struct {
			negative.InfoNCE
			By func()
		}{}), "unsupported type: func()"},
	} {
		must.Fail(t, must.Err(paper.NewPlan(c.artifact, c.request)), c.want, "%s", name)
	}
}
