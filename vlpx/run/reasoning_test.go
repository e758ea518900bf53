package run

import (
	"reflect"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// reasoning is a run on statements, after one of text assignment, after a pre-training run.
func reasoning(t *testing.T) Run {
	t.Helper()
	first := smallest(t)
	first.Train.Method = negative.Plain()
	assigns := first
	assigns.Init, assigns.Train.Init = &first, first.ID()
	assigns.Train.Framework.Framework, assigns.Tasks = albef.Assignment{ALBEF: model(first)}, eval.Tasks{eval.Assignment{}}
	r := assigns
	r.Init, r.Train.Init = &assigns, assigns.ID()
	r.Data.Texts, r.Vocabulary.Grows = Statements, true
	r.Train.Select = string(eval.ReasoningAccuracy)
	collection := must.Get(r.Data.Open())(t)
	words := must.Get(r.Tokenizer(collection))(t)
	r.Train.Framework.Framework, r.Tasks = albef.Reasoning{ALBEF: model(first)}.WithVocabulary(words.Size()).(albef.Reasoning),
		eval.Tasks{eval.Reasoning{}}
	if words.Size() <= model(first).Text.Vocab {
		t.Fatalf("the statements have no words that the captions have not, of which there are %d", words.Size())
	}
	return r
}

// A run on statements makes those before it, takes the epoch that judges the validation split best, keeps examples, and is read back and
// measured again.
func TestReasoningRun(t *testing.T) {
	r, e := reasoning(t), executor(t, t.TempDir())
	result := must.Get(e.Run(t.Context(), r))(t)
	assigned, done, err := e.Store.Find(*r.Init)
	if err != nil || !done || assigned.Metrics[string(eval.AssignmentAccuracy)] == 0 {
		t.Errorf("text assignment: done %t, metrics %v, %v", done, assigned.Metrics, err)
	}
	best := 0
	for i, epoch := range result.Epochs {
		if epoch.Metrics[string(eval.ReasoningAccuracy)] > result.Epochs[best].Metrics[string(eval.ReasoningAccuracy)] {
			best = i
		}
		if len(epoch.Losses) != 1 || epoch.Losses[negative.NLVR] == 0 {
			t.Errorf("epoch %d has the losses %v, want NLVR alone", i, epoch.Losses)
		}
	}
	if result.BestEpoch != best+1 {
		t.Errorf("got epoch %d, want %d", result.BestEpoch, best+1)
	}
	set := must.Get(r.Data.TestSet())(t)
	statements := map[datasets.Statement]bool{}
	for _, s := range set.(datasets.Stated).Statements() {
		statements[s] = true
	}
	verdicts := eval.Verdicts.Of(result.Examples)
	for _, v := range verdicts {
		if !statements[v.Statement] || v.Keys != [2]string{set.Key(v.Left), set.Key(v.Right)} || !(v.Probability > 0 && v.Probability < 1) {
			t.Errorf("got the verdict %+v", v)
		}
	}
	if len(verdicts) == 0 || len(verdicts) > 8 {
		t.Errorf("got %d verdicts, want one to eight", len(verdicts))
	}
	kept := must.Get(e.Store.Kept(r.ID()))(t)
	if got, want := kept.Run.Train.Framework, r.Train.Framework; got != want || !reflect.DeepEqual(kept.Run.Tasks, r.Tasks) ||
		kept.Run.Data.Texts != Statements {
		t.Errorf("read back as %+v by %+v on %s, want %+v by %+v", got, kept.Run.Tasks, kept.Run.Data.Texts, want, r.Tasks)
	}
	metrics := must.Get(e.Evaluate(t.Context(), r, "test"))(t)
	for name, value := range metrics {
		if result.Metrics[name] != value {
			t.Errorf("%s: got %g when asked again, want %g", name, value, result.Metrics[name])
		}
	}
}

// Captions are not judged, and statements not retrieved.
func TestReasoningIsToldApart(t *testing.T) {
	r, e := reasoning(t), executor(t, t.TempDir())
	captions := r
	captions.Data.Texts, captions.Vocabulary.Grows = "", false
	captions.Train.Framework.Framework = albef.Reasoning{ALBEF: model(*r.Init.Init)}
	must.Fail(t, must.Err(e.Run(t.Context(), captions)), "statements about two images", "captions")
	retrieves := r
	retrieves.Tasks = eval.Tasks{eval.Retrieval{}}
	if _, err := e.Run(t.Context(), retrieves); err == nil {
		t.Error("a model that judges statements is measured by retrieval")
	}
}
