package scale_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
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

// All that one does in one call is what it does in any order.
func TestSetAllInAnyOrder(t *testing.T) {
	set := []string{"epochs=7", "batchsize=24", "width=48", "image=48", "lr=1e-5", "framework=clip", "schedule.min=0"}
	rapid.Check(t, func(t *rapid.T) {
		one, other := scale.Scales()[0], scale.Scales()[0]
		shuffled := rapid.Permutation(set).Draw(t, "order")
		if one.SetAll(set) != nil || other.SetAll(shuffled) != nil {
			t.Fatal("an error")
		}
		if !reflect.DeepEqual(one, other) {
			t.Errorf("%v: got %+v, and %+v in another order", shuffled, one, other)
		}
	})
}

// Whatever is to be set, one field has the value that was written, or the error leaves the scale as it was.
func FuzzSet(f *testing.F) {
	for _, assignment := range []string{
		"epochs=7", "EPOCHS= 8 ", "dropout=.25", "dropout=NaN", "dropout=1e999", "dropout=0x1p-2", "augment=true", "augment=null",
		"scenes.density=dbl",
		"Schedule.Rate=3e-4", "scenes.seed=18446744073709551615", "epochs=1e3", "epochs=\"3\"", "=", "epochs", "name=x", "scenes=3",
		"epochs=3=4", "lr=.1", "Weight Decay=0", "batch_size=4",
		"soft=.5", "seed=3", "scheduler.open=true", "views.crop=[.5]", "bottlenecks=[1,2]", "scale.tau=.1",
	} {
		f.Add(assignment)
	}
	f.Fuzz(func(t *testing.T, assignment string) {
		s := must.Get(scale.Preset("mini", false))(t)
		was := s
		if err := s.Set(assignment); err != nil {
			if !reflect.DeepEqual(s, was) {
				t.Fatalf("%q: %v, and yet the scale changed", assignment, err)
			}
			if !strings.Contains(err.Error(), assignment) {
				t.Fatalf("%q: the error %q does not name it", assignment, err)
			}
			return
		}
		key, _, _ := strings.Cut(assignment, "=")
		set, err := scale.FindSetting(key)
		if err != nil {
			t.Fatalf("%q was set, and yet %v", assignment, err)
		}
		for _, x := range scale.Settings() {
			now, before := x.Of(s).Interface(), x.Of(was).Interface()
			if v, ok := now.(float64); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Fatalf("%q: %s is %v", assignment, x.Name, v)
			}
			if x.Name != set.Name && set.Name != "framework" && !reflect.DeepEqual(now, before) {
				t.Fatalf("%q changed %s", assignment, x.Name)
			}
		}
		again := s
		if err := again.Set(assignment); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%q set twice: %v", assignment, err)
		}
	})
}
