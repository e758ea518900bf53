package paper_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// asking is a plan of tags/table3 or table4 whose rows ask, on few scenes.
func asking(t *testing.T, id string, q plan.Request) *paper.Planned {
	t.Helper()
	q.Set = append(q.Set, "scenes.val=1", "scenes.test=1")
	return papertest.Plan(t, catalogue.List(), id, q)
}

// called are the method and the seed of a run, such as "TAGS 1".
func called(r run.Run) string { return r.Train.Method.Name + " " + string(rune('0'+r.Train.Seed)) }

// A row's run is asked, or another's, about the run of a row of the same seed or of the next one; with one seed alone of the seed above it.
func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		id, row string
		seeds   []uint64
		want    []string // who is asked about whom, a seed each
	}{
		{"tags/table4", "TAGS1 by TAGS1", []uint64{1, 2, 3}, []string{"TAGS 1 of TAGS 1", "TAGS 2 of TAGS 2", "TAGS 3 of TAGS 3"}},
		{"tags/table4", "TAGS1 by UNITER", []uint64{1, 2, 3}, []string{"UNITER 1 of TAGS 1", "UNITER 2 of TAGS 2", "UNITER 3 of TAGS 3"}},
		{"tags/table4", "TAGS2 by TAGS1", []uint64{1, 2, 3}, []string{"TAGS 1 of TAGS 2", "TAGS 2 of TAGS 3", "TAGS 3 of TAGS 1"}},
		{"tags/table4", "TAGS2 by UNITER", []uint64{5, 2}, []string{"UNITER 5 of TAGS 2", "UNITER 2 of TAGS 5"}},
		{"tags/table4", "TAGS2 by TAGS1", []uint64{4}, []string{"TAGS 4 of TAGS 5"}},
		{"tags/table3", "Corrected", []uint64{7, 1}, []string{"GPT-2 7 of TAGS-DC 7", "GPT-2 1 of TAGS-DC 1"}},
	} {
		p := asking(t, c.id, plan.Request{Seeds: c.seeds, Methods: []string{c.row}})
		i := slices.IndexFunc(p.Requested, func(asked bool) bool { return asked })
		var got []string
		for _, jobs := range p.Jobs[i] {
			q := jobs[1]
			got = append(got, called(q.Run)+" of "+called(*q.Of))
			if d, told := q.Task.(eval.Discrimination); told && d.Of != q.Of.ID() || q.Measure().Split != "test" {
				t.Errorf("%s: asked about %+v on %s, want run %s on the test split", c.row, q.Task, q.Measure().Split, q.Of.ID())
			}
		}
		listtest.Equal(t, c.row, got, c.want)
		for k, seeds := range p.Jobs {
			if k != i && seeds != nil {
				t.Errorf("%s asks, which was not asked for", p.Artifact.Rows[k].Name)
			}
		}
	}
}

// The runs that questions need are the plan's, each once, behind those of the rows; they are counted without a plan, too.
func TestRunsOfQuestions(t *testing.T) {
	for _, c := range []struct {
		id   string
		q    plan.Request
		want []string
	}{
		{"tags/table4", plan.Request{Seeds: []uint64{1, 2}}, []string{"Warm start 1", "TAGS 1", "UNITER 1", "TAGS 2", "UNITER 2"}},
		{"tags/table4", plan.Request{Seeds: []uint64{1, 2}, Methods: []string{"TAGS1 by UNITER"}},
			[]string{"Warm start 1", "UNITER 1", "TAGS 1", "UNITER 2", "TAGS 2"}},
		{"tags/table4", plan.Request{Seeds: []uint64{3}, Methods: []string{"TAGS2 by TAGS1"}},
			[]string{"Warm start 1", "TAGS 3", "TAGS 4"}},
		{"tags/table3", plan.Request{Seeds: []uint64{1}}, []string{"Warm start 1", "TAGS 1", "TAGS-DC 1", "GPT-2 1"}},
	} {
		p := asking(t, c.id, c.q)
		var got []string
		for _, r := range p.Runs() {
			got = append(got, called(r))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %+v: got runs %q, want %q", c.id, c.q, got, c.want)
		}
		if n := p.Artifact.RunsASeed(); c.id == "tags/table3" && n != len(got) {
			t.Errorf("%s: counted %d runs a seed, want %d", c.id, n, len(got))
		}
	}
	table4, table2 := asking(t, "tags/table4", plan.Request{Seeds: []uint64{1}}),
		asking(t, "tags/table2", plan.Request{Seeds: []uint64{1}, Methods: []string{"TAGS"}})
	at := slices.IndexFunc(table2.Rows, func(runs []run.Run) bool { return runs != nil })
	if table4.Rows[0][0].ID() != table2.Rows[at][0].ID() {
		t.Error("a run that is asked is another than the same one of a table that asks nothing")
	}
}

// What a request has for the rows' framework is not for a language model beside it.
func TestLanguageModelBesideARequest(t *testing.T) {
	words := filepath.Join(t.TempDir(), "vocab.txt")
	text := strings.Join([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "an", "red", "circle", "left", "of"}, "\n")
	must.Do(t, os.WriteFile(words, []byte(text), 0o644))
	plain := asking(t, "tags/table3", plan.Request{Seeds: []uint64{1}}).Jobs[0][0][1]
	p := asking(t, "tags/table3", plan.Request{Seeds: []uint64{1}, Vocabulary: words, Tasks: []eval.Task{eval.Classification{}}})
	q := p.Jobs[0][0][1]
	if q.Run.ID() != plain.Run.ID() || q.Of.ID() == plain.Of.ID() || len(q.Of.Tasks) != len(plain.Of.Tasks)+1 {
		t.Errorf("got the language model %s of the vocabulary %+v, about a run by %d tasks; want %s as ever, about one with a task more",
			q.Run.ID(), q.Run.Vocabulary,
			len(q.Of.Tasks), plain.Run.ID())
	}
}

// An answer joins the results of its row and seed alone; a row tells what is still to be asked, and claims are tested on the answers.
func TestAnswersInAReport(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), asking(t, "tags/table4", plan.Request{Seeds: []uint64{1, 2, 3}})
	for _, row := range []string{"TAGS1 by TAGS1", "TAGS1 by UNITER"} { // the same runs as the other rows
		papertest.Finish(t, store, p, row, map[string][]float64{"TR@1": {10, 20, 30}})
	}
	metric := string(eval.DiscriminationAccuracy)
	papertest.Answer(t, store, p, "TAGS1 by TAGS1", metric, 90, 91, 92)
	papertest.Answer(t, store, p, "TAGS1 by UNITER", metric, 10, 11, 12.1)
	papertest.Answer(t, store, p, "TAGS2 by TAGS1", metric, 80, 81)
	r := papertest.Report(t, p, store)
	for row, want := range map[string]struct {
		status string
		mean   float64 // 0 for none
	}{
		"TAGS1 by TAGS1": {"ready", 91}, "TAGS2 by TAGS1": {"answers of 2 of 3 seeds", 80.5}, "VSE-C by UNITER": {"without answers", 0},
	} {
		got := papertest.Row(r, row)
		s := got.Metrics[metric]
		if got.Status != want.status || (s.Mean != nil) != (want.mean != 0) || s.Mean != nil && *s.Mean != want.mean {
			t.Errorf("%s: got %+v, %q; want a mean of %g and %q", row, s, got.Status, want.mean, want.status)
		}
		if got.Results[1].Metrics["TR@1"] != 20 {
			t.Errorf("%s: got the result's own metrics %v", row, got.Results[1].Metrics)
		}
	}
	if f := papertest.Finding(r, "TAGS1 by TAGS1 above TAGS1 by UNITER in Discrimination accuracy"); f.Verdict != paper.Exploratory ||
		f.Seeds != 3 {
		t.Errorf("got %+v, want three seeds, which are exploratory", f)
	}
	if f := papertest.Finding(r, "VSE-C by TAGS1 above VSE-C by UNITER in Discrimination accuracy"); f.Verdict != paper.Untested {
		t.Errorf("got %+v of what nobody answered", f)
	}
	table := papertest.Table(t, r)
	if table.Heading != "generator by discriminator" || table.Rows[2].Status != "answers of 2 of 3 seeds" {
		t.Errorf("got the heading %q and the status %q", table.Heading, table.Rows[2].Status)
	}
	damaged := filepath.Join(store.Dir(p.Jobs[0][0][1].Run), "task-*.json")
	files, err := filepath.Glob(damaged)
	if err != nil || len(files) == 0 {
		t.Fatalf("no answers at %s (%v)", damaged, err)
	}
	for _, file := range files {
		must.Do(t, os.WriteFile(file, []byte("{"), 0o644))
	}
	if r, err = paper.NewReport(p, store); err != nil || len(r.Damaged) == 0 ||
		!strings.Contains(r.Damaged[0], "delete the file to measure again") {
		t.Fatalf("got %v (%v) of damaged answers, want them named and stepped around", r.Damaged, err)
	}
	if table := papertest.Table(t, r); table.Rows[0].Status == "" || !strings.Contains(table.Note, files[0]) {
		t.Errorf("got the status %q and the note %q, want one that names %s", table.Rows[0].Status, table.Note, files[0])
	}
}

// Answers are shipped with what was asked; where today another question would be, the row is not shown.
func TestReferenceOfQuestions(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), asking(t, "tags/table4", plan.Request{Methods: []string{"TAGS2 by TAGS1"}})
	papertest.Finish(t, store, p, "TAGS2 by TAGS1", map[string][]float64{"TR@1": {1, 2, 3}})
	papertest.Answer(t, store, p, "TAGS2 by TAGS1", string(eval.DiscriminationAccuracy), 80, 82, 84)
	reference := must.Get(paper.NewReference(papertest.Report(t, p, store)))(t)
	row := reference.Rows[0]
	if row.Metrics[string(eval.DiscriminationAccuracy)] != [3]float64{82, 2, 3} || len(row.Questions) != 3 ||
		row.Questions[2] != p.Jobs[2][2][1].ID() {
		t.Fatalf("got %+v, want the answers' mean and three questions", row)
	}
	status := func(of paper.Reference, seeds ...uint64) string {
		r := papertest.Report(t, asking(t, "tags/table4", plan.Request{Methods: []string{"TAGS2 by TAGS1"}, Seeds: seeds}),
			run.OpenStore(t.TempDir()))
		r.SetReference(&of)
		return papertest.Table(t, r).Rows[0].Status
	}
	if got := status(reference, 1, 2, 3, 4); got != "3 shipped seeds" {
		t.Errorf("the same questions: got %q", got)
	}
	for name, questions := range map[string][]string{"another": {"a", row.Questions[1], row.Questions[2]}, "none": nil} {
		other := reference
		other.Rows = []paper.ReferenceRow{row}
		other.Rows[0].Questions = questions
		if got := status(other); got != "0 of 3 seeds" {
			t.Errorf("%s: got %q, want nothing shipped", name, got)
		}
	}
	for name, spoil := range map[string]func(*paper.ReferenceRow){
		"1 questions of 3 runs": func(r *paper.ReferenceRow) { r.Questions = r.Questions[:1] },
		"2 seeds and 3":         func(r *paper.ReferenceRow) { r.Seeds = []uint64{4, 5} },
	} {
		other := reference
		other.Rows = []paper.ReferenceRow{row}
		spoil(&other.Rows[0])
		text := must.Get(json.Marshal([]paper.Reference{other}))(t)
		must.Fail(t, must.Err(paper.ParseReferences(text)), name)
	}
}
