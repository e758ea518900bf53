package scale_test

import (
	"math"
	"reflect"
	"testing"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/framework/simclr"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// A preset has its name, of scenes and of a folder, and only photographs are augmented.
func TestPresetNames(t *testing.T) {
	listtest.Equal(t, "scales", scale.ScaleNames(), []string{"tiny", "mini", "small", "paper"})
	for _, name := range scale.ScaleNames() {
		for _, folder := range []bool{false, true} {
			if s := must.Get(scale.Preset(name, folder))(t); s.Name != name || s.Augment && !folder {
				t.Errorf("%s, folder %v: got %q, augment %v", name, folder, s.Name, s.Augment)
			}
		}
	}
	must.Fail(t, must.Err(scale.Preset("smal", false)), `did you mean "small"?`)
}

// Every preset is a configuration that trains: its sizes fit, with every method.
func TestPresetsFit(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, folder := range []bool{false, true} {
			s := must.Get(scale.Preset(name, folder))(t)
			for _, m := range scale.Methods() {
				config := s.Runs(run.Data{}, run.Vocabulary{}, 1000, m.Parts(s), []uint64{1})[0].Train
				if m.Reference != "" {
					config.Reference = "of another run"
				}
				if err := config.Validate(); err != nil {
					t.Errorf("%s, folder %v, %s: %v", name, folder, m.Name, err)
				}
				if d, ok := config.Method.Contrast.(negative.Distilled); ok && d.Queue%s.BatchSize != 0 {
					t.Errorf("%s, folder %v: a queue of %d for batches of %d", name, folder, d.Queue, s.BatchSize)
				}
			}
		}
	}
}

// Every method fits together at every preset of every framework.
func TestMethodsAreValidAtEveryScale(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, k := range scale.Frameworks() {
			s := must.Get(scale.Preset(name, false))(t)
			must.Do(t, s.Set("framework="+k.Name))
			for _, m := range scale.Methods() {
				if err := m.Parts(s).WithDefaults().Validate(); err != nil {
					t.Errorf("%s at %s on %s: %v", m.Name, name, k.Name, err)
				}
			}
		}
	}
}

// The paper preset is ALBEF's architecture with BERT's vocabulary, under GRIT-VLP's regime (METHODS.md 1.2 and 19) with the
// sizes of FALCON's table 5.
func TestPaperPreset(t *testing.T) {
	s := must.Get(scale.Preset("paper", true))(t).Resolved()
	if got, want := s.Model(30522), albef.Paper(); got != want {
		t.Errorf("framework: got %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"image resolution", s.Image, 256},
		{"embedding dimension", s.Embed, 256},
		{"batch size", s.BatchSize, 96},
		{"masking of GRIT-VLP", negative.GRITVLP(s.SearchSpace, s.GroupQueue).Masking, 0.5},
		{"masking of ALBEF", negative.ALBEF(s.MomentumQueue).Masking, 0.15},
		{"search space", s.SearchSpace, 5664},
		{"epochs", s.Epochs, 20},
		{"augmentation", s.Augment, true},
		{"tokens a caption", s.MaxLen, 25},
		{"candidates re-ranked on COCO", s.Rerank, 256},
		{"schedule", s.Schedule, train.Schedule{Warmup: 1e-5, Rate: 1e-4, Min: 1e-5, Units: 20, Unit: 100, Epochs: 30}},
		{"optimiser", s.Optimiser, train.AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.02}},
		{"GRIT-VLP's contrast", negative.GRITVLP(s.SearchSpace, s.GroupQueue).Contrast, negative.Consistency{Weight: 0.2}},
		// 65,536 is no multiple of 96: the nearest below.
		{"ALBEF's contrast", negative.ALBEF(s.MomentumQueue).Contrast,
			negative.Distilled{Alpha: 0.4, Decay: 0.995, Queue: 65536 / 96 * 96}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, c.got, c.want)
		}
	}
}

// What is AdamW's alone is refused beside LARS, which SimCLR has.
func TestAdaptersBesideLARS(t *testing.T) {
	for _, setting := range []string{"lora=2", "layerdecay=0.5"} {
		s := must.Get(scale.Preset("tiny", false))(t)
		must.Do(t, s.Set("framework=simclr"))
		must.Do(t, s.Set(setting))
		r := s.Runs(run.Data{}, run.Vocabulary{}, 0, negative.Plain(), []uint64{1})[0]
		must.Fail(t, r.Train.Validate(), "LARS and AdamW", setting)
	}
}

// SimCLR is SogCLR's at the paper's scale (METHODS.md 7.1), and trains at every scale, on scenes, on photographs and behind no locked
// encoder.
func TestSimCLRPresets(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, folder := range []bool{false, true} {
			s := must.Get(scale.Preset(name, folder))(t)
			must.Do(t, s.Set("framework=simclr"))
			c := s.Runs(run.Data{}, run.Vocabulary{}, 0, negative.Plain(), []uint64{1})[0].Train
			if err := c.Validate(); err != nil {
				t.Errorf("%s, folder %v: %v", name, folder, err)
			}
			if c.Optimiser != (train.AdamW{}) || s.WarmStart != 0 || s.Locked != (scale.Locked{}) {
				t.Errorf("%s, folder %v: got %+v, a warm start of %d epochs and the locked encoder %+v; want LARS alone", name, folder,
					c.Optimiser, s.WarmStart, s.Locked)
			}
			if name != "paper" {
				continue
			}
			for what, of := range map[string][2]any{
				"framework": {c.Framework.Framework, simclr.Model{
					ResNet: encoder.ResNet{Image: 224, Layers: []int{3, 4, 6, 3}, Width: 64}, Hidden: 2048, Embed: 128, Temperature: 0.1,
					Half: true}},
				"optimiser":    {c.LARS, train.LARS{Trust: 1e-3, Momentum: 0.9, WeightDecay: 1e-6}},
				"schedule":     {c.Schedule, train.Schedule{Rate: 0.075 * math.Sqrt(128), Smooth: true, Ramp: 10, Epochs: 200}},
				"augmentation": {c.Transform, transform.SogCLR(224)},
				"batch":        {c.BatchSize, 128},
				"epochs":       {c.Epochs, 200},
			} {
				if !reflect.DeepEqual(of[0], of[1]) {
					t.Errorf("%s: got %+v, want %+v", what, of[0], of[1])
				}
			}
		}
	}
}

// A language model trains at every scale, from no other run and behind no locked encoder; at the paper's it is the smallest GPT-2
// (Radford et al., 2019, table 2), or the smallest OPT (Zhang et al., 2022, table 1).
func TestLanguageModelPresets(t *testing.T) {
	for model, published := range map[string]framework.Framework{
		"gpt-2": gpt.Model{Half: true, Text: encoder.GPT{Vocab: 50257, Positions: 1024, Width: 768, Layers: 12, Heads: 12, MLP: 3072,
			Dropout: 0.1}},
		"opt": opt.Model{Half: true, Text: encoder.OPT{Vocab: 50257, Positions: 2048, Width: 768, Layers: 12, Heads: 12, MLP: 3072,
			Dropout: 0.1}},
	} {
		for _, name := range scale.ScaleNames() {
			for _, folder := range []bool{false, true} {
				s := must.Get(scale.Preset(name, folder))(t)
				must.Do(t, s.Set("framework="+model))
				c := s.Runs(run.Data{}, run.Vocabulary{}, 50257, negative.Plain(), []uint64{1})[0].Train
				if err := c.Validate(); err != nil {
					t.Errorf("%s at %s, folder %v: %v", model, name, folder, err)
				}
				if s.WarmStart != 0 || s.Locked != (scale.Locked{}) || c.Transform != (transform.Pipeline{Size: s.Image}) {
					t.Errorf("%s at %s, folder %v: got a warm start of %d epochs, the locked encoder %+v and the augmentation %+v",
						model, name, folder, s.WarmStart, s.Locked, c.Transform)
				}
				if got := c.Framework.Framework; name == "paper" && got != published {
					t.Errorf("%s, folder %v: got %+v, want %+v", model, folder, got, published)
				}
			}
		}
	}
}

// LARS and the augmentation of views are settings.
func TestSettingsOfViews(t *testing.T) {
	s := must.Get(scale.Preset("tiny", false))(t)
	must.Do(t, s.SetAll([]string{"lars.trust=0.5", "views.greyscale=0", "views.crop=[0.5,1]", "hidden=7", "stem=1", "schedule.ramp=2",
		"framework=simclr"}))
	c := s.Runs(run.Data{}, run.Vocabulary{}, 0, negative.Plain(), []uint64{1})[0].Train
	m := c.Framework.Framework.(simclr.Model)
	if c.LARS.Trust != 0.5 || c.Transform.Greyscale != 0 || c.Transform.Crop != [2]float64{0.5, 1} || c.Transform.Size != 32 ||
		m.Hidden != 7 || m.ResNet.Stem != 1 ||
		c.Schedule.Ramp != 2 {
		t.Errorf("got %+v", c)
	}
}
