package preset_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// spoken plans BLIP-2 alone and with MAFA on noisy captions, with downstream tasks.
func spoken(t *testing.T, q plan.Request, tasks ...plan.Downstream) *plan.Plan {
	t.Helper()
	noisy := func(method string) plan.Row {
		return preset.Row(method).On("BLIP-2", func(s *scale.Scale) { s.CaptionNoise = plan.WebNoise })
	}
	q.Scale = "tiny"
	return must.Get(plan.New(plan.Experiment{ID: "test/spoken", Rows: []plan.Row{noisy(""), noisy("MAFA")}, Downstream: tasks}, q))(t)
}

// A second stage goes on from each row's and seed's first, on its captions; all have the language model of one run, on captions without
// noise, with questions, and what is written elsewhere is asked of the same second stages.
func TestGeneration(t *testing.T) {
	planned := func(set ...string) *plan.Plan {
		return spoken(t, plan.Request{Seeds: []uint64{3, 5}, Set: set}, preset.Generation, preset.GenerationElsewhere)
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
				t.Errorf("%s: got %+v, want a second stage on the captions of %s", p.Experiment.Rows[i].Name, r, first.ID())
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
					tasks[1].(eval.Asking).Questions != scale.Own[preset.Sizes](p.Scale).Questions {
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
	p := spoken(t, plan.Request{Seeds: []uint64{3}}, preset.Generation, preset.Captioning, preset.NoCaps)
	for i := range p.Rows {
		stage, tuned, asked := p.Jobs[i][0][1].Run, p.Jobs[i][0][2].Run, p.Jobs[i][0][3]
		if tuned.Init.ID() != stage.ID() || tuned.Language != nil || tuned.Train.Language != "" || tuned.Data.Scenes.CaptionNoise != 0 ||
			!reflect.DeepEqual(tuned.Train.Framework, stage.Train.Framework) || len(tuned.Tasks) != 2 ||
			tuned.Train.Epochs != scale.Own[preset.Sizes](p.Scale).Captioning.Epochs {
			t.Errorf("got %+v, want a fine-tuning of %s on clean captions", tuned, stage.ID())
		}
		if task, is := asked.Task.(eval.Elsewhere); !is || asked.Run.ID() != tuned.ID() || task.Target.Scenes.World == "" {
			t.Errorf("asked %s for %+v, want the fine-tuned one about other scenes", asked.Run.ID(), asked.Task)
		}
	}
}

// Of photographs without questions captions alone are measured; a framework without queries has no second stage, which the plan says.
func TestGenerationTakesWhatThereIs(t *testing.T) {
	folder := papertest.Photographs(t)
	p := spoken(t, plan.Request{Seeds: []uint64{1}, Data: folder, Set: []string{"locked.side=0"}}, preset.Generation)
	if r := p.Jobs[0][0][1].Run; len(r.Tasks) != 1 || r.Tasks[0].(eval.Captioning).Images != 0 {
		t.Errorf("photographs without questions are measured by %+v", r.Tasks)
	}
	p = must.Get(plan.New(plan.Experiment{ID: "test/put", Rows: []plan.Row{plan.MethodRow("InfoNCE")},
		Downstream: []plan.Downstream{preset.Generation}}, plan.Request{Scale: "tiny", Seeds: []uint64{1}}))(t)
	if note := p.LeftNote(); !strings.Contains(note, "Not measured: generation, which needs queries") {
		t.Errorf("of ALBEF: %s", note)
	}
}
