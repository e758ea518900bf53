package scale_test

import (
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Fine-tuning at every scale is a configuration that trains, that of the paper ALBEF's on COCO (METHODS.md 15.3 and 19).
func TestTuningsFit(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, folder := range []bool{false, true} {
			s := must.Get(scale.Preset(name, folder))(t)
			for _, tune := range []func(scale.Scale) negative.Method{scale.DistilledTuning, scale.PlainTuning} {
				from := s.Runs(run.Data{}, run.Vocabulary{}, 1000, negative.Plain(), []uint64{1})[0]
				c := s.Tuned(from, run.Data{}, tune(s)).Train
				if err := c.Validate(); err != nil {
					t.Errorf("%s, folder %v: %v", name, folder, err)
				}
				if d := c.Method.Contrast.(negative.Distilled); d.Queue == 0 || d.Queue%c.BatchSize != 0 {
					t.Errorf("%s, folder %v: a queue of %d for batches of %d", name, folder, d.Queue, c.BatchSize)
				}
				if name == "paper" && folder && (c.BatchSize != 256 || c.Epochs != 5 || c.Transform.Crop != [2]float64{0.5, 1} ||
					c.Schedule.At(0, 0, 1) != 1e-5 || c.Schedule.At(5, 0, 1) != 1e-6) {
					t.Errorf("got %+v, want ALBEF's regime", c)
				}
				if from.Train.Transform.Crop[0] == 0.5 {
					t.Error("pre-training crops as fine-tuning does")
				}
			}
		}
	}
}
