package ours

import (
	"math"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// What false negatives cost is told seed by seed, and stands over the share of a place's run that has them.
func TestMap(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/map", plan.Request{Seeds: []uint64{1, 2}})
	for name, v := range map[string][][]float64{ // cosine IR mAP, FN hardest
		"CLIP spec uniform":                         {{50, 60}, {40, 42}},
		"CLIP spec uniform without the false ones":  {{51, 64}, {0, 0}},
		"CLIP half uniform":                         {{50, 50}, {10, 20}},
		"CLIP half uniform without the false ones":  {{50, 52}, {0, 0}},
		"CLIP mid GRIT":                             {{50, 50}, {30, 30}},
		"ALBEF spec uniform without the false ones": {{50, 50}, {30, 30}},
	} {
		papertest.Finish(t, store, p, name, map[string][]float64{"cosine IR mAP": v[0], "FN hardest": v[1], "FN in batch": v[1]})
	}
	r := papertest.Report(t, p, store)

	table := papertest.Table(t, r)
	at := func(place string) tables.Row {
		return table.Rows[slices.IndexFunc(table.Rows, func(row tables.Row) bool { return row.Name == place })]
	}
	if got := at("CLIP spec uniform").Cells[5][0]; !papertest.Near(got.Mean, 2.5) || !papertest.Near(got.Std, 1.5*math.Sqrt2) || got.N != 2 {
		t.Errorf("got %+v gained, want the mean of 1 and 4", got)
	}
	if got := at("CLIP spec uniform").Cells[1][0]; !papertest.Near(got.Mean, 41) {
		t.Errorf("got %+v false among the hardest, want 41", got)
	}
	if got := at("CLIP mid GRIT").Cells[5][0]; got.N != 0 {
		t.Errorf("got %+v, want nothing of a place that lacks a run", got)
	}

	panels := papertest.Figure(t, r).Panels
	if len(panels) != 1 {
		t.Fatalf("got %d panels, want that of CLIP", len(panels))
	}
	series := panels[0].(plots.Lines).Series
	if len(series) != 1 || series[0].Name != "uniform" || !slices.Equal(series[0].X, []float64{15, 41}) ||
		!slices.Equal(series[0].Mean, []float64{1, 2.5}) {
		t.Errorf("got %+v, want half before spec", series)
	}
}

// Data are placed by their share beside the uniform places: the mark where it lies, and of each framework the nearest place.
func TestPlaced(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/map", plan.Request{Seeds: []uint64{1, 2}, Scale: "tiny"})
	empty := papertest.Report(t, p, store)
	if drawing, err := Placed(empty, 3); drawing != nil || err != nil {
		t.Errorf("without results: got %v, %v, want no figure", drawing, err)
	}
	if table := must.Get(Nearest(empty, 3))(t); len(table.Rows) != 0 {
		t.Errorf("without results: got %+v, want no place", table.Rows)
	}
	for name, v := range map[string][2][]float64{ // cosine IR mAP, FN in batch
		"CLIP spec uniform": {{50, 60}, {1, 1}}, "CLIP spec uniform without the false ones": {{51, 64}, {0, 0}},
		"CLIP half uniform": {{50, 50}, {8, 8}}, "CLIP half uniform without the false ones": {{50, 52}, {0, 0}},
		"CLIP mid GRIT": {{50, 50}, {3, 3}}, "CLIP mid GRIT without the false ones": {{50, 52}, {0, 0}},
	} {
		papertest.Finish(t, store, p, name, map[string][]float64{"cosine IR mAP": v[0], "FN in batch": v[1]})
	}
	r := papertest.Report(t, p, store)
	for share, want := range map[float64]string{0: "CLIP spec uniform", 2: "CLIP spec uniform", 3.456: "CLIP half uniform", 50: "CLIP half uniform"} {
		if table := must.Get(Nearest(r, share))(t); len(table.Rows) != 1 || table.Rows[0].Name != want {
			t.Errorf("%v: got %+v, want %s", share, table.Rows, want)
		}
		series := must.Get(Placed(r, share))(t).(plots.Figure).Panels[0].(plots.Lines).Series
		if last := series[len(series)-1]; (last.Name == "your data") != (share > 0) {
			t.Errorf("%v: got the last series %+v", share, last)
		} else if share == 3.456 && !slices.Equal(last.X, []float64{3.5}) {
			t.Errorf("got the mark at %v, want it to two digits", last.X)
		}
	}
}
