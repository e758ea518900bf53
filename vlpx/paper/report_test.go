package paper

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// plan is what a request comes to, at scale tiny unless it names another.
func plan(t *testing.T, id string, q Request) *Plan {
	t.Helper()
	a, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	q.Scale = cmp.Or(q.Scale, "tiny")
	p, err := NewPlan(a, q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// finish writes results of a row into the store: seed k gets the k-th of each metric's values.
func finish(t *testing.T, store *run.Store, p *Plan, name string, metrics map[string][]float64) {
	t.Helper()
	i := slices.IndexFunc(p.Artifact.Rows, func(r Row) bool { return r.Name == name })
	for k, r := range p.Rows[i] {
		result := run.Result{
			ID: r.ID(), Method: name, Seed: r.Train.Seed, Metrics: map[string]float64{}, Engine: "go", Commit: "c0ffee",
			Finished: noon.Add(time.Duration(k) * time.Hour), Seconds: 2,
			Epochs: []train.Record{{Epoch: 0}, {Epoch: 1, Metrics: map[string]float64{"TR@1": 10 + float64(k)}}},
		}
		done := true
		for metric, values := range metrics {
			if done = k < len(values); done {
				result.Metrics[metric] = values[k]
			}
		}
		if !done {
			continue
		}
		put(t, store, r, result)
	}
}

// put writes a result into the store.
func put(t *testing.T, store *run.Store, r run.Run, result run.Result) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(store.Dir(r), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store.Dir(r), "result.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func report(t *testing.T, p *Plan, store *run.Store) *Report {
	t.Helper()
	r, err := NewReport(p, store)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// halfDone is table 1 with two rows finished, one begun, and the rest not run or not there.
func halfDone(t *testing.T) (*Report, *run.Store) {
	t.Helper()
	store := run.OpenStore(t.TempDir())
	p := plan(t, "falcon/table1", Request{})
	finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}, "IR@1": {5, 6, 7}, "IR@10": {50, 60, 70}})
	finish(t, store, p, "GRIT-VLP", map[string][]float64{"TR@1": {11, 22, 33}, "IR@1": {6, 7, 8.1}, "IR@10": {80.1, 90, 99.9},
		train.FalseInBatch: {10, 10.1, 10}})
	finish(t, store, p, "Hard quantile", map[string][]float64{"TR@1": {40, 50}, train.FalseInBatch: {7, 7.2}})
	return report(t, p, store), store
}

func (r *Report) rowOf(name string) RowReport {
	return r.Rows[slices.IndexFunc(r.Rows, func(row RowReport) bool { return row.Name == name })]
}

func (r *Report) finding(text string) Finding {
	if i := slices.IndexFunc(r.Claims, func(f Finding) bool { return f.Text == text }); i >= 0 {
		return r.Claims[i]
	}
	return Finding{Verdict: "missing"}
}

func TestReportOfAHalfDoneGrid(t *testing.T) {
	r, _ := halfDone(t)
	for name, want := range map[string]string{
		"ALBEF": "ready", "GRIT-VLP": "ready", "Hard quantile": "2 of 3 seeds", "InfoNCE": "0 of 3 seeds", "FALCON": "0 of 3 seeds", "MAFA": "0 of 3 seeds",
	} {
		if got := r.rowOf(name).Status; got != want {
			t.Errorf("%s: got status %q, want %q", name, got, want)
		}
	}
	if len(r.Rows) != len(falconRows) {
		t.Errorf("got %d rows, want all %d", len(r.Rows), len(falconRows))
	}
	if want := noon.Add(2 * time.Hour); !r.Date.Equal(want) || r.Engine != "go" || r.Commit != "c0ffee" {
		t.Errorf("got %v on %q at %q, want the latest run's %v on go at c0ffee", r.Date, r.Engine, r.Commit, want)
	}
	s := r.rowOf("ALBEF").Metrics["TR@1"]
	if *s.Mean != 20 || *s.Std != 10 || s.N != 3 || *s.Paper != 55.6 {
		t.Errorf("got %v ± %v of %d, paper %v; want 20 ± 10 of 3, paper 55.6", *s.Mean, *s.Std, s.N, *s.Paper)
	}
	if s := r.rowOf("FALCON").Metrics["TR@1"]; s.Mean != nil || s.Std != nil || s.N != 0 || *s.Paper != 62.28 {
		t.Errorf("FALCON: got %+v, want the paper's number alone", s)
	}
	for text, want := range map[string]Verdict{
		"GRIT-VLP above ALBEF in Text Retrieval R@1":               Undecided,    // differences 1, 2, 3
		"GRIT-VLP above ALBEF in Image Retrieval R@1":              Supported,    // differences 1, 1, 1.1
		"ALBEF above GRIT-VLP in Image Retrieval R@10":             Contradicted, // -30.1, -30, -29.9
		"Hard quantile below GRIT-VLP in False negatives in batch": Supported,    // -3 and -2.9, of the two seeds that both have
		"FALCON above GRIT-VLP in Image Retrieval R@1":             Untested,
		"InfoNCE below GRIT-VLP in False negatives in batch":       Untested,
		"Hard quantile above Easy quantile in Image Retrieval R@1": Untested,
		"GRIT-VLP above InfoNCE in Without re-ranking IR@1 false":  Untested,
		"Hard quantile above GRIT-VLP in Image Retrieval R@10":     Untested,
		"FALCON above Progressive-Softening in Text Retrieval R@1": Untested,
	} {
		if got := r.finding(text).Verdict; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	f := r.finding("GRIT-VLP above ALBEF in Text Retrieval R@1")
	if *f.Difference != 2 || math.Abs(*f.P-0.0742) > 1e-4 {
		t.Errorf("got the difference %v at p %v, want 2 at 0.0742", *f.Difference, *f.P)
	}
}

// A row whose method is not there yet has the paper's numbers and no runs, and makes its artifact partial.
func TestReportOfAMissingMethod(t *testing.T) {
	a := falconFigure6
	a.Rows = append(slices.Clone(a.Rows), Row{Name: "BLIP-2", Paper: []float64{2}})
	p, err := NewPlan(a, Request{Scale: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	row := report(t, p, run.OpenStore(t.TempDir())).rowOf("BLIP-2")
	if row.Status != string(NotYet) || len(p.Rows[len(a.Rows)-1]) > 0 || *row.Metrics[convergence].Paper != 2 || a.Status() != Partial {
		t.Errorf("got a row %+v of a %s artifact, want one that is not there yet of a partial one", row, a.Status())
	}
}

// The JSON says null where there is nothing, and NaN nowhere.
func TestReportJSON(t *testing.T) {
	r, _ := halfDone(t)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"id", "title", "scale", "data", "seeds", "set", "engine", "commit", "date", "rows", "claims"} {
		if _, ok := got[key]; !ok || len(got) != 11 {
			t.Errorf("no key %q among %d", key, len(got))
		}
	}
	row := got["rows"].([]any)[0].(map[string]any)["metrics"].(map[string]any)
	none := row["NLVR2 dev"].(map[string]any)
	if none["mean"] != nil || none["std"] != nil || none["paper"] != 72.98 {
		t.Errorf("NLVR2 dev of ALBEF: got %v, want null, null and the paper's 72.98", none)
	}
}

func TestReportTable(t *testing.T) {
	r, _ := halfDone(t)
	table, err := r.Table()
	if err != nil {
		t.Fatal(err)
	}
	// Of our own columns only the one that the runs measured is shown.
	if got, want := len(table.Columns), 10+1; got != want {
		t.Fatalf("got %d columns, want %d", got, want)
	}
	last := table.Columns[10]
	if last.Name != "in batch" || last.Best != plots.Lowest || table.Columns[0].Best != plots.Highest {
		t.Errorf("got the last column %+v, want the false negatives in batch, the lowest best", last)
	}
	for i, want := range map[int]string{0: "", 2: "0 of 3 seeds", 3: "0 of 3 seeds", 4: "0 of 3 seeds", 6: "2 of 3 seeds", 10: "0 of 3 seeds"} {
		if got := table.Rows[i].Status; got != want {
			t.Errorf("%s: got status %q, want %q", table.Rows[i].Name, got, want)
		}
	}
	cell := table.Rows[6].Cells[0]
	want := plots.Cell{{Mean: 58.8, N: 1}, {Mean: 45, Std: math.Sqrt(50), N: 2}, {}}
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

// panels are the figure of a report.
func panels(t *testing.T, r *Report) plots.Figure {
	t.Helper()
	drawing, err := r.Figure()
	if err != nil {
		t.Fatal(err)
	}
	figure, ok := drawing.(plots.Figure)
	if !ok {
		t.Fatalf("got a drawing of type %T, want a figure", drawing)
	}
	return figure
}

// A figure has the rows and columns with results, and is drawn with a single seed and with nothing in some cells, too.
func TestReportFigure(t *testing.T) {
	r, _ := halfDone(t)
	figure := panels(t, r)
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

	store, p := run.OpenStore(t.TempDir()), plan(t, "falcon/table1", Request{Seeds: []uint64{4}})
	if figure, err := report(t, p, store).Figure(); figure != nil || err != nil {
		t.Errorf("without results: figure %v, error %v", figure, err)
	}
	finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10}})
	one := report(t, p, store)
	if s := one.rowOf("ALBEF").Metrics["TR@1"]; s.Std != nil {
		t.Errorf("standard deviation of one seed: got %v, want none", *s.Std)
	}
	if err := panels(t, one).PNG(io.Discard, 0); err != nil {
		t.Errorf("one seed: %v", err)
	}
}

// An epoch without a measurement is left out of the curves; the rows not there yet stay out of the figure.
func TestReportCurves(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), plan(t, "falcon/D.2", Request{Methods: []string{"albef"}})
	finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}})
	r := report(t, p, store)
	figure := panels(t, r)
	if len(figure.Panels) != 1 {
		t.Fatalf("got %d panels, want one of TR@1", len(figure.Panels))
	}
	lines := figure.Panels[0].(plots.Lines)
	if len(lines.Series) != 1 || !slices.Equal(lines.Series[0].X, []float64{2}) || !slices.Equal(lines.Series[0].Mean, []float64{11}) {
		t.Errorf("got %+v, want ALBEF at 11 after epoch 2", lines.Series)
	}
	if got := r.rowOf("GRIT-VLP").Status; got != "not run" {
		t.Errorf("GRIT-VLP: got %q, want what was asked for to count", got)
	}
}

func TestReportOfASpoiledResult(t *testing.T) {
	r, store := halfDone(t)
	path := filepath.Join(store.Dir(r.Plan.Rows[0][0]), "result.json")
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewReport(r.Plan, store); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v, want one that names %s", err, path)
	}
}

func TestPrintedTables(t *testing.T) {
	hyper, err := report(t, plan(t, "falcon/table5", Request{Set: []string{"epochs=7"}}), run.OpenStore(t.TempDir())).Table()
	if err != nil {
		t.Fatal(err)
	}
	epochs := hyper.Rows[slices.IndexFunc(hyper.Rows, func(r plots.TableRow) bool { return r.Name == "pre-training epochs" })]
	var got []string
	for _, cell := range epochs.Cells {
		got = append(got, cell[0].Text)
	}
	if len(got) != 5 || got[0] != "20" || got[1] != "7" || got[4] != "20" {
		t.Errorf("epochs: got %v, want the paper's 20, 7 as set, and the paper preset's 20 last", got)
	}
	sizes, err := report(t, plan(t, "falcon/table6", Request{Set: []string{"scenes.train=32"}}), run.OpenStore(t.TempDir())).Table()
	if err != nil {
		t.Fatal(err)
	}
	train := sizes.Rows[slices.IndexFunc(sizes.Rows, func(r plots.TableRow) bool { return r.Name == "scenes/train" })]
	if images, captions := train.Cells[0][0].Text, train.Cells[1][0].Text; images != "32" || captions != "160" {
		t.Errorf("scenes/train: got %s images, %s captions; want 32, 160", images, captions)
	}
}

// Whoever asks for an artifact before anything has run sees a table, with the paper's numbers where there are any.
func TestTablesOfAnEmptyStore(t *testing.T) {
	for _, a := range All() {
		if a.Status() == NotYet {
			continue
		}
		p, err := NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{1}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReport(p, run.OpenStore(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		table, err := r.Table()
		if err == nil {
			err = errors.Join(table.Text(io.Discard, plots.Terminal{}), table.CSV(io.Discard))
		}
		if err != nil {
			t.Errorf("%s: %v", a.ID, err)
		}
	}
}
