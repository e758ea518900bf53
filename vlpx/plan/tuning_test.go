package plan_test

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// What a run needs comes before it, once: the reference model, what that starts from, and the pre-training.
func TestPlanOfFineTuning(t *testing.T) {
	conD := plan.MethodRow("Con-D")
	tuned := plan.MethodRow("SRCL").As("tuned").Tuned(scale.DistilledTuning)
	tuned.Reference = &conD
	a := plan.Experiment{ID: "test/tuning", Rows: []plan.Row{
		tuned,
		plan.MethodRow("S-ITC"),
		plan.MethodRow("InfoNCE").As("plain"),
		plan.MethodRow("InfoNCE").As("plain tuned").Tuned(scale.PlainTuning),
	}}
	p := must.Get(plan.New(a, plan.Request{Scale: "tiny", Seeds: []uint64{2, 1},
		Set: []string{"captionnoise=0.3", "tuning.rate=3e-3"}}))(t)
	runs := p.Runs()
	var names []string
	at := map[string]int{}
	for i, r := range runs {
		names = append(names, r.Train.Method.Name)
		at[r.ID()] = i
		for _, needed := range r.Needs() {
			if before, listed := at[needed.ID()]; !listed || before >= i {
				t.Errorf("%s is not before %s, which needs it", needed.Train.Method.Name, r.Train.Method.Name)
			}
		}
	}
	each := []string{"Con-D", "Con-D fine-tuned", "tuned", "tuned fine-tuned", "plain", "plain tuned fine-tuned"}
	if listtest.Equal(t, "runs, of which Con-D's pre-training is S-ITC's", names, slices.Concat(each, each)); t.Failed() {
		t.FailNow()
	}
	if got, want := p.Rows[1][0].ID(), runs[0].ID(); got != want {
		t.Errorf("S-ITC is run %s, want %s, Con-D's pre-training", got, want)
	}

	before, after := runs[2], runs[3]
	if before.Train.Reference != runs[1].ID() || after.Train.Reference != "" || after.Reference != nil {
		t.Errorf("got the reference models %q and %q, want Con-D fine-tuned in pre-training alone", before.Train.Reference,
			after.Train.Reference)
	}
	if after.Train.Init != before.ID() || after.Init.ID() != before.ID() || before.Train.Init != "" || before.Train.Select != "" {
		t.Errorf("fine-tuning starts from %q, want %q, and pre-training from nothing", after.Train.Init, before.ID())
	}
	if before.Data.Scenes.CaptionNoise != 0.3 || after.Data.Scenes.CaptionNoise != 0 {
		t.Errorf("got caption noise %g and %g, want 0.3 in pre-training alone", before.Data.Scenes.CaptionNoise,
			after.Data.Scenes.CaptionNoise)
	}
	want := before.Train
	want.Init, want.Reference, want.Select = before.ID(), "", "R mean"
	want.Method = negative.Method{Name: "tuned fine-tuned", Matching: negative.Sampled{},
		Contrast: negative.Distilled{Alpha: 0.4, Decay: 0.995, Queue: 64, Items: true}}.WithDefaults()
	want.Objectives = negative.Of(negative.ITC, negative.ITM)
	want.Epochs, want.Schedule = 1, train.Schedule{Warmup: 4e-5, Rate: 3e-3, Min: 4e-5, Units: 5, Unit: 1, Epochs: 1}
	if got, want := (run.Run{Train: after.Train}), (run.Run{Train: want}); string(got.JSON()) != string(want.JSON()) {
		t.Errorf("got fine-tuning\n%s\nwant\n%s", got.JSON(), want.JSON())
	}
	if got := runs[5].Train.Method.Contrast.(negative.Distilled).Alpha; got != 0 {
		t.Errorf("got soft targets with the weight %g in GRIT-VLP's and MAFA's fine-tuning, want none", got)
	}
}
