// Package papertest is for tests of artifacts: plans, results without training in a store, and reports of them. Artifacts are given
// to it, so that the package of each paper can use it, and so can the catalogue.
package papertest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	_ "vlpx.internal/vlpx/framework/all"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	runstore "vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Noon is when results are finished.
var Noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// RowsAlone leaves out what falcon/table1 puts its rows to downstream.
var RowsAlone = []string{"NLVR2", "VQA"}

// Finish writes results of a row into the store: seed k gets the k-th of each metric's values.
func Finish(t *testing.T, store *run.Store, p *paper.Planned, name string, metrics map[string][]float64) {
	t.Helper()
	i := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == name })
	for k, r := range p.Rows[i] {
		result := run.Result{
			ID: r.ID(), Method: name, Seed: r.Train.Seed, Metrics: map[string]float64{}, Engine: "go", Commit: "c0ffee",
			Finished: Noon.Add(time.Duration(k) * time.Hour), Seconds: 2,
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
		Put(t, store, r, result)
	}
}

// Answer writes answers to a row's questions into the store: seed k gets the k-th value of a metric.
func Answer(t *testing.T, store *run.Store, p *paper.Planned, name, metric string, values ...float64) {
	t.Helper()
	i := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == name })
	for k, v := range values {
		Keep(t, store, p.Jobs[i][k][1], map[string]float64{metric: v})
	}
}

// Keep writes what a measure gave into the store.
func Keep(t *testing.T, store *run.Store, j plan.Job, metrics map[string]float64) {
	t.Helper()
	must.Do(t, os.MkdirAll(store.Dir(j.Run), 0o755))
	must.Do(t, store.Keep(j.Run, run.Evaluation{ID: j.Run.ID(), Of: j.Measure(), Metrics: metrics, Code: j.Run.Code()}))
}

// Put writes a result into the store, of today's code unless it says of which it is.
func Put(t *testing.T, store *run.Store, r run.Run, result run.Result) {
	t.Helper()
	result.Code = cmp.Or(result.Code, r.Code())
	text := must.Get(json.Marshal(result))(t)
	must.Do(t, os.MkdirAll(store.Dir(r), 0o755))
	must.Do(t, os.WriteFile(filepath.Join(store.Dir(r), "result.json"), runstore.Sealed(text), 0o644))
}

// Report gathers what the store has of a plan.
func Report(t *testing.T, p *paper.Planned, store *run.Store) *paper.Report {
	t.Helper()
	r := must.Get(paper.NewReport(p, store))(t)
	return r
}

// Row is a row of a report by its name; it is there.
func Row(r *paper.Report, name string) paper.RowReport {
	return r.Rows[slices.IndexFunc(r.Rows, func(row paper.RowReport) bool { return row.Name == name })]
}

// Finding is what a report says of a claim by its text, with the verdict "missing" where it has none.
func Finding(r *paper.Report, text string) paper.Finding {
	if i := slices.IndexFunc(r.Claims, func(f paper.Finding) bool { return f.Text == text }); i >= 0 {
		return r.Claims[i]
	}
	return paper.Finding{Verdict: "missing"}
}

// Figure is the figure of a report, which has one.
func Figure(t *testing.T, r *paper.Report) plots.Figure {
	t.Helper()
	drawing := must.Get(r.Figure())(t)
	figure, ok := drawing.(plots.Figure)
	if !ok {
		t.Fatalf("got a drawing of type %T, want a figure", drawing)
	}
	return figure
}

// Table lays a report out, and checks that it prints.
func Table(t *testing.T, r *paper.Report) tables.Table {
	t.Helper()
	table := must.Get(r.Table())(t)
	if err := table.Markdown(io.Discard); err != nil {
		t.Error(err)
	}
	return table
}

// Moments are the moments of numbers.
func Moments(numbers ...float64) negative.Moments {
	var m negative.Moments
	for _, x := range numbers {
		m.Add(x)
	}
	return m
}

// Near tells whether numbers are the same but for rounding.
func Near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// Photographs is a folder of five grey ones in Karpathy's layout, three of them to train with.
func Photographs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "images"), 0o755))
	var entries []string
	for i, split := range []string{"train", "train", "train", "val", "test"} {
		name := fmt.Sprintf("%d.jpg", i)
		file := must.Get(os.Create(filepath.Join(dir, "images", name)))(t)
		must.Do(t, jpeg.Encode(file, image.NewGray(image.Rect(0, 0, 8, 6)), nil))
		file.Close()
		entries = append(entries, fmt.Sprintf(`{"filename": %q, "split": %q, "sentences": [
			{"raw": "a dog"}, {"raw": "one two three four five six"}, {"raw": "one two three four five six seven %d"}]}`, name, split, i))
	}
	text := `{"dataset": "album", "images": [` + strings.Join(entries, ",") + `]}`
	must.Do(t, os.WriteFile(filepath.Join(dir, "dataset_album.json"), []byte(text), 0o644))
	return dir
}

// Preset is a scale by its name.
func Preset(t *testing.T, name string, folder bool) scale.Scale {
	t.Helper()
	s := must.Get(scale.Preset(name, folder))(t)
	return s
}

// Artifact is the artifact of that ID.
func Artifact(t *testing.T, all []paper.Artifact, id string) paper.Artifact {
	t.Helper()
	at := slices.IndexFunc(all, func(a paper.Artifact) bool { return a.ID == id })
	if at < 0 {
		t.Fatalf("no artifact %s", id)
	}
	return all[at]
}

// Plan is what a request comes to for the artifact of that ID, at scale tiny unless it names another.
func Plan(t *testing.T, all []paper.Artifact, id string, q plan.Request) *paper.Planned {
	t.Helper()
	q.Scale = cmp.Or(q.Scale, "tiny")
	p := must.Get(paper.NewPlan(Artifact(t, all, id), q))(t)
	return p
}

// Histories writes results of a row, a seed for each history, into the store.
func Histories(t *testing.T, store *run.Store, p *paper.Planned, name string, epochs ...[]train.Record) {
	t.Helper()
	row := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == name })
	for k, records := range epochs {
		r := p.Rows[row][k]
		Put(t, store, r, run.Result{ID: r.ID(), Method: name, Seed: r.Train.Seed, Epochs: records, Finished: Noon})
	}
}

// RowNumber is the place of a row by its name.
func RowNumber(t testing.TB, p *paper.Planned, name string) int {
	t.Helper()
	for i, row := range p.Artifact.Rows {
		if row.Name == name {
			return i
		}
	}
	t.Fatalf("%s has no row %s", p.Artifact.ID, name)
	return 0
}

// RowNamed is the row of that name; it is there.
func RowNamed(rows []plan.Row, name string) plan.Row {
	return rows[slices.IndexFunc(rows, func(r plan.Row) bool { return r.Name == name })]
}
