package paper_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/blip2"
	blip2preset "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// spoken is BLIP-2 alone and with MAFA on noisy captions, with downstream tasks.
func spoken(tasks ...plan.Downstream) []paper.Artifact {
	noisy := func(method string) plan.Row {
		return blip2preset.Row(method).On("BLIP-2", func(s *scale.Scale) { s.CaptionNoise = plan.WebNoise })
	}
	return []paper.Artifact{{ID: "vlpx/spoken", Rows: []plan.Row{noisy(""), noisy("MAFA")}, Columns: paper.Retrieval(), Downstream: tasks,
		Table: paper.Comparison}}
}

// A second stage goes on from each row's and seed's first, on its captions; all have the language model of one run, on captions without
// noise, with questions, and what is written elsewhere is asked of the same second stages.
func TestGeneration(t *testing.T) {
	planned := func(set ...string) *paper.Planned {
		return papertest.Plan(t, spoken(blip2preset.Generation, blip2preset.GenerationElsewhere), "vlpx/spoken",
			plan.Request{Seeds: []uint64{3, 5}, Set: set})
	}
	p := planned()
	var language string
	stages := map[string]bool{}
	for i, row := range p.Rows {
		for k, first := range row {
			own, elsewhere := p.Jobs[i][k][1], p.Jobs[i][k][2]
			r := own.Run
			if own.Task != nil || r.Init.ID() != first.ID() || r.Train.Seed != p.Seeds[k] || r.Data.Hash != first.Data.Hash ||
				r.Data.Scenes.CaptionNoise != plan.WebNoise {
				t.Errorf("%s: got %+v, want a second stage on the captions of %s", p.Artifact.Rows[i].Name, r, first.ID())
			}
			m := r.Train.Framework.Framework.(blip2.Generative)
			speaks := r.Language.Train.Framework.Framework.(opt.Model)
			if m.Language != speaks.Text || m.BLIP2 != first.Train.Framework.Framework.(blip2.Model) ||
				r.Train.Language != r.Language.ID() {
				t.Errorf("got %+v in front of %+v", m, speaks)
			}
			if data := r.Language.Data; data.Scenes.CaptionNoise != 0 || data.Texts != run.Talk || !r.Language.Vocabulary.Grows ||
				r.Language.Locked != nil {
				t.Errorf("the language model is of %+v", r.Language)
			}
			if r.Train.MaxLen < r.Language.Train.MaxLen {
				t.Errorf("prompts of %d tokens, of a language model that reads %d", r.Train.MaxLen, r.Language.Train.MaxLen)
			}
			if language == "" {
				language = r.Language.ID()
			}
			if r.Language.ID() != language || stages[r.ID()] {
				t.Error("rows or seeds differ in the language model, or share a second stage")
			}
			stages[r.ID()] = true
			task, is := elsewhere.Task.(eval.Elsewhere)
			if !is || elsewhere.Run.ID() != r.ID() || task.Target.Hash == r.Data.Hash || task.Target.Scenes.World == "" ||
				task.Prefix != plan.SecondPrefix {
				t.Errorf("got %+v of %s, want what %s writes of other scenes", elsewhere.Task, elsewhere.Run.ID(), r.ID())
			}
			for _, tasks := range []eval.Tasks{r.Tasks, task.Of} {
				if len(tasks) != 2 || tasks[0].(eval.Captioning).Search.Max > p.Scale.MaxLen ||
					tasks[1].(eval.Asking).Questions != p.Scale.Asked {
					t.Errorf("measured by %+v, want captions and answers", tasks)
				}
			}
		}
	}
	var made []string
	for _, r := range p.Runs() {
		made = append(made, r.ID())
	}
	if at := slices.Index(made, language); at < 0 || slices.Contains(made[at+1:], language) ||
		slices.IndexFunc(made, func(id string) bool { return stages[id] }) < at {
		t.Error("the language model is not made once, before the second stages")
	}
	if p := planned("portion=0.5"); p.Jobs[0][0][1].Run.Language.ID() != language {
		t.Error("a part of the data has another language model")
	}
}

// Fine-tuning for captions goes on from the second stage, on captions without noise, and needs no other run; what it writes of other data
// is asked.
func TestCaptioningIsTuned(t *testing.T) {
	p := papertest.Plan(t, spoken(blip2preset.Generation, blip2preset.Captioning, blip2preset.NoCaps), "vlpx/spoken",
		plan.Request{Seeds: []uint64{3}})
	for i := range p.Rows {
		stage, tuned, asked := p.Jobs[i][0][1].Run, p.Jobs[i][0][2].Run, p.Jobs[i][0][3]
		if tuned.Init.ID() != stage.ID() || tuned.Language != nil || tuned.Train.Language != "" || tuned.Data.Scenes.CaptionNoise != 0 ||
			!reflect.DeepEqual(tuned.Train.Framework, stage.Train.Framework) || len(tuned.Tasks) != 2 ||
			tuned.Train.Epochs != p.Scale.Captioning.Epochs {
			t.Errorf("got %+v, want a fine-tuning of %s on clean captions", tuned, stage.ID())
		}
		if task, is := asked.Task.(eval.Elsewhere); !is || asked.Run.ID() != tuned.ID() || task.Target.Scenes.World == "" {
			t.Errorf("asked %s for %+v, want the fine-tuned one about other scenes", asked.Run.ID(), asked.Task)
		}
	}
}

// Of photographs without questions captions alone are measured; a framework without queries has no second stage, which the table tells.
func TestGenerationTakesWhatThereIs(t *testing.T) {
	folder := papertest.Photographs(t)
	p := papertest.Plan(t, spoken(blip2preset.Generation), "vlpx/spoken",
		plan.Request{Seeds: []uint64{1}, Data: folder, Set: []string{"locked.side=0"}})
	if r := p.Jobs[0][0][1].Run; len(r.Tasks) != 1 || r.Tasks[0].(eval.Captioning).Images != 0 {
		t.Errorf("photographs without questions are measured by %+v", r.Tasks)
	}
	p = papertest.Plan(t, put(blip2preset.Generation), "vlpx/put", plan.Request{Seeds: []uint64{1}})
	if note := papertest.Table(t, papertest.Report(t, p, run.OpenStore(t.TempDir()))).Note; !strings.Contains(note,
		"Not measured: generation, which needs queries") {
		t.Errorf("of ALBEF: %s", note)
	}
}

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
