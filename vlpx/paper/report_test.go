package paper_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// halfDone is table 1 with two rows finished, one begun, and the rest not run or not there.
func halfDone(t *testing.T) (*paper.Report, *run.Store) {
	t.Helper()
	store := run.OpenStore(t.TempDir())
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Without: papertest.RowsAlone})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}, "IR@1": {5, 6, 7}, "IR@10": {50, 60, 70}})
	papertest.Finish(t, store, p, "GRIT-VLP", map[string][]float64{"TR@1": {11, 22, 33}, "IR@1": {6, 7, 8.1}, "IR@10": {80.1, 90, 99.9},
		train.FalseInBatch: {10, 10.1, 10}})
	papertest.Finish(t, store, p, "Hard quantile", map[string][]float64{"TR@1": {40, 50}, train.FalseInBatch: {7, 7.2}})
	return papertest.Report(t, p, store), store
}

func TestReportOfAHalfDoneGrid(t *testing.T) {
	r, _ := halfDone(t)
	for name, want := range map[string]string{
		"ALBEF": "ready", "GRIT-VLP": "ready", "Hard quantile": "2 of 3 seeds", "InfoNCE": "0 of 3 seeds", "FALCON": "0 of 3 seeds",
		"MAFA": "0 of 3 seeds",
	} {
		if got := papertest.Row(r, name).Status; got != want {
			t.Errorf("%s: got status %q, want %q", name, got, want)
		}
	}
	if len(r.Rows) != len(r.Plan.Artifact.Rows) {
		t.Errorf("got %d rows, want all %d", len(r.Rows), len(r.Plan.Artifact.Rows))
	}
	if want := papertest.Noon.Add(2 * time.Hour); !r.Date.Equal(want) || r.Engine != "go" || r.Commit != "c0ffee" {
		t.Errorf("got %v on %q at %q, want the latest run's %v on go at c0ffee", r.Date, r.Engine, r.Commit, want)
	}
	s := papertest.Row(r, "ALBEF").Metrics["TR@1"]
	if *s.Mean != 20 || *s.Std != 10 || s.N != 3 || *s.Paper != 55.6 {
		t.Errorf("got %v ± %v of %d, paper %v; want 20 ± 10 of 3, paper 55.6", *s.Mean, *s.Std, s.N, *s.Paper)
	}
	if s := papertest.Row(r, "FALCON").Metrics["TR@1"]; s.Mean != nil || s.Std != nil || s.N != 0 || *s.Paper != 62.28 {
		t.Errorf("FALCON: got %+v, want the paper's number alone", s)
	}
	for text, want := range map[string]paper.Verdict{
		"GRIT-VLP above ALBEF in Text Retrieval R@1":               paper.Exploratory, // differences 1, 2, 3
		"GRIT-VLP above ALBEF in Image Retrieval R@1":              paper.Exploratory, // differences 1, 1, 1.1
		"ALBEF above GRIT-VLP in Image Retrieval R@10":             paper.Exploratory, // -30.1, -30, -29.9
		"Hard quantile below GRIT-VLP in False negatives in batch": paper.Exploratory, // -3 and -2.9, of the two seeds that both have
		"FALCON above GRIT-VLP in Image Retrieval R@1":             paper.Untested,
		"InfoNCE below GRIT-VLP in False negatives in batch":       paper.Untested,
		"Hard quantile above Easy quantile in Image Retrieval R@1": paper.Untested,
		"GRIT-VLP above InfoNCE in Without re-ranking IR@1 false":  paper.Untested,
		"Hard quantile above GRIT-VLP in Image Retrieval R@10":     paper.Untested,
		"FALCON above Progressive-Softening in Text Retrieval R@1": paper.Untested,
	} {
		if got := papertest.Finding(r, text).Verdict; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	f := papertest.Finding(r, "GRIT-VLP above ALBEF in Text Retrieval R@1")
	if *f.Difference != 2 || math.Abs(*f.P-0.0742) > 1e-4 {
		t.Errorf("got the difference %v at p %v, want 2 at 0.0742", *f.Difference, *f.P)
	}
}

// A row whose method is not there yet has the paper's numbers and no runs, and makes its artifact partial.
func TestReportOfAMissingMethod(t *testing.T) {
	a := papertest.Artifact(t, catalogue.List(), "falcon/figure6")
	a.Rows = append(slices.Clone(a.Rows), plan.Row{Name: "BLIP-2", Paper: []float64{2}})
	p := must.Get(paper.NewPlan(a, plan.Request{Scale: "tiny"}))(t)
	row := papertest.Row(papertest.Report(t, p, run.OpenStore(t.TempDir())), "BLIP-2")
	if row.Status != string(paper.NotYet) || len(p.Rows[len(a.Rows)-1]) > 0 || *row.Metrics["time to convergence"].Paper != 2 ||
		a.Status() != paper.Partial {
		t.Errorf("got a row %+v of a %s artifact, want one that is not there yet of a partial one", row, a.Status())
	}
}

// The JSON says null where there is nothing, and NaN nowhere.
func TestReportJSON(t *testing.T) {
	r, _ := halfDone(t)
	text := must.Get(json.Marshal(r))(t)
	var got map[string]any
	must.Do(t, json.Unmarshal(text, &got))
	for _, key := range []string{"id", "title", "scale", "data", "seeds", "set", "engine", "commit", "date", "rows", "claims"} {
		if _, ok := got[key]; !ok || len(got) != 11 {
			t.Errorf("no key %q among %d", key, len(got))
		}
	}
	row := got["rows"].([]any)[0].(map[string]any)["metrics"].(map[string]any)
	none := row["NLVR2 accuracy, validation"].(map[string]any)
	if none["mean"] != nil || none["std"] != nil || none["paper"] != 72.98 {
		t.Errorf("NLVR2's dev of ALBEF: got %v, want null, null and the paper's 72.98", none)
	}
}

func TestReportTable(t *testing.T) {
	r, _ := halfDone(t)
	table := must.Get(r.Table())(t)
	if got, want := len(table.Columns), len(r.Plan.Artifact.Columns)-4; got != want || got < 15 {
		t.Fatalf("got %d columns, want all %d but those of NLVR2 and VQA, whether or not a result has them", got, want)
	}
	at := func(name string) int {
		return slices.IndexFunc(table.Columns, func(c tables.Column) bool { return c.Name == name })
	}
	if table.Columns[at("in batch")].Best != tables.Lowest || table.Columns[0].Best != tables.Highest {
		t.Errorf("got %+v, want the lowest false negatives in batch as the best", table.Columns[at("in batch")])
	}
	if cell := table.Rows[0].Cells[at("hardest")]; len(cell) != 3 || cell[0] != (tables.Value{}) || cell[1] != (tables.Value{}) ||
		cell[2] != (tables.Value{}) {
		t.Errorf("got %+v, want nothing in a column that no run has", cell)
	}
	for _, write := range []func(io.Writer) error{table.Markdown, table.HTML, table.CSV,
		func(w io.Writer) error { return table.Text(w, tables.Terminal{Width: 100}) }} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Error(err)
		} else if !strings.Contains(b.String(), "hardest") {
			t.Errorf("no column without values in\n%s", b.String())
		}
	}
	for i, want := range map[int]string{0: "", 2: "0 of 3 seeds", 3: "0 of 3 seeds", 4: "0 of 3 seeds", 6: "2 of 3 seeds",
		10: "0 of 3 seeds"} {
		if got := table.Rows[i].Status; got != want {
			t.Errorf("%s: got status %q, want %q", table.Rows[i].Name, got, want)
		}
	}
	cell := table.Rows[6].Cells[0]
	want := tables.Cell{{Mean: 58.8, N: 1}, {Mean: 45, Std: math.Sqrt(50), N: 2}, {}}
	for i := range want {
		if math.Abs(cell[i].Std-want[i].Std) > 1e-12 || cell[i].Mean != want[i].Mean || cell[i].N != want[i].N {
			t.Errorf("TR@1 of the hard quantile, source %d: got %+v, want %+v", i, cell[i], want[i])
		}
	}
	if err := table.Markdown(io.Discard); err != nil {
		t.Error(err)
	}
	claims := r.ClaimsTable()
	if len(claims.Rows) != len(r.Claims) {
		t.Errorf("got %d claims, want %d", len(claims.Rows), len(r.Claims))
	}
	if err := claims.Markdown(io.Discard); err != nil {
		t.Error(err)
	}
}

// A figure has the rows and columns with results, and is drawn with a single seed and with nothing in some cells, too.
func TestReportFigure(t *testing.T) {
	r, _ := halfDone(t)
	figure := papertest.Figure(t, r)
	if len(figure.Panels) != 2 {
		t.Fatalf("got %d panels, want retrieval and false negatives", len(figure.Panels))
	}
	bars := figure.Panels[0].(plots.Bars)
	if want := []string{"TR R@1", "IR R@1", "IR R@10"}; !slices.Equal(bars.Groups, want) {
		t.Errorf("got groups %v, want %v", bars.Groups, want)
	}
	if len(bars.Series) != 3 || bars.Series[0].Mean[0] != 20 || !math.IsNaN(bars.Series[2].Mean[1]) {
		t.Errorf("got %+v, want ALBEF at 20 and a gap where the hard quantile has no IR@1", bars.Series)
	}
	if err := figure.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}

	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{4}})
	if figure, err := papertest.Report(t, p, store).Figure(); figure != nil || err != nil {
		t.Errorf("without results: figure %v, error %v", figure, err)
	}
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10}})
	one := papertest.Report(t, p, store)
	if s := papertest.Row(one, "ALBEF").Metrics["TR@1"]; s.Std != nil {
		t.Errorf("standard deviation of one seed: got %v, want none", *s.Std)
	}
	if err := papertest.Figure(t, one).PNG(io.Discard, 0); err != nil {
		t.Errorf("one seed: %v", err)
	}
}

// An epoch without a measurement is left out of the curves; the rows not there yet stay out of the figure.
func TestReportCurves(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "falcon/D.2", plan.Request{Methods: []string{"albef"}})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}})
	r := papertest.Report(t, p, store)
	figure := papertest.Figure(t, r)
	if len(figure.Panels) != 1 {
		t.Fatalf("got %d panels, want one of TR@1", len(figure.Panels))
	}
	lines := figure.Panels[0].(plots.Lines)
	if len(lines.Series) != 1 || !slices.Equal(lines.Series[0].X, []float64{2}) || !slices.Equal(lines.Series[0].Mean, []float64{11}) {
		t.Errorf("got %+v, want ALBEF at 11 after epoch 2", lines.Series)
	}
	if got := papertest.Row(r, "GRIT-VLP").Status; got != "not run" {
		t.Errorf("GRIT-VLP: got %q, want what was asked for to count", got)
	}
}

// A result that is spoiled is named, and the rest is reported.
func TestReportOfASpoiledResult(t *testing.T) {
	r, store := halfDone(t)
	before := len(r.Rows[0].Results)
	path := filepath.Join(store.Dir(r.Plan.Rows[0][0]), "result.json")
	must.Do(t, os.WriteFile(path, []byte("{"), 0o644))
	spoilt, err := paper.NewReport(r.Plan, store)
	if err != nil || len(spoilt.Damaged) != 1 || !strings.Contains(spoilt.Damaged[0], path) ||
		!strings.Contains(spoilt.Damaged[0], "delete the file") {
		t.Fatalf("got %v (%v), want one damaged file, %s, with what to do", spoilt.Damaged, err, path)
	}
	if n := len(spoilt.Rows[0].Results); n != before-1 {
		t.Errorf("the row has %d results, want %d", n, before-1)
	}
	if note := papertest.Table(t, spoilt).Note; !strings.Contains(note, path) {
		t.Errorf("the note is %q, want one that names %s", note, path)
	}
}
