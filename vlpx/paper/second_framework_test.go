package paper_test

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Beside a row on ALBEF stands the same on BLIP-2, with its method, noise and reference model, whose metrics join under the framework's
// name.
func TestBeside(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "mafa/table9", plan.Request{Seeds: []uint64{1, 2}})
	store := run.OpenStore(t.TempDir())
	for i, row := range p.Rows {
		for k, own := range row {
			o := p.Jobs[i][k][1]
			r := o.Run
			if o.Task != nil || own.Train.Framework.Name() != "ALBEF" || r.Train.Framework.Name() != "BLIP-2" ||
				r.Train.Seed != own.Train.Seed ||
				r.Data.Scenes.CaptionNoise != own.Data.Scenes.CaptionNoise || r.Train.Method.Positives == nil {
				t.Errorf("beside %+v stands %+v", own, r)
			}
			if r.Reference == nil || r.Reference.Train.Framework.Name() != "BLIP-2" || r.Reference.ID() == own.Reference.ID() {
				t.Errorf("%s: its Con-D is none of BLIP-2", p.Artifact.Rows[i].Name)
			}
		}
	}
	if noise := p.Jobs[0][0][1].Run.Data.Scenes.CaptionNoise; noise != plan.WebNoise {
		t.Errorf("the first row has a noise of %g on BLIP-2", noise)
	}
	name := p.Artifact.Rows[2].Name
	metric := p.Artifact.Columns[slices.IndexFunc(p.Artifact.Columns, func(c paper.Column) bool { return c.Group == "BLIP-2" })].Metric
	papertest.Finish(t, store, p, name, map[string][]float64{"TR@1": {10, 20}})
	for k := range p.Seeds {
		r := p.Jobs[2][k][1].Run
		papertest.Put(t, store, r, run.Result{ID: r.ID(), Metrics: map[string]float64{strings.TrimPrefix(metric, "BLIP-2 "): 30,
			"TR@1": 99}, Finished: papertest.Noon})
	}
	if s := papertest.Row(papertest.Report(t, p, store), name); *s.Metrics[metric].Mean != 30 {
		t.Errorf("got %+v", s.Metrics)
	}
}

// Con-D of BLIP-2 with MAFA is the plain row's model, fine-tuned for retrieval.
func TestBLIP2sConD(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "falcon/table3", plan.Request{Seeds: []uint64{1, 2}})
	plain, mafa := p.Rows[papertest.RowNumber(t, p, "BLIP-2")], p.Rows[papertest.RowNumber(t, p, "BLIP-2 + MAFA")]
	for k := range p.Seeds {
		judge := mafa[k].Reference
		if judge == nil || judge.Init == nil || judge.Init.ID() != plain[k].ID() || judge.Train.Framework.Name() != "BLIP-2" ||
			judge.Train.Method.Positives != nil {
			t.Errorf("seed %d: MAFA asks %+v, want %s fine-tuned", p.Seeds[k], judge, plain[k].ID())
		}
		if plain[k].Reference != nil || plain[k].Encoder == nil || plain[k].Encoder.ID() != mafa[k].Encoder.ID() {
			t.Errorf("seed %d: the rows see by other encoders", p.Seeds[k])
		}
	}
}
