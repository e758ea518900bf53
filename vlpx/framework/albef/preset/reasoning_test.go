package preset_test

import (
	"errors"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// pretraining is a run of InfoNCE at a scale on its scenes, of which there are few.
func pretraining(t *testing.T, s scale.Scale) run.Run {
	t.Helper()
	s.Scenes.Train, s.Scenes.Val, s.Scenes.Test = 24, 8, 8
	data := must.Get(run.ScenesData(s.Scenes))(t)
	vocabulary := run.Vocabulary{MinCount: 1, MaxSize: s.MaxVocab}
	collection := must.Get(data.Open())(t)
	words := must.Get(vocabulary.Tokenizer(collection))(t)
	return s.Runs(data, vocabulary, words.Size(), negative.Plain(), []uint64{1})[0]
}

// At every scale pre-training is followed by text assignment on its captions, and that by fine-tuning on statements, whose words are
// further ones; that of the paper is ALBEF's (METHODS.md 15.6 and 19).
func TestReasoningFits(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, tune := range []func() negative.Method{preset.DistilledUnderstanding, preset.PlainUnderstanding} {
			s := papertest.Preset(t, name, false)
			from := pretraining(t, s)
			r, err := preset.Reasoning(plan.Trained{Scale: s, Clean: from.Data}, from, tune())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			pretrained, last := from.Train.Framework.Framework.(albef.Model), r.Train.Framework.Framework.(albef.Reasoning).ALBEF
			grown := pretrained
			grown.Text.Vocab = last.Text.Vocab
			if last != grown || last.Text.Vocab <= pretrained.Text.Vocab {
				t.Errorf("%s: got the model %+v, want that of pre-training with more words: %+v", name, last, pretrained)
			}
			if r.Init == nil || r.Init.Init == nil || r.Train.Init != r.Init.ID() || r.Init.Train.Init != from.ID() ||
				r.Init.Init.ID() != from.ID() {
				t.Fatalf("%s: fine-tuning does not go on from text assignment, and that from pre-training", name)
			}
			if f, is := r.Init.Train.Framework.Framework.(albef.Assignment); !is || f.ALBEF != pretrained || r.Init.Data != from.Data {
				t.Errorf("%s: text assignment has the model %+v on %+v", name, r.Init.Train.Framework, r.Init.Data)
			}
			if r.Data.Texts != run.Statements || !r.Vocabulary.Grows || r.Train.Select != string(eval.ReasoningAccuracy) ||
				r.Init.Train.Select != "" {
				t.Errorf("%s: got the data %+v, words that grow %t, by %q", name, r.Data, r.Vocabulary.Grows, r.Train.Select)
			}
			if name == "paper" && (r.Train.Epochs != 10 || r.Train.Schedule.At(0, 100, 200) != 2e-5 ||
				r.Train.Schedule.At(10, 0, 1) != 1e-6 ||
				r.Init.Train.Epochs != 1 || r.Init.Train.BatchSize != 64 || r.Init.Train.Schedule.At(0, 100, 200) != 2e-5) {
				t.Errorf("got %+v and %+v, want ALBEF's regimes", r.Init.Train, r.Train)
			}
			if _, distils := r.Train.Method.Contrast.(negative.Distiller); distils == (tune().Contrast == nil) {
				t.Errorf("%s: distils %t", name, distils)
			}
		}
	}
}

// Both regimes can be set, text assignment be left out, and other frameworks lack what reads two images.
func TestReasoningIsSet(t *testing.T) {
	s := papertest.Preset(t, "tiny", false)
	must.Do(t, s.SetAll([]string{"nlvr.rate=3e-3", "nlvr.batchsize=4", "assignment.epochs=0"}))
	from := pretraining(t, s)
	r, err := preset.Reasoning(plan.Trained{Scale: s, Clean: from.Data}, from, preset.PlainUnderstanding())
	if err != nil {
		t.Fatal(err)
	}
	if r.Train.Init != from.ID() || r.Train.BatchSize != 4 || r.Train.Schedule.Rate != 3e-3 {
		t.Errorf("got mini-batches of %d at the rate %g from %s", r.Train.BatchSize, r.Train.Schedule.Rate, r.Train.Init)
	}
	must.Do(t, s.SetAll([]string{"assignment.epochs=2", "assignment.rate=5e-3"}))
	if r, err = preset.Reasoning(plan.Trained{Scale: s, Clean: from.Data}, from, preset.PlainUnderstanding()); err != nil ||
		r.Init.Train.Epochs != 2 ||
		r.Init.Train.Schedule.Rate != 5e-3 {
		t.Errorf("got %+v, %v", r.Init.Train, err)
	}
	towers := papertest.Preset(t, "tiny", false)
	must.Do(t, towers.Set("framework=CLIP"))
	var lacking *framework.Lacking
	from = pretraining(t, towers)
	_, err = preset.Reasoning(plan.Trained{Scale: towers, Clean: from.Data}, from, preset.PlainUnderstanding())
	if !errors.As(err, &lacking) {
		t.Errorf("CLIP: got %v", err)
	}
}
