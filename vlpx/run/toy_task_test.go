package run

import (
	"context"
	"encoding/json"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
)

// longest is a task in one type: the length of the longest caption, with that caption as an example.
type longest struct{ Least int }

var longestCaptions = eval.NewKind[[]string]("longest caption")

func init() {
	eval.Register("longest", longest{}, eval.NewFlag("least", "a `length`", func(l *longest, length string) error {
		return json.Unmarshal([]byte(length), &l.Least)
	}))
}

func (longest) Metrics() []eval.Info {
	return []eval.Info{{Metric: "longest", Group: "Captions", Column: "longest", What: "letters of the longest caption"}}
}

func (longest) Check(framework.Framework, datasets.Set) error { return nil }

func (l longest) Measure(_ context.Context, on eval.Subject) (eval.Measured, error) {
	var text string
	for _, p := range datasets.Pairs(on.Set) {
		if caption := p.Text(on.Set); len(caption) > max(l.Least, len(text)) {
			text = caption
		}
	}
	return longestCaptions.With(eval.Measured{Metrics: eval.Result{"longest": float64(len(text))}}, []string{text}), nil
}

// TestToyTask: a task that is one type and one registration is listed, found by its name, measured after a run, and its example comes back
// from the store.
func TestToyTask(t *testing.T) {
	if info, known := eval.InfoOf("longest"); !known || info.What == "" {
		t.Error("its metric is not listed")
	}
	var task eval.Task
	for _, e := range eval.Registered() {
		if e.Name == "longest" {
			task = must.Get(e.With(map[string][]string{"least": {"3"}, "prompts": {"of another task"}}))(t)
		}
	}
	if task != (longest{3}) {
		t.Fatalf("its name gives %+v", task)
	}
	r, e := smallest(t), executor(t, t.TempDir())
	r.Tasks = append(r.Tasks, task)
	result := must.Get(e.Run(t.Context(), r))(t)
	kept := must.Get(e.Store.Result(r))(t)
	example := longestCaptions.Of(kept.Examples)
	if len(example) != 1 || result.Metrics["longest"] != float64(len(example[0])) || len(example[0]) == 0 {
		t.Errorf("got %v and the example %q", result.Metrics, example)
	}
	if len(eval.RetrievedImages.Of(kept.Examples)) == 0 {
		t.Error("the examples of retrieval are gone")
	}
}
