package falcon

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// clocked is a run by its clock and its mean of recalls after each epoch, NaN where it was not measured.
type clocked struct{ clock, recalls []float64 }

func (c clocked) result() run.Result {
	r := run.Result{Clock: c.clock, Metrics: map[string]float64{}, Engine: "go", Commit: "c0ffee", Finished: papertest.Noon}
	for e, v := range c.recalls {
		record := train.Record{Epoch: e}
		if !math.IsNaN(v) {
			record.Metrics = map[string]float64{"R mean": v, "TR@1": v / 2, "IR@1": v / 4}
		}
		r.Epochs = append(r.Epochs, record)
	}
	return r
}

// finishClocked writes the runs of a row into the store, one a seed.
func finishClocked(t *testing.T, store *run.Store, p *paper.Planned, name string, runs ...clocked) {
	t.Helper()
	i := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == name })
	for k, c := range runs {
		r := p.Rows[i][k]
		result := c.result()
		result.ID, result.Method, result.Seed = r.ID(), name, r.Train.Seed
		papertest.Put(t, store, r, result)
	}
}

// clockReport is figure 6 with the runs of some rows, one seed after another.
func clockReport(t *testing.T, rows map[string][]clocked) (*paper.Report, tables.Table) {
	t.Helper()
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "falcon/figure6", plan.Request{})
	for name, runs := range rows {
		finishClocked(t, store, p, name, runs...)
	}
	r := papertest.Report(t, p, store)
	table := must.Get(r.Table())(t)
	if err := table.Markdown(io.Discard); err != nil {
		t.Error(err)
	}
	return r, table
}

func TestEpochsToConverge(t *testing.T) {
	no := math.NaN()
	for _, c := range []struct {
		recalls []float64
		want    float64
	}{
		{[]float64{40}, 1},
		{[]float64{50, 98.9, 99, 100}, 3}, // 99 % and no less
		{[]float64{50, 100, 60, 99.5}, 2}, // what follows the peak is nothing to it
		{[]float64{no, 30, 80, no}, 3},
		{[]float64{0, 0}, 1},
		{[]float64{no, no}, no},
		{nil, no},
	} {
		r := clocked{recalls: c.recalls}.result()
		if got := epochsToConverge(r); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: got %g epochs, want %g", c.recalls, got, c.want)
		}
	}
}

// ALBEF converges after 20 s and 24 s in epochs of 10 s and 12 s, so C is 22 s and its epoch 11 s.
func TestClockTable(t *testing.T) {
	_, table := clockReport(t, map[string][]clocked{
		"ALBEF":    {{[]float64{10, 20, 30}, []float64{50, 99.5, 100}}, {[]float64{12, 24, 36}, []float64{98, 99, 100}}},
		"GRIT-VLP": {{[]float64{5, 11}, []float64{80, 40}}},
		"FALCON":   {{nil, []float64{10, 20}}, {[]float64{22, 44}, []float64{30, 60}}},
	})
	root2 := math.Sqrt2
	for i, want := range [][]tables.Value{
		{{Mean: 1, Std: 2 * root2 / 22, N: 2}, {Mean: 2, N: 2}, {Mean: 11, Std: root2, N: 2}, {Mean: 1, Std: root2 / 11, N: 2},
			{Mean: 100, N: 2}},
		{{Mean: 5. / 22, N: 1}, {Mean: 1, N: 1}, {Mean: 5.5, N: 1}, {Mean: 0.5, N: 1}, {Mean: 40, N: 1}},
		{{}, {}, {}, {}, {}},
		{{Mean: 2, N: 1}, {Mean: 2, N: 1}, {Mean: 22, N: 1}, {Mean: 2, N: 1}, {Mean: 60, N: 1}},
	} {
		row := table.Rows[i]
		if got, printed := row.Cells[0][0], []float64{1, 0.65, 0.76, 0.83}[i]; got != tables.Number(printed) {
			t.Errorf("%s: got %+v of the paper, want %g", row.Name, got, printed)
		}
		for k, w := range want {
			got := row.Cells[k][1]
			if got.N != w.N || math.Abs(got.Mean-w.Mean) > 1e-12 || got.N > 1 && math.Abs(got.Std-w.Std) > 1e-12 {
				t.Errorf("%s, %s: got %+v, want %+v", row.Name, table.Columns[k].Name, got, w)
			}
		}
	}
	if table.Rows[2].Status != "0 of 3 seeds" || table.Rows[1].Status != "1 of 3 seeds" {
		t.Errorf("got statuses %q and %q, want 0 and 1 of 3 seeds", table.Rows[2].Status, table.Rows[1].Status)
	}
	for _, want := range []string{"99 %", "ALBEF's own time, 22 s", "left out: 1."} {
		if !strings.Contains(table.Note, want) {
			t.Errorf("got the note %q, want %q in it", table.Note, want)
		}
	}
}

// Every curve is in C, over the mean clock, to the end of its shortest run.
func TestClockFigure(t *testing.T) {
	no := math.NaN()
	r, _ := clockReport(t, map[string][]clocked{
		"ALBEF":  {{[]float64{10, 20}, []float64{50, 100}}},
		"FALCON": {{[]float64{30, 60, 90, 120}, []float64{10, no, 20, 90}}, {[]float64{10, 20, 30}, []float64{20, no, 40}}},
	})
	figure := papertest.Figure(t, r)
	if len(figure.Panels) != 3 {
		t.Fatalf("got %d panels, want three", len(figure.Panels))
	}
	for k, scale := range []float64{0.5, 0.25, 1} { // TR@1, IR@1 and the mean of recalls
		lines := figure.Panels[k].(plots.Lines)
		if len(lines.Series) != 2 || !strings.Contains(lines.XLabel, "(C)") {
			t.Fatalf("panel %d: got %d curves over %q, want two over C", k, len(lines.Series), lines.XLabel)
		}
		albef, falcon := lines.Series[0], lines.Series[1]
		if !slices.Equal(albef.X, []float64{0.5, 1}) || !slices.Equal(albef.Mean, []float64{50 * scale, 100 * scale}) {
			t.Errorf("panel %d: got ALBEF %+v", k, albef)
		}
		if !slices.Equal(falcon.X, []float64{1, 3}) || !slices.Equal(falcon.Mean, []float64{15 * scale, 30 * scale}) {
			t.Errorf("panel %d: got FALCON %+v, want its first and third epoch", k, falcon)
		}
	}
	if err := figure.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}
}

func TestClockWithoutALBEF(t *testing.T) {
	r, table := clockReport(t, map[string][]clocked{
		"ALBEF":  {{nil, []float64{50, 100}}},
		"FALCON": {{[]float64{22, 44}, []float64{30, 60}}},
	})
	falcon := table.Rows[3].Cells
	if falcon[0][1].N != 0 || falcon[1][1].Mean != 2 || falcon[2][1].Mean != 22 {
		t.Errorf("got %+v, want 2 epochs of 22 s, and nothing in C", falcon)
	}
	if !strings.Contains(table.Note, "nothing is in C") {
		t.Errorf("got the note %q, want it to say that there is no C", table.Note)
	}
	lines := papertest.Figure(t, r).Panels[2].(plots.Lines)
	if len(lines.Series) != 1 || !slices.Equal(lines.Series[0].X, []float64{22, 44}) || !strings.Contains(lines.XLabel, "(s)") {
		t.Errorf("got %+v, want FALCON over seconds", lines)
	}
}

func TestClockWithoutResults(t *testing.T) {
	r, table := clockReport(t, nil)
	if figure, err := r.Figure(); figure != nil || err != nil {
		t.Errorf("got figure %v, error %v; want none", figure, err)
	}
	if len(table.Rows) != 4 || table.Rows[3].Cells[0][0] != tables.Number(0.83) || table.Rows[3].Cells[0][1].N != 0 {
		t.Errorf("got %+v, want the paper's numbers alone", table.Rows)
	}
}

// Clocks are compared in seconds: GRIT-VLP's epochs take half as long as FALCON's, by a second more or less. Where one seed has none,
// nothing is.
func TestClockClaims(t *testing.T) {
	r, _ := clockReport(t, map[string][]clocked{
		"FALCON": {{[]float64{10, 20}, []float64{50, 60}}, {[]float64{11, 22}, []float64{50, 60}},
			{[]float64{12, 24}, []float64{60, 50}}},
		"GRIT-VLP": {{[]float64{5, 10}, []float64{60, 50}}, {[]float64{5, 10}, []float64{60, 50}}, {[]float64{5, 10}, []float64{60, 50}}},
		"MAFA":     {{[]float64{5, 10}, []float64{60, 50}}, {[]float64{6, 12}, []float64{60, 50}}, {[]float64{7, 14}, []float64{60, 50}}},
		"ALBEF":    {{[]float64{5, 10}, []float64{60, 50}}, {nil, []float64{60, 50}}, {[]float64{5, 10}, []float64{60, 50}}},
	})
	for text, want := range map[string]float64{
		"GRIT-VLP below FALCON in Time of training an epoch":       -6,
		"MAFA below FALCON in Time of training an epoch":           -5,
		"GRIT-VLP below FALCON in Time of training to convergence": -13,
	} {
		got := papertest.Finding(r, text)
		if got.Difference == nil || math.Abs(*got.Difference-want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", text, got.Difference, want)
		}
	}
	if got := papertest.Finding(r, "FALCON below ALBEF in Time of training an epoch"); got.Verdict != paper.Untested ||
		got.Reason != paper.SomeSeeds {
		t.Errorf("with two of ALBEF's three clocks: got %q", got.Conclusion())
	}
}
