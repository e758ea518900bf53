package run

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// A result of an older version gets the metrics that it lacks from the kept model, without training, and keeps its own; a result that
// today's code has measured is left alone, and one whose weights are gone says so.
func TestUpdate(t *testing.T) {
	e, r := executor(t, t.TempDir()), smallest(t)
	must.Fail(t, must.Err(e.Update(t.Context(), r)), "is not trained yet; train it first", "not trained")
	if folders, err := os.ReadDir(filepath.Dir(e.Store.Dir(r))); err == nil && len(folders) > 0 {
		t.Errorf("asking for an update made %v", folders)
	}
	want := must.Get(e.Run(t.Context(), r))(t)
	if want.Code != r.Code() || len(want.Code) != 16 {
		t.Errorf("the result is of code %q, want %q", want.Code, r.Code())
	}
	checkpoint := filepath.Join(e.Store.Dir(r), train.CheckpointName)
	trained := must.Get(os.Stat(checkpoint))(t)
	older := want
	older.Code, older.Examples, older.Metrics = "", nil, maps.Clone(want.Metrics)
	delete(older.Metrics, string(eval.TR1))
	delete(older.Metrics, string(eval.TRMAP))
	older.Metrics[string(eval.IR10)] += 3
	must.Do(t, e.Store.publish(r, resultName, older))
	got, err := e.Update(t.Context(), r)
	if err != nil || !slices.Equal(got.Added, []string{string(eval.TRMAP), string(eval.TR1)}) || len(got.Other) != 1 ||
		got.Other[string(eval.IR10)] != [2]float64{older.Metrics[string(eval.IR10)], want.Metrics[string(eval.IR10)]} {
		t.Errorf("got %+v (%v), want TR@1 and TR mAP, and that IR@10 is another", got, err)
	}
	result := must.Get(e.Store.Result(r))(t)
	now := maps.Clone(want.Metrics)
	now[string(eval.IR10)] += 3
	if !reflect.DeepEqual(result.Metrics, now) || result.Code != "" || result.Updated == nil ||
		!slices.Equal(result.Updated.Metrics, got.Added) {
		t.Errorf("got %v, %+v, want %v", result.Metrics, result.Updated, now)
	}
	if after, err := os.Stat(checkpoint); err != nil || !after.ModTime().Equal(trained.ModTime()) {
		t.Errorf("it was trained again (%v)", err)
	}
	if again, err := e.Update(t.Context(), r); err != nil || !reflect.DeepEqual(again, Updated{}) {
		t.Errorf("a second time: got %+v (%v), want nothing", again, err)
	}

	result.Updated.Code = "0123456789abcdef"
	delete(result.Metrics, string(eval.IR1))
	must.Do(t, e.Store.publish(r, resultName, result))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := e.Update(stopped, r); err == nil {
		t.Error("a cancelled update says nothing")
	}
	if _, err := e.Update(t.Context(), r); err != nil {
		t.Error(err)
	}
	if result, err = e.Store.Result(r); err != nil ||
		!slices.Equal(result.Updated.Metrics, []string{string(eval.IR1), string(eval.TRMAP), string(eval.TR1)}) {
		t.Errorf("got %+v (%v), want all that was ever added", result.Updated, err)
	}

	must.Do(t, os.Remove(checkpoint))
	result.Updated = nil
	must.Do(t, e.Store.publish(r, resultName, result))
	before := must.Get(json.Marshal(result))(t)
	must.Fail(t, must.Err(e.Update(t.Context(), r)), "its weights are not kept, so that nothing "+
		"can be added", "without weights")
	result = must.Get(e.Store.Result(r))(t)
	if after, err := json.Marshal(result); err != nil || string(after) != string(before) {
		t.Errorf("without weights the result became %s (%v)", after, err)
	}
}
