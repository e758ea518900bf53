package run

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// scribbling is a task that lets a model write a sentence of every caption.
type scribbling struct{}

func (scribbling) Metrics() []eval.Info                          { return []eval.Info{{Metric: "scribbled"}} }
func (scribbling) Check(framework.Framework, datasets.Set) error { return nil }

func (scribbling) Measure(_ context.Context, on eval.Subject) (eval.Measured, error) {
	var all []eval.Sentence
	for k, p := range datasets.Pairs(on.Set) {
		all = append(all, eval.Sentence{Pair: k, Caption: p.Text(on.Set), Written: fmt.Sprintf("a scribble of %d", k)})
	}
	return eval.Sentences.With(eval.Measured{}, all), nil
}

// reading is a task that counts the sentences of another run.
type reading struct{ Of string }

func (reading) Metrics() []eval.Info                          { return []eval.Info{{Metric: "read"}} }
func (reading) Check(framework.Framework, datasets.Set) error { return nil }

func (r reading) Measure(_ context.Context, on eval.Subject) (eval.Measured, error) {
	sentences, err := on.SentencesOf(r.Of)
	return eval.Measured{Metrics: eval.Result{"read": float64(len(sentences))}}, err
}

// A finished run's sentences are read by a task that measures another, which is told of a run that is not finished, and of one that wrote
// none.
func TestSentencesOfAnotherRun(t *testing.T) {
	e := executor(t, t.TempDir())
	writes, asked := byTowers(t, negative.Plain()), byTowers(t, negative.Plain())
	writes.Tasks, asked.Train.Seed = append(writes.Tasks, scribbling{}), writes.Train.Seed+1
	must.Get(e.Run(t.Context(), asked))(t)
	ask := func(of Run) (map[string]float64, error) {
		return e.EvaluateBy(t.Context(), asked, "test", reading{of.ID()})
	}
	for of, want := range map[*Run]string{&writes: "is not finished; make it first", &asked: "wrote no sentences"} {
		if _, err := ask(*of); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), of.ID()) {
			t.Errorf("got %v, want an error that names the run and says %q", err, want)
		}
	}
	result := must.Get(e.Run(t.Context(), writes))(t)
	examples, err := e.Store.Examples(writes.ID())
	kept := eval.Sentences.Of(examples)
	if err != nil || len(kept) == 0 || !reflect.DeepEqual(kept, eval.Sentences.Of(result.Examples)) {
		t.Errorf("got %d sentences (%v), want those that were written", len(kept), err)
	}
	if got, err := ask(writes); err != nil || got["read"] != float64(len(kept)) {
		t.Errorf("got %v (%v), want %d sentences read", got, err, len(kept))
	}
}
