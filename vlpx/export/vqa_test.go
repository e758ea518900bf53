package export

import (
	"reflect"
	"slices"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// A model that answers, fine-tuned from another one, is exported under the published names of ALBEF's visual question answering alone, and
// gives the numbers of the run again.
func TestExportedAnswers(t *testing.T) {
	r, _ := small(t)
	first := r
	r.Init, r.Train.Init, r.Data.Texts, r.Vocabulary.Grows, r.Tasks = &first, first.ID(), run.Questions, true, eval.Tasks{eval.VQA{}}
	// with a momentum copy, which stays behind
	r.Train.Method = negative.Method{Name: "answers", Contrast: negative.Distilled{Alpha: 0.4, Decay: 0.9}}.WithDefaults()
	r.Train.MaxLen = 11
	m := albef.Answering{ALBEF: first.Train.Framework.Framework.(albef.Model), Layers: 1, Answers: 1, Tokens: 3}
	r.Train.Framework = framework.Choice{Framework: m}
	collection := must.Get(r.Data.Open())(t)
	tokenizer := must.Get(r.Tokenizer(collection))(t)
	if tokenizer.Size() <= m.Vocabulary() {
		t.Fatalf("the vocabulary has %d words, want more than before, %d", tokenizer.Size(), m.Vocabulary())
	}
	r.Train.Framework.Framework = m.WithVocabulary(tokenizer.Size())
	kept, trained := made(t, r)
	dir := exported(t, kept, trained)
	folder := must.Get(Read(dir))(t)
	if sizes := folder.Sizes.(albef.AnsweringSettings); sizes.Decoder.Layers != 1 || sizes.Decoder.Fusion != 0 ||
		sizes.BERT.Vocab != tokenizer.Size() || folder.VLPX.Own != nil {
		t.Errorf("got the sizes %+v, and %q of our own", sizes, folder.VLPX.Own)
	}
	if _, err := weights.Read(dir+"/"+WeightsName, weights.VQA(framework.Model)); err != nil {
		t.Errorf("by the published names alone: %v", err)
	}
	again := must.Get(folder.Model(enginetest.PureGo(t)))(t)
	defer again.Close()
	e := run.Executor{Backend: enginetest.PureGo(t)}
	got, err := e.Measure(t.Context(), folder.Run, again, "test")
	if err != nil || !reflect.DeepEqual(got, only(kept.Result.Metrics, got)) || len(got) < 2 {
		t.Errorf("got %v (%v), the run's result has %v", got, err, kept.Result.Metrics)
	}
	if !slices.Contains(eval.CandidateAnswers.Of(kept.Result.Examples), "yes") ||
		len(eval.AnsweredQuestions.Of(kept.Result.Examples)) == 0 {
		t.Errorf("got the candidates %q and the examples %v", eval.CandidateAnswers.Of(kept.Result.Examples),
			eval.AnsweredQuestions.Of(kept.Result.Examples))
	}
}

// only are the metrics that others have, too.
func only(metrics, others map[string]float64) map[string]float64 {
	some := map[string]float64{}
	for name, value := range metrics {
		if _, has := others[name]; has {
			some[name] = value
		}
	}
	return some
}
