package preset_test

import (
	"errors"
	"strings"
	"testing"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// preTrained is a run at a scale whose vocabulary is its own, on a few scenes.
func preTrained(t *testing.T, s scale.Scale) (run.Run, run.Data) {
	t.Helper()
	data := must.Get(run.ScenesData(scenes.Config{Train: 30, Val: 4, Test: 4, Captions: 2, Size: s.Image}))(t)
	vocabulary := run.Vocabulary{MinCount: 1, MaxSize: 500}
	collection := must.Get(data.Open())(t)
	k := must.Get(vocabulary.Tokenizer(collection))(t)
	return s.Runs(data, vocabulary, k.Size(), negative.Plain(), []uint64{1})[0], data
}

// Fine-tuning for question answering at every scale is a configuration that trains, that of the paper ALBEF's, with room for all words.
func TestAnsweringsFit(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, folder := range []bool{false, true} {
			s := papertest.Preset(t, name, folder)
			for distils, tune := range map[bool]func() negative.Method{true: preset.DistilledUnderstanding, false: preset.PlainUnderstanding} {
				from, data := preTrained(t, s)
				r, err := preset.Answering(plan.Trained{Scale: s, Clean: data}, from, tune())
				if err != nil {
					t.Errorf("%s, folder %v: %v", name, folder, err)
					continue
				}
				c := r.Train
				m := c.Framework.Framework.(albef.Answering)
				if before := from.Train.Framework.Framework.(albef.Model); m.Vocabulary() <= before.Vocabulary() ||
					m.Layers != before.Text.Fusion || m.Tokens != 3 || m.Answers != 1 {
					t.Errorf("%s: got %+v after %+v", name, m, before)
				}
				if _, is := c.Method.Contrast.(negative.Distilled); is != distils {
					t.Errorf("%s: distils %v, want %v", name, is, distils)
				}
				if c.Init != from.ID() || r.Init.ID() != from.ID() || r.Data.Texts != run.Questions || !r.Vocabulary.Grows ||
					from.Data.Texts != "" {
					t.Errorf("%s: got %+v, which does not go on from %s with questions", name, r, from.ID())
				}
				if name == "paper" && folder && (c.BatchSize != 256 || c.Epochs != 8 || c.Transform.Crop != [2]float64{0.5, 1} ||
					m.Layers != 6 ||
					c.Schedule.At(0, 400, 1000) != 2e-5 || c.Schedule.At(0, 0, 1000) != 1e-6 || c.Schedule.At(8, 0, 1000) != 1e-6) {
					t.Errorf("got %+v, want ALBEF's regime", c)
				}
			}
		}
	}
}

// A vocabulary from a file keeps its words, and other frameworks have no layers that write answers.
func TestAnsweringTakesWhatThereIs(t *testing.T) {
	s := papertest.Preset(t, "tiny", false)
	from, data := preTrained(t, s)
	from.Train.Framework.Framework = struct{ framework.Framework }{from.Train.Framework.Framework}
	var lacking *framework.Lacking
	if _, err := preset.Answering(plan.Trained{Scale: s, Clean: data}, from, preset.PlainUnderstanding()); !errors.As(err, &lacking) ||
		!strings.Contains(err.Error(), "needs fusion layers") {
		t.Errorf("got %v, want an error about fusion layers", err)
	}
}
