package paper

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// Methods of one's own are further rows: always run, reported like the others, and gone with the next plan.
func TestOwnMethods(t *testing.T) {
	mine := []negative.Method{
		{Name: "mine", Contrast: negative.Consistency{Weight: 0.5}},
		{Name: "mine, too", Batches: negative.Grouped{SearchSpace: 16}},
	}
	catalogue := len(table1.Rows)
	for _, c := range []struct {
		methods, want []string
	}{
		{[]string{"GRIT-VLP"}, []string{"GRIT-VLP", "mine", "mine, too"}},
		{[]string{"mine"}, []string{"mine", "mine, too"}},
	} {
		p := plan(t, "falcon/table1", Request{Seeds: []uint64{1}, Methods: c.methods, Own: mine})
		var got []string
		for _, r := range p.Runs() {
			got = append(got, r.Train.Method.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of %q run %q, want %q", c.methods, got, c.want)
		}
	}
	all := plan(t, "falcon/table1", Request{Seeds: []uint64{1}, Own: mine[:1]})
	if got, want := len(all.Runs()), len(plan(t, "falcon/table1", Request{Seeds: []uint64{1}}).Runs())+1; got != want {
		t.Errorf("%d runs of all rows and one of my own, want %d", got, want)
	}
	if len(table1.Rows) != catalogue {
		t.Errorf("the catalogue's artifact has %d rows now, want %d as before", len(table1.Rows), catalogue)
	}

	p := plan(t, "falcon/table1", Request{Methods: []string{"ALBEF"}, Own: mine})
	method := p.Rows[catalogue][0].Train.Method
	if method.Matching != (negative.Hardest{}) || method.Batches != (negative.Uniform{}) || method.Contrast != mine[0].Contrast {
		t.Errorf("got %+v, want my contrast and the plain choices for the rest", method)
	}
	store := run.OpenStore(t.TempDir())
	finish(t, store, p, "mine", map[string][]float64{"TR@1": {10, 20, 30}})
	r := report(t, p, store)
	if s := r.rowOf("mine").Metrics["TR@1"]; *s.Mean != 20 || s.N != 3 || s.Paper != nil {
		t.Errorf("got %+v, want my 20 of three seeds beside no number of the paper's", s)
	}
	if got := r.rowOf("mine, too").Status; got != "0 of 3 seeds" {
		t.Errorf("got status %q of a row that did not run, want 0 of 3 seeds", got)
	}
	table, err := r.Table()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 3 {
		t.Fatalf("%d rows in the table, want those asked for: ALBEF and two of my own", len(table.Rows))
	}
	last := table.Rows[1]
	if want := (plots.Value{Mean: 20, Std: 10, N: 3}); last.Name != "mine" || last.Status != "" || last.Cells[0][1] != want {
		t.Errorf("got row %+v, want mine with %+v", last, want)
	}
	if claims := r.ClaimsTable(); len(claims.Rows) != 0 || len(r.Claims) == 0 {
		t.Errorf("%d claims in the table, want none of rows that were not asked for", len(claims.Rows))
	}
}

func TestOwnMethodErrors(t *testing.T) {
	own := func(names ...string) Request {
		q := Request{Scale: "tiny"}
		for _, name := range names {
			q.Own = append(q.Own, negative.Method{Name: name})
		}
		return q
	}
	with := func(contrast negative.Contrast) Request {
		return Request{Scale: "tiny", Own: []negative.Method{{Name: "mine", Contrast: contrast}}}
	}
	for name, c := range map[string]struct {
		artifact Artifact
		request  Request
		want     string
	}{
		"no name":         {table1, own("mine", ""), `method 2 of your own is called ""`},
		"space":           {table1, own("mine "), `called "mine "`},
		"catalogue":       {table1, own("falcon"), `a row "falcon" already`},
		"twice":           {table1, own("mine", "Mine"), `a row "Mine" already`},
		"no such row":     {table1, Request{Scale: "tiny", Methods: []string{"min"}, Own: own("mine").Own}, `did you mean "mine"?`},
		"no comparison":   {Artifact{ID: "falcon/table5"}, own("mine"), `falcon/table5 compares no methods`},
		"unexported part": {table1, with(struct{ negative.Contrast }{}), "the field Contrast"},
		"a function": {table1, with(struct {
			negative.InfoNCE
			By func()
		}{}), "unsupported type: func()"},
	} {
		if _, err := NewPlan(c.artifact, c.request); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", name, err, c.want)
		}
	}
}
