package plan_test

import (
	"reflect"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

func TestSet(t *testing.T) {
	for _, c := range []struct {
		assignment string
		get        func(scale.Scale) any
		want       any
	}{
		{"epochs=7", func(s scale.Scale) any { return s.Epochs }, 7},
		{"EPOCHS=7", func(s scale.Scale) any { return s.Epochs }, 7},
		{"Dropout=0.25", func(s scale.Scale) any { return s.Dropout }, 0.25},
		{"dropout=.25", func(s scale.Scale) any { return s.Dropout }, 0.25},
		{"augment=true", func(s scale.Scale) any { return s.Augment }, true},
		{"captionnoise=0.3", func(s scale.Scale) any { return s.CaptionNoise }, 0.3},
		{"Scenes.Density=dbl", func(s scale.Scale) any { return s.Scenes.Density }, "dbl"},
		{"scenes.seed=9", func(s scale.Scale) any { return s.Scenes.Seed }, uint64(9)},
		{"Schedule.Rate=3e-4", func(s scale.Scale) any { return s.Schedule.Rate }, 3e-4},
		{"schedule.epochs=4", func(s scale.Scale) any { return s.Schedule.Epochs }, 4},
		{"tuning.rate=3e-3", func(s scale.Scale) any { return s.Tuning.Rate }, 3e-3},
		{"optimiser.weightdecay=0", func(s scale.Scale) any { return s.Optimiser.WeightDecay }, 0.0},
	} {
		s := must.Get(scale.Preset("mini", false))(t)
		before := s
		if err := s.Set(c.assignment); err != nil || c.get(s) != c.want {
			t.Errorf("%s: got %v, error %v; want %v", c.assignment, c.get(s), err, c.want)
		}
		if c.get(before) == c.want {
			t.Errorf("%s: the preset has that value already, so the test shows nothing", c.assignment)
		}
	}
}

// TestEpochsCarryTheCosine holds that the learning rate falls once over all of training, however many epochs are asked for, unless
// its length is set apart.
func TestEpochsCarryTheCosine(t *testing.T) {
	for _, c := range []struct {
		scale string
		set   []string
		want  int
	}{
		{"tiny", nil, 3},
		{"tiny", []string{"epochs=40"}, 40},
		{"tiny", []string{"epochs=40", "schedule.epochs=7"}, 7},
		{"tiny", []string{"Schedule.Epochs=7", "Epochs=40"}, 7},
		{"tiny", []string{"schedule.epochs=7"}, 7},
		{"paper", nil, 30},                   // of 20 epochs, as published
		{"paper", []string{"epochs=40"}, 60}, // as many times as long
	} {
		p := must.Get(plan.New(plan.Experiment{ID: "test/epochs", Rows: []plan.Row{plan.MethodRow("InfoNCE")}},
			plan.Request{Scale: c.scale, Set: append(c.set, "scenes.train=8"), Seeds: []uint64{1}}))(t)
		if got := p.Runs()[0].Train.Schedule.Epochs; got != c.want {
			t.Errorf("%s with %v: a cosine of %d epochs, want %d", c.scale, c.set, got, c.want)
		}
	}
}

func TestSetErrors(t *testing.T) {
	for assignment, want := range map[string]string{
		"epochs":           "write it as key=value",
		"epohcs=3":         `did you mean "epochs"?`,
		"rate=3":           `no setting "rate"`,
		"name=large":       `no setting "name"`,
		"scenes=3":         `no setting "scenes"`,
		"epochs=3.5":       "not a whole number; epochs: how often",
		"epochs=":          "not a whole number; epochs: how often",
		"epochs=null":      "not a whole number; epochs: how often",
		"epochs=three":     "not a whole number; epochs: how often",
		"augment=1":        "not true or false; augment: ALBEF",
		"dropout=half":     "is not a number",
		"dropout=NaN":      "is not a number",
		"scenes.seed=-1":   "not a whole number from 0; scenes.seed: the seed of generated",
		"Schedule.Rates=1": `did you mean "schedule.rate"?`,
	} {
		s := must.Get(scale.Preset("mini", false))(t)
		before := s
		must.Fail(t, s.Set(assignment), want, "%s", assignment)
		if !reflect.DeepEqual(s, before) {
			t.Errorf("%s: the scale changed", assignment)
		}
	}
}

// A framework changes other settings, so it is set before them wherever it stands; two are refused, as the first would leave its own.
func TestFrameworkIsSetFirst(t *testing.T) {
	s := must.Get(scale.Preset("tiny", false))(t)
	must.Do(t, s.SetAll([]string{"optimiser.sparescalars=false", "Framework=clip"}))
	if s.Framework != "CLIP" || s.Optimiser.SpareScalars || s.Scheduler.Objectives != "ITC" {
		t.Errorf("got %q, scalars spared %t, a reward of %q; want CLIP with its reward, and no scalar spared",
			s.Framework, s.Optimiser.SpareScalars, s.Scheduler.Objectives)
	}
	must.Fail(t, s.Set("framework=albef"), "it is CLIP already", "a second framework")
	must.Fail(t, s.Set("framework=clop"), `did you mean "CLIP"`, "an unknown framework")
}
