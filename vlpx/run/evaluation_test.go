package run

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// What a task gave of a run is kept beside it, one file a task and a split, and read back: without the model the same answer comes, and
// nothing of another task.
func TestEvaluationIsKept(t *testing.T) {
	e, r := executor(t, t.TempDir()), byTowers(t, negative.Plain())
	must.Fail(t, must.Err(e.EvaluateBy(t.Context(), r, "test", gap{})), "train it first")
	must.Get(e.Run(t.Context(), r))(t)
	classes := eval.Classification{Prompts: []string{"an object on {}"}}
	want := map[string]map[string]float64{}
	for _, split := range []string{"val", "test"} {
		for name, task := range map[string]eval.Task{"gap": gap{}, "classes": classes} {
			got, err := e.EvaluateBy(t.Context(), r, split, task)
			if err != nil || len(got) != len(task.Metrics()) {
				t.Fatalf("%s on %s: got %v (%v), want all of its metrics", name, split, got, err)
			}
			want[split+name] = got
		}
	}
	files, err := filepath.Glob(filepath.Join(e.Store.Dir(r), "task-*.json"))
	if err != nil || len(files) != 4 {
		t.Fatalf("got files %v (%v), want four", files, err)
	}
	must.Do(t, os.Remove(filepath.Join(e.Store.Dir(r), train.CheckpointName)))
	for _, split := range []string{"val", "test"} {
		for name, task := range map[string]eval.Task{"gap": gap{}, "classes": classes} {
			if got, err := e.EvaluateBy(t.Context(), r, split, task); err != nil || !reflect.DeepEqual(got, want[split+name]) {
				t.Errorf("%s on %s: got %v (%v) from the store, want %v", name, split, got, err, want[split+name])
			}
		}
	}
	if _, done, err := e.Store.Evaluation(r, Measure{Split: "test", Tasks: eval.Tasks{eval.Classification{}}}); done || err != nil {
		t.Errorf("other prompts: done %v, %v; want nothing", done, err)
	}
}

// hiding is a task that is no plain data.
type hiding struct {
	gap
	secret int
}

// What cannot be an evaluation of this run by this task is told with the file; a task that hides its settings is refused.
func TestDamagedEvaluation(t *testing.T) {
	s, r := OpenStore(t.TempDir()), smallest(t)
	of := Measure{Split: "test", Tasks: eval.Tasks{gap{}}}
	name := must.Get(of.name())(t)
	path := filepath.Join(s.Dir(r), name)
	must.Do(t, os.MkdirAll(s.Dir(r), 0o755))
	whole := Evaluation{ID: r.ID(), Of: of, Metrics: map[string]float64{"gap": 1}}
	must.Do(t, s.publish(r, name, whole))
	if got, done, err := s.Evaluation(r, of); err != nil || !done || got["gap"] != 1 {
		t.Errorf("got %v, %v, %v; want it back", got, done, err)
	}
	other := whole
	other.Of.Split = "val"
	for what, text := range map[string]string{
		"empty": "", "cut off": `{"ID": "a`, "nothing": "null",
		"another run":   toldAs(t, Evaluation{ID: "0123", Of: of, Metrics: whole.Metrics}),
		"another split": toldAs(t, other), "no metrics": toldAs(t, Evaluation{ID: r.ID(), Of: of}),
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		if _, done, err := s.Evaluation(r, of); done || err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "delete the file") {
			t.Errorf("%s: done %v, %v; want an error that names the file and says to delete it", what, done, err)
		}
	}
	must.Fail(t, must.Err2(s.Evaluation(r, Measure{Split: "test", Tasks: eval.Tasks{hiding{secret: 1}}})), "secret", "a task with a hidden setting")
}

// What older code told of a run lacks a metric: it is added from the model, which alone is asked, and what was told stays. Today's code is
// not asked again, and without weights the older answer stands.
func TestEvaluationOfOlderCode(t *testing.T) {
	e, r := executor(t, t.TempDir()), byTowers(t, negative.Plain())
	must.Get(e.Run(t.Context(), r))(t)
	of := Measure{Split: "test", Tasks: eval.Tasks{gap{}}}
	keep := func(code string) {
		t.Helper()
		must.Do(t, e.Store.Keep(r, Evaluation{ID: r.ID(), Of: of, Metrics: map[string]float64{"older": 7}, Code: code}))
	}
	keep(r.Code())
	if older, err := e.Store.Outdated(r, of); older || err != nil {
		t.Errorf("today's code is outdated: %v (%v)", older, err)
	}
	if got, err := e.EvaluateBy(t.Context(), r, "test", gap{}); err != nil || len(got) != 1 {
		t.Errorf("of today's code: got %v (%v), want what it told", got, err)
	}
	keep("")
	if older, err := e.Store.Outdated(r, of); !older || err != nil {
		t.Errorf("older code is not outdated (%v)", err)
	}
	got, err := e.EvaluateBy(t.Context(), r, "test", gap{})
	if _, has := got["gap"]; err != nil || !has || got["older"] != 7 {
		t.Errorf("of older code: got %v (%v), want the gap besides", got, err)
	}
	if kept, done, err := e.Store.Evaluation(r, of); err != nil || !done || !reflect.DeepEqual(kept, got) {
		t.Errorf("the store has %v (%v), want %v", kept, err, got)
	}
	keep("")
	must.Do(t, os.Remove(filepath.Join(e.Store.Dir(r), train.CheckpointName)))
	if got, err := e.EvaluateBy(t.Context(), r, "test", gap{}); err != nil || len(got) != 1 || got["older"] != 7 {
		t.Errorf("without weights: got %v (%v), want what was told", got, err)
	}
}
