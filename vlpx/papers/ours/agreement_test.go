package ours

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
)

// disagreeing has three methods in two seeds. Own R@1, the mean of both directions, ranks InfoNCE, ALBEF, FALCON in seed 1 and InfoNCE,
// FALCON, ALBEF in seed 2: τ with itself (2-1)/3. The AUC ranks them the other way round in seed 1, τ -1; FALCON, InfoNCE, ALBEF in seed 2,
// τ 1/3.
func disagreeing(t *testing.T, seeds ...uint64) *paper.Report {
	t.Helper()
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/agreement", plan.Request{Seeds: seeds})
	papertest.Finish(t, store, p, "InfoNCE", map[string][]float64{"TR@1": {30, 32}, "IR@1": {32, 30}, "AUC": {60, 70}, "TR mAP": {9, 9},
		"IR mAP": {8, 8}})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {20, 10}, "IR@1": {22, 12}, "AUC": {70, 60}, "TR mAP": {7, 7},
		"IR mAP": {6, 6}})
	papertest.Finish(t, store, p, "FALCON", map[string][]float64{"TR@1": {10, 20}, "IR@1": {12, 22}, "AUC": {80, 80}, "TR mAP": {5, 5},
		"IR mAP": {4, 4}})
	return papertest.Report(t, p, store)
}

// rowCells are the texts and numbers of this store's in a row of a table.
func rowCells(t *testing.T, table tables.Table, name string) []tables.Value {
	t.Helper()
	at := slices.IndexFunc(table.Rows, func(r tables.Row) bool { return r.Name == name })
	if at < 0 {
		t.Fatalf("no row %q", name)
	}
	var values []tables.Value
	for _, cell := range table.Rows[at].Cells {
		if len(cell) < 2 {
			cell = tables.Cell{{}, {}}
		}
		values = append(values, cell[1])
	}
	return values
}

func TestAgreementTable(t *testing.T) {
	r := disagreeing(t, 1, 2)
	table := papertest.Table(t, r)
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	want := []string{"own R@1", "rank", "R@1, true accepted", "rank", "AUC, judged pairs", "rank", "mAP@R, ECCV", "rank",
		"mAP, all true", "rank"}
	if !slices.Equal(names, slices.Concat(want, want)) {
		t.Fatalf("got columns %q, want %q re-ranked and by cosine, whether or not a run has them", names, want)
	}
	if cells := rowCells(t, table, "ALBEF"); cells[2] != (tables.Value{}) || cells[3] != (tables.Value{}) || cells[10] != (tables.Value{}) {
		t.Errorf("ALBEF: got %+v, want nothing in columns that no run has", cells)
	}
	for name, want := range map[string][3]string{"InfoNCE": {"1", "2.5", "1"}, "ALBEF": {"2.5", "2.5", "2"}, "FALCON": {"2.5", "1", "3"}} {
		cells := rowCells(t, table, name)
		if got := [3]string{cells[1].Text, cells[5].Text, cells[9].Text}; got != want {
			t.Errorf("%s: got ranks %q, want %q", name, got, want)
		}
	}
	near := func(what string, got tables.Value, mean, std float64, n int) {
		t.Helper()
		if math.Abs(got.Mean-mean) > 1e-9 || n > 1 && math.Abs(got.Std-std) > 1e-9 || got.N != n {
			t.Errorf("%s: got %v ± %v of %d, want %v ± %v of %d", what, got.Mean, got.Std, got.N, mean, std, n)
		}
	}
	near("InfoNCE's own recall", rowCells(t, table, "InfoNCE")[0], 31, 0, 2)
	// The means, 31, 16, 16 and 65, 65, 80: one pair of methods disagrees, either list ties another.
	near("AUC of means", rowCells(t, table, tauOfMeans)[4], -1./2, 0, 1)
	near("AUC", rowCells(t, table, tauOfSeeds)[4], -1./3, math.Sqrt(2)*2/3, 2)
	near("mAP", rowCells(t, table, tauOfSeeds)[8], 2./3, math.Sqrt(2)/3, 2)
	near("own recall with itself", rowCells(t, table, tauToSelf)[0], 1./3, 0, 1)
	near("AUC with itself", rowCells(t, table, tauToSelf)[4], 1./3, 0, 1)
	near("mAP with itself", rowCells(t, table, tauToSelf)[8], 1, 0, 1)
	near("own recall in a seed", rowCells(t, table, tauOfSeeds)[0], 0, 0, 0)
}

func TestAgreementFigure(t *testing.T) {
	figure := papertest.Figure(t, disagreeing(t, 1, 2))
	if len(figure.Panels) != 2 {
		t.Fatalf("got %d panels, want those of AUC and mAP", len(figure.Panels))
	}
	auc := figure.Panels[0].(plots.Ranks)
	if want := "Re-ranked by ITM: τ = −0.33 ± 0.94"; auc.Title != want {
		t.Errorf("got the title %q, want %q", auc.Title, want)
	}
	want := []plots.RankSeries{
		{Name: "InfoNCE", Mean: [2]float64{1, 2.5}, Std: [2]float64{0, math.Sqrt(.5)}},
		{Name: "ALBEF", Mean: [2]float64{2.5, 2.5}, Std: [2]float64{math.Sqrt(.5), math.Sqrt(.5)}},
		{Name: "FALCON", Mean: [2]float64{2.5, 1}, Std: [2]float64{math.Sqrt(.5), 0}},
	}
	if !slices.Equal(auc.Series, want) {
		t.Errorf("got %+v, want %+v", auc.Series, want)
	}
	if err := figure.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}

	one := papertest.Figure(t, disagreeing(t, 1))
	if got := one.Panels[0].(plots.Ranks).Title; got != "Re-ranked by ITM: τ = −1.00" || !strings.Contains(one.Note, "One seed") {
		t.Errorf("one seed: got %q with the note %q", got, one.Note)
	}
	if err := one.PDF(io.Discard); err != nil {
		t.Errorf("one seed: %v", err)
	}
}

// Of photographs people do not know all that is true: mAP is left out, but for ECCV Caption's queries.
func TestAgreementOfPhotographs(t *testing.T) {
	r := disagreeing(t, 1, 2)
	r.Data.Scenes = nil
	if table := papertest.Table(t, r); len(table.Columns) != 16 || len(papertest.Figure(t, r).Panels) != 1 {
		t.Errorf("got %d columns and %d panels, want two times four measures with their ranks, and AUC's panel", len(table.Columns),
			len(papertest.Figure(t, r).Panels))
	}
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/agreement", plan.Request{Seeds: []uint64{1}})
	for k, name := range []string{"ALBEF", "MAFA"} {
		v := []float64{float64(k)}
		papertest.Finish(t, store, p, name, map[string][]float64{"TR@1": v, "IR@1": v, "TR mAP@R": v, "IR mAP@R": v, "cosine TR@1": v,
			"cosine IR@1": v, "cosine AUC": v})
	}
	var titles []string
	for _, panel := range papertest.Figure(t, papertest.Report(t, p, store)).Panels {
		titles = append(titles, panel.(plots.Ranks).Title+" "+panel.(plots.Ranks).Right)
	}
	if want := []string{"Re-ranked by ITM: τ = 1.00 mAP@R, ECCV", "By cosine: τ = 1.00 AUC, judged pairs"}; !slices.Equal(titles, want) {
		t.Errorf("got %q, want %q", titles, want)
	}
}

// A seed that some of the methods lack is left out, and one method has no ranking.
func TestAgreementOfAHalfDoneGrid(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/agreement", plan.Request{Seeds: []uint64{1, 2}})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {1, 2}, "IR@1": {1, 2}, "AUC": {50, 60}})
	if figure, err := papertest.Report(t, p, store).Figure(); figure != nil || err != nil {
		t.Errorf("one method: figure %v, error %v", figure, err)
	}
	papertest.Finish(t, store, p, "MAFA", map[string][]float64{"TR@1": {2}, "IR@1": {2}, "AUC": {40}})
	if got := rowCells(t, papertest.Table(t, papertest.Report(t, p, store)), tauOfSeeds)[4]; got.N != 1 || got.Mean != -1 {
		t.Errorf("got τ %+v, want -1 of the one seed that both have", got)
	}
}

// From five seeds on τ of the means has an interval of the seeds drawn anew: of measures that always agree its ends are 1, and of one that
// turns round in two seeds of five they are both ends of τ. What is shipped counts where the store has nothing.
func TestAgreementInterval(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/agreement", plan.Request{Seeds: []uint64{1, 2, 3, 4, 5}})
	for k, name := range []string{"InfoNCE", "ALBEF", "FALCON"} {
		x := float64(k)
		papertest.Finish(t, store, p, name, map[string][]float64{"TR@1": {x, x, x, x, x}, "IR@1": {x, x, x, x, x}, "AUC": {x, x, x, -x, -x},
			"TR mAP": {x, x, x, x, x}, "IR mAP": {x, x, x, x, x}})
	}
	r := papertest.Report(t, p, store)
	cells := rowCells(t, papertest.Table(t, r), tauInterval)
	if cells[8].Text != "[1.00, 1.00]" || cells[4].Text != "[−1.00, 1.00]" || cells[0].Text != "" {
		t.Errorf("got %+v, want the intervals of AUC and mAP", cells)
	}
	if got := papertest.Figure(t, r).Panels[1].(plots.Ranks).Title; got != "Re-ranked by ITM: τ = 1.00 ± 0.00 [1.00, 1.00]" {
		t.Errorf("got the title %q", got)
	}
	papertest.Finish(t, store, p, "SRCL", map[string][]float64{"TR@1": {9, 9}, "IR@1": {9, 9}, "TR mAP": {0, 0}, "IR mAP": {0, 0}})
	r = papertest.Report(t, p, store)
	table := papertest.Table(t, r)
	if cells := rowCells(t, table, "SRCL"); cells[0].N != 2 || cells[1].Text != "" || rowCells(t, table, tauOfMeans)[8].Mean != 1 ||
		rowCells(t, table, tauOfSeeds)[8].N != 5 {
		t.Errorf("got %+v, want no rank of two seeds where others have five", cells)
	}
	if figure := papertest.Figure(t, r); !strings.Contains(figure.Note, "Means over 5 seeds") {
		t.Errorf("got the note %q, want the seeds of rows that are drawn", figure.Note)
	}
	shown := papertest.Report(t, p, run.OpenStore(t.TempDir()))
	for i := range shown.Rows {
		shown.Rows[i].Shipped = r.Rows[i].Seeds
	}
	k := ranked(shown, agreement.Columns[0], agreement.Columns[4])
	if low, high, ok := k.interval(); !ok || low != 1 || high != 1 || !k.shipped || len(k.from(tables.Value{})) != 3 {
		t.Errorf("shipped: got %v to %v of %d seeds", low, high, len(k.own))
	}
}

// Rows that know what is true are of scenes alone, unless they are named.
func TestAgreementOnPhotographs(t *testing.T) {
	data := papertest.Photographs(t)
	p := papertest.Plan(t, Artifacts(), "vlpx/agreement", plan.Request{Scale: "tiny", Data: data, Seeds: []uint64{1}})
	for i, row := range p.Artifact.Rows {
		if row.Scenes != (p.Rows[i] == nil) {
			t.Errorf("%s has the runs %v", row.Name, p.Rows[i])
		}
	}
	if note := p.LeftNote(); !strings.Contains(note, judgedExactly+" (which captions are true of which images)") {
		t.Errorf("got the note %q", note)
	}
	_, err := plan.New(agreement.Experiment(), plan.Request{Scale: "tiny", Data: data, Seeds: []uint64{1}, Methods: []string{judgedExactly}})
	must.Fail(t, err, "use generated scenes")
}
