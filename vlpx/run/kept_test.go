package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// What run.json tells is the run, but for the method's parts and what no JSON has, and it is its identity, however its lines are broken.
func TestDescribe(t *testing.T) {
	r := tuned(t)
	r.Weights.Vision = &weights.Source{Hash: "0123"}
	r.Locked = &locked.Encoder{Weights: weights.Source{Hash: "4567"}, Image: 224, Side: 7, Pixels: transform.Symmetric}
	change(&r, func(a *albef.Model) { a.MeanPool, a.Text.Dropout = true, 0.1 })
	var lines any
	must.Do(t, json.Unmarshal(r.JSON(), &lines))
	want := r
	want.Train.Method, want.Init, want.Vocabulary.File = negative.Method{}, nil, ""
	got, err := Describe(r.JSON())
	if err != nil || got.ID != r.ID() || !reflect.DeepEqual(got.Run, want) || string(got.JSON) != string(r.JSON()) {
		t.Errorf("got %s, %+v (%v), want the ID %s and %+v", got.ID, got.Run, err, r.ID(), want)
	}
	indented := strings.ReplaceAll(string(r.JSON()), "\n", "\n\t  ") + "\n"
	if got, err := Describe([]byte(indented)); err != nil || got.ID != r.ID() {
		t.Errorf("with its lines moved: got %s (%v), want %s", got.ID, err, r.ID())
	}
	for old, spoilt := range map[string]struct{ new, want string }{
		`"Format": 2`:  {`"Format": 3`, "settings of format 3; this version knows format 2"},
		`"Format": 2,`: {`"Format": 1,`, "settings of format 1, of an older version"},
		`"Rerank": 2`:  {`"Rerank": 2, "Reorder": 1`, `json: unknown field "Reorder"`},
		`"Seed": 1,`:   {`"Seed": "one",`, "no run's settings"},
		"{":            {"[", "no run's settings"},
	} {
		text := strings.Replace(string(r.JSON()), old, spoilt.new, 1)
		must.Fail(t, must.Err(Describe([]byte(text))), spoilt.want, "%s", spoilt.new)
	}
}

// A store tells its runs, finished or not, and keeps the tokenizer of a chain's first; older runs' are made again of the same words.
func TestKept(t *testing.T) {
	e, r := executor(t, t.TempDir()), tuned(t)
	if ids, err := e.Store.IDs(); err != nil || len(ids) != 0 {
		t.Errorf("an empty store has %v (%v)", ids, err)
	}
	result := must.Get(e.Run(t.Context(), r))(t)
	want := []string{r.ID(), r.Init.ID()}
	slices.Sort(want)
	if ids, err := e.Store.IDs(); err != nil || !slices.Equal(ids, want) {
		t.Errorf("got the runs %v (%v), want %v", ids, err, want)
	}
	kept, err := e.Store.Kept(r.ID())
	if err != nil || !kept.Done || !reflect.DeepEqual(kept.Result, result) || kept.Dir != e.Store.Dir(r) ||
		kept.Run.Train.Init != r.Init.ID() {
		t.Fatalf("got %+v (%v), want the result %+v", kept, err, result)
	}
	collection := must.Get(r.Data.Open())(t)
	own := must.Get(r.Tokenizer(collection))(t)
	for _, older := range []bool{false, true} {
		if older {
			must.Do(t, os.Remove(filepath.Join(kept.Dir, tokenizerName)))
		}
		if got, err := e.Store.Tokenizer(kept); err != nil || got.Hash() != own.Hash() {
			t.Errorf("older %t: got another tokenizer, or none (%v)", older, err)
		}
	}
	photographs := kept
	photographs.Run.Train.Init, photographs.Run.Data = "", Data{Name: "flickr8k"}
	must.Fail(t, must.Err(e.Store.Tokenizer(photographs)), kept.Dir+" has no tokenizer.json", "an older run on photographs")

	must.Do(t, os.Remove(filepath.Join(kept.Dir, resultName)))
	if kept, err := e.Store.Kept(r.ID()); err != nil || kept.Done {
		t.Errorf("without a result: done %t (%v)", kept.Done, err)
	}
	settings := filepath.Join(kept.Dir, runName)
	must.Do(t, os.WriteFile(settings, r.Init.JSON(), 0o644))
	must.Fail(t, must.Err(e.Store.Kept(r.ID())), settings+": these are the settings of run "+r.Init.ID(), "another run's settings")
	if _, err := e.Store.Kept("0000000000000000"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v for a run that is not there", err)
	}
}
