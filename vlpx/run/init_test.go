package run

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// tuned is a fine-tuning run after a pre-training run, on other scenes, whose captions have other words.
func tuned(t *testing.T) Run {
	t.Helper()
	first := smallest(t)
	first.Train.Method = negative.Plain()
	r := first
	data := must.Get(ScenesData(scenes.Config{Train: 12, Val: 5, Test: 4, Captions: 3, Size: 16, Seed: 9}))(t)
	r.Data = data
	r.Init, r.Train.Init = &first, first.ID()
	r.Train.Method = negative.Method{
		Name: "tuned", Contrast: negative.Distilled{Decay: 0.9, Queue: 8, Items: true}, Matching: negative.Sampled{},
	}.WithDefaults()
	r.Train.Objectives = negative.Of(negative.ITC, negative.ITM)
	r.Train.Select = string(eval.RMean)
	return r
}

// A run makes the run that it starts from first, keeps its words, and takes the epoch with the best re-ranked validation.
func TestInitRun(t *testing.T) {
	r := tuned(t)
	collection := must.Get(r.Data.Open())(t)
	own := must.Get(r.Vocabulary.Tokenizer(collection))(t)
	if kept, err := r.Tokenizer(collection); err != nil || kept.Hash() == own.Hash() || kept.Size() != model(r).Text.Vocab {
		t.Fatalf("got a vocabulary of %d (%v), want the %d of pre-training, which are others than the data's own", kept.Size(), err,
			model(r).Text.Vocab)
	}
	again := r
	again.Init, again.Train.Init = &r, r.ID()
	if kept, err := again.Tokenizer(collection); err != nil || kept.Hash() == own.Hash() {
		t.Errorf("got the data's own vocabulary (%v) after two runs, want that of the first", err)
	}

	e := executor(t, t.TempDir())
	result := must.Get(e.Run(t.Context(), r))(t)
	if _, done, err := e.Store.Find(*r.Init); !done || err != nil {
		t.Errorf("the run that it starts from: done %v, error %v", done, err)
	}
	best := 0
	for i, epoch := range result.Epochs {
		if epoch.Metrics[string(eval.RMean)] > result.Epochs[best].Metrics[string(eval.RMean)] {
			best = i
		}
		if _, both := epoch.Metrics[eval.CosinePrefix+string(eval.RMean)]; !both {
			t.Errorf("epoch %d is measured by %v, want with re-ranking and without", i, epoch.Metrics)
		}
	}
	if result.BestEpoch != best+1 {
		t.Errorf("got epoch %d, want %d", result.BestEpoch, best+1)
	}
	metrics := must.Get(e.Evaluate(t.Context(), r, "test"))(t)
	for name, got := range metrics {
		if got != result.Metrics[name] {
			t.Errorf("%s: got %g, want the result's %g", name, got, result.Metrics[name])
		}
	}
	validated, err := e.Evaluate(t.Context(), r, "val")
	if err != nil || !reflect.DeepEqual(validated, result.Epochs[best].Metrics) {
		t.Errorf("the model gives %v (%v), the best epoch gave %v", validated, err, result.Epochs[best].Metrics)
	}
}

// A reference model may be a fine-tuned one; stopped anywhere in the chain, it goes on to the same numbers.
func TestReferenceThatIsFineTuned(t *testing.T) {
	reference, r := tuned(t), smallest(t)
	r.Train.Method = negative.SRCL(2)
	r.Reference, r.Train.Reference = &reference, reference.ID()
	want := must.Get(executor(t, t.TempDir()).Run(t.Context(), r))(t)
	e, steps := executor(t, t.TempDir()), 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		e.Report = func(Run, train.Report) {
			if steps++; steps%7 == 0 {
				cancel()
			}
		}
		got, err := e.Run(ctx, r)
		cancel()
		if errors.Is(err, context.Canceled) {
			continue
		}
		if err != nil || !reflect.DeepEqual(got.Metrics, want.Metrics) || !reflect.DeepEqual(got.Epochs, want.Epochs) {
			t.Errorf("got %v, %v (%v), want %v, %v", got.Metrics, got.Epochs, err, want.Metrics, want.Epochs)
		}
		break
	}
	if want := (2+2)*4 + 2*4; steps < want {
		t.Errorf("%d steps, want at least %d in three runs", steps, want)
	}
}

func TestSelectMistakeShowsBeforeTraining(t *testing.T) {
	for _, metric := range []string{"R means", "tr@1", eval.CosinePrefix} {
		e, r := executor(t, t.TempDir()), smallest(t)
		e.Report = func(Run, train.Report) { t.Error("a step was made") }
		r.Train.Select = metric
		must.Fail(t, must.Err(e.Run(t.Context(), r)), `use one such as "TR@1"`, "%s", metric)
	}
}

// Of a metric that is better the lower it is, the best epoch is that with the lowest.
func TestLowestIsSelected(t *testing.T) {
	e, r := executor(t, t.TempDir()), smallest(t)
	r.Train.Select, r.Train.Epochs = string(eval.TRRank), 3
	result := must.Get(e.Run(t.Context(), r))(t)
	best := slices.MinFunc(result.Epochs, func(a, b train.Record) int {
		return cmp.Compare(a.Metrics[r.Train.Select], b.Metrics[r.Train.Select])
	})
	if result.BestEpoch != best.Epoch+1 {
		t.Errorf("got the weights of epoch %d of %v, want the one with the lowest", result.BestEpoch, result.Epochs)
	}
}
