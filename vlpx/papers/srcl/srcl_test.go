package srcl

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// weighed is an epoch's record whose false and true negatives have the given weights; its mini-batch is of two pairs.
func weighed(pairs [2]int, fn, tn []float64, lowest ...negative.Weighed) train.Record {
	w := &negative.Weighing{Pairs: pairs[:], Batch: []float64{0, fn[0], tn[0], 0}, Lowest: lowest}
	for _, x := range fn {
		w.All.Add(x)
		w.False.Add(x)
	}
	for _, x := range tn {
		w.All.Add(x)
		w.True.Add(x)
	}
	return train.Record{Observed: negative.Observations{"weighing": w}}
}

func TestWeightsTable(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "srcl/figure7", plan.Request{Seeds: []uint64{1, 2}})
	papertest.Histories(t, store, p, "SRCL",
		[]train.Record{weighed([2]int{0, 9}, []float64{0.1}, []float64{1.5}),
			weighed([2]int{0, 9}, []float64{0.2, 0.4}, []float64{1, 1.2})},
		[]train.Record{weighed([2]int{3, 4}, []float64{0.3}, []float64{0.5}), weighed([2]int{3, 4}, []float64{0.6}, []float64{0.25})})
	papertest.Histories(t, store, p, sharpSRCL, []train.Record{{}}) // an older version's
	table := papertest.Table(t, papertest.Report(t, p, store))

	if len(table.Rows) != 3 || table.Rows[2].Status != "1 of 2 seeds" {
		t.Fatalf("got %d lines, the last %+v; want two epochs of SRCL, and what is missing", len(table.Rows), table.Rows[len(table.Rows)-1])
	}
	got := table.Rows[1].Cells
	if got[0][0].Text != "2" || !papertest.Near(got[1][0].Mean, 0.4) || got[1][0].N != 3 || !papertest.Near(got[2][0].Mean, 2.45/3) {
		t.Errorf("epoch 2: got %+v", got)
	}
	if auc := got[3][0].Mean; math.Abs(auc-100*7.0/9) > 1e-9 { // 0.25 weighs less than 0.4 and 0.6
		t.Errorf("epoch 2: got an AUC of %v, want 7 of 9", auc)
	}
	if below := got[4][0].Mean; !papertest.Near(below, 0) { // 0.2 is not below itself
		t.Errorf("below 0.2: got %v", below)
	}
	if below := got[5][0].Mean; !papertest.Near(below, 100.0/3) {
		t.Errorf("below 0.3: got %v, want a third", below)
	}
}

func TestHeatFigure(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "srcl/figure7", plan.Request{Seeds: []uint64{1}})
	if d, err := papertest.Report(t, p, store).Figure(); d != nil || err != nil {
		t.Errorf("nothing to draw: got %v, %v", d, err)
	}
	papertest.Histories(t, store, p, "SRCL", []train.Record{weighed([2]int{0, 1}, []float64{0.2}, []float64{1})}) // captions of one image
	drawing := must.Get(papertest.Report(t, p, store).Figure())(t)
	h := drawing.(plots.Figure).Panels[0].(plots.Heat)
	if h.Title != "SRCL" || !math.IsNaN(h.Values[0][0]) || h.Values[0][1] != 0.2 || h.Values[1][0] != 1 || !h.Marked[0][1] ||
		h.Marked[1][1] {
		t.Errorf("got %+v", h)
	}
}

func TestLowestWeights(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "srcl/figure8", plan.Request{Seeds: []uint64{1}})
	set := must.Get(p.Data.TrainingSet())(t)
	pairs, relation := datasets.Pairs(set), set.(datasets.Related).Relation()
	var lowest []negative.Weighed
	for k := range 7 {
		lowest = append(lowest, negative.Weighed{Anchor: 7 * k, Negative: 7*k + 60, Weight: float64(k) / 10})
	}
	papertest.Histories(t, store, p, "SRCL", []train.Record{weighed([2]int{0, 1}, []float64{0.2}, []float64{1}, lowest...)})
	r := papertest.Report(t, p, store)
	drawing := must.Get(r.Figure())(t)
	if rows := drawing.(plots.Pictures).Rows; len(rows) != 3 || !strings.HasPrefix(rows[1].Pictures[3].Caption, "0.30: ") {
		t.Errorf("got %d rows, want two of seven negatives in each of three", len(rows))
	}
	table := papertest.Table(t, r)
	if len(table.Rows) != 1+len(lowest) || table.Rows[len(lowest)].Status != "0 of 1 seeds" {
		t.Fatalf("got %d lines", len(table.Rows))
	}
	for k, x := range lowest {
		holds, _ := relation.Holds(pairs[x.Anchor].Image, x.Negative)
		if got := table.Rows[k].Cells; got[0][0].Text != pairs[x.Anchor].Text(set) || (got[3][0].Text == "yes") != holds {
			t.Errorf("line %d: got %+v", k, got)
		}
	}
}

// Points of both temperatures begin where nothing is removed; SRCL is a line across.
func TestThresholdFigure(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "srcl/figure3", plan.Request{Seeds: []uint64{1, 2}})
	papertest.Finish(t, store, p, "Nothing removed", map[string][]float64{"IR@1": {10, 20}})
	papertest.Finish(t, store, p, thresholdName(0.2, negative.Sharp), map[string][]float64{"IR@1": {30, 30}})
	papertest.Finish(t, store, p, "SRCL", map[string][]float64{"IR@1": {40, 44}})
	papertest.Histories(t, store, p, sharpSRCL, []train.Record{weighed([2]int{0, 1}, []float64{0.12}, []float64{1, 1})})
	drawing := must.Get(papertest.Report(t, p, store).Figure())(t)
	panels := drawing.(plots.Figure).Panels
	if len(panels) != 3 {
		t.Fatalf("got %d panels, want IR@1, the distribution and what it is made of", len(panels))
	}
	var got []string
	for _, s := range panels[0].(plots.Lines).Series {
		got = append(got, s.Name)
		switch s.Name {
		case "no temperature":
			if !slices.Equal(s.X, []float64{0}) || s.Mean[0] != 15 {
				t.Errorf("%s: got %v at %v", s.Name, s.Mean, s.X)
			}
		case temperatureName(negative.Sharp):
			if !slices.Equal(s.X, []float64{0, 0.2}) || !slices.Equal(s.Mean, []float64{15, 30}) {
				t.Errorf("%s: got %v at %v", s.Name, s.Mean, s.X)
			}
		case "SRCL":
			if !slices.Equal(s.X, []float64{0, 0.7}) || !slices.Equal(s.Mean, []float64{42, 42}) {
				t.Errorf("%s: got %v at %v", s.Name, s.Mean, s.X)
			}
		}
	}
	if want := []string{"no temperature", temperatureName(negative.Sharp), "SRCL"}; !slices.Equal(got, want) {
		t.Errorf("got series %q, want %q", got, want)
	}
	density := panels[1].(plots.Lines).Series[0]
	if density.X[2] != 2.5*negative.WeightBin || !papertest.Near(density.Mean[2], 1.0/3/negative.WeightBin) ||
		len(density.X) != negative.WeightBins-1 {
		t.Errorf("got density %v at %v", density.Mean, density.X)
	}
}

func TestRetrievalExamples(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "srcl/figure6", plan.Request{Seeds: []uint64{1}})
	set := must.Get(p.Data.TestSet())(t)
	own := datasets.Pairs(set)[0].Image
	var examples []eval.Retrieved
	for k := range 6 {
		examples = append(examples, eval.Retrieved{Caption: k / 5, Cosine: []int{3, own, 4}, Matched: []int{5, 6, 3}})
	}
	srclRun, albefRun := p.Rows[1][0], p.Rows[0][0]
	papertest.Put(t, store, srclRun, run.Result{ID: srclRun.ID(), Seed: 1, Examples: eval.RetrievedImages.Examples(examples),
		Finished: papertest.Noon})
	papertest.Put(t, store, albefRun, run.Result{ID: albefRun.ID(), Seed: 1, Finished: papertest.Noon}) // of an older version
	r := papertest.Report(t, p, store)
	table := papertest.Table(t, r)
	if len(table.Rows) != 3 || !strings.Contains(table.Rows[0].Status, "older version") {
		t.Fatalf("got %+v, want ALBEF's run said to be older, and two examples of SRCL", table.Rows)
	}
	cells := table.Rows[1].Cells
	if cells[1][0].Text != "2" || cells[2][0].Text != "" {
		t.Errorf("own image: got %q and %q, want 2 and nothing", cells[1][0].Text, cells[2][0].Text)
	}
	relation, n := set.(datasets.Related).Relation(), 0
	for _, image := range []int{3, own, 4} {
		if holds, _ := relation.Holds(image, 0); holds {
			n++
		}
	}
	if got := cells[3][0].Text; got != string(rune('0'+n)) {
		t.Errorf("got %s true images, want %d", got, n)
	}
	drawing := must.Get(r.Figure())(t)
	rows := drawing.(plots.Pictures).Rows
	if len(rows) != 2 || len(rows[0].Pictures) != 3 {
		t.Fatalf("got %+v", rows)
	}
	if got := rows[0].Pictures[1]; got.Caption != "2, its own image" || got.Mark != plots.TruePair {
		t.Errorf("the second picture: got %q with mark %v", got.Caption, got.Mark)
	}
}

// Portions of the data are of the training images alone, and a whole portion is the whole data's run.
func TestPortions(t *testing.T) {
	p, whole := papertest.Plan(t, Artifacts(), "srcl/figure4", plan.Request{Seeds: []uint64{1}}),
		papertest.Plan(t, Artifacts(), "srcl/table4", plan.Request{Seeds: []uint64{1}})
	for k, want := range []int{6, 12, 24} {
		for _, row := range []int{k, 3 + k} {
			if s := p.Rows[row][0].Data.Scenes; s.Train != want || s.Test != 16 {
				t.Errorf("%s: got %d training and %d test images, want %d and 16", p.Artifact.Rows[row].Name, s.Train, s.Test, want)
			}
		}
	}
	if p.Rows[2][0].ID() != whole.Rows[0][0].ID() || p.Rows[5][0].ID() != whole.Rows[1][0].ID() {
		t.Error("all of the data are other runs than table 4's")
	}
	if reference := p.Rows[3][0].Reference; reference == nil || reference.Data.Scenes.Train != 6 {
		t.Error("the reference model of a portion is not of that portion")
	}
}

// At the temperature of SRCL without weights its fine-tuning is InfoNCE, summed over its directions, but for Matching's similarities.
func TestFlatWeights(t *testing.T) {
	backend := enginetest.PureGo(t)
	for _, c := range []struct {
		method func(scale.Scale) negative.Method
		same   bool
	}{{weightedTuning, false}, {unweightedTuning, true}} {
		contrast := c.method(scale.Scale{}).Contrast
		got := must.Get(graph.CallOnceN(backend, func(u, w, items *graph.Node) []*graph.Node {
			f := negative.Features{Image: u, Text: w, Items: items, Temperature: graph.ConstAs(u, 0.5)}
			return []*graph.Node{contrast.ITC(f).Loss, graph.MulScalar(negative.InfoNCE{}.ITC(f).Loss, 2)}
		}, [][]float64{{1, 0}, {0, 1}, {0.6, 0.8}}, [][]float64{{0.8, 0.6}, {0, 1}, {1, 0}}, []int32{1, 2, 3}))(t)
		loss, plain := got[0].Value().(float64), got[1].Value().(float64)
		if off := math.Abs(loss - plain); (off < 1e-5) != c.same {
			t.Errorf("%+v: got %v, InfoNCE twice is %v", contrast, loss, plain)
		}
	}
}
