package train

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// selecting is the smallest job whose epochs are measured as the values say, with the weights of each epoch as they were then.
func selecting(t *testing.T, values ...float64) (Job, *[]map[string]string) {
	t.Helper()
	job := smallest(t, negative.ALBEF(8))
	job.Config.Select = "quality"
	weights := make([]map[string]string, len(values))
	job.Evaluate = func(_ context.Context, m *Model, epoch int) (map[string]float64, error) {
		weights[epoch] = variables(t, m.store, framework.Model)
		return map[string]float64{"quality": values[epoch], "other": 1}, nil
	}
	return job, &weights
}

// The model of a run that selects has the best epoch's weights, the first of equals, and so has the one that is loaded.
func TestBestEpochIsTheModel(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   int
	}{{[]float64{1, 3, 2}, 2}, {[]float64{3, 3, -1}, 1}, {[]float64{-3, -2, -1}, 3}} {
		job, weights := selecting(t, c.values...)
		ids := make([]int32, job.Config.MaxLen)
		ids[0] = 4
		var features [][]float32
		embed := func(m *Model) []float32 {
			inference := must.Get(m.Inference())(t)
			texts := must.Get(inference.Texts(ids))(t)
			return texts.Features
		}
		evaluate := job.Evaluate
		job.Evaluate = func(ctx context.Context, m *Model, epoch int) (map[string]float64, error) {
			features = append(features, embed(m))
			return evaluate(ctx, m, epoch)
		}
		m, out := must.Get2(Train(t.Context(), job))(t)
		defer m.Close()
		if out.BestEpoch != c.want {
			t.Errorf("%v: got the weights of epoch %d, want %d", c.values, out.BestEpoch, c.want)
		}
		same(t, "the model", variables(t, m.store, framework.Model), (*weights)[c.want-1])
		if got, want := asJSON(t, embed(m)), asJSON(t, features[c.want-1]); got != want {
			t.Errorf("%v: its embedding is %s, want the best epoch's %s", c.values, got, want)
		}
		loaded := must.Get(Load(job.Backend, job.Config, job.Tokenizer, job.Dir))(t)
		defer loaded.Close()
		same(t, "the model that is loaded", variables(t, loaded.store, framework.Model), (*weights)[c.want-1])
	}
}

// A run that selects ends in the same weights wherever it was stopped or killed: also after the weights of an epoch were written
// and before the checkpoint that reports so, while they were written, and when all was done.
func TestSelectingRunGoesOn(t *testing.T) {
	values := []float64{1, 3, 2}
	whole, _ := selecting(t, values...)
	want := finish(t, whole)
	wholeStore, _ := saved(t, whole.Dir)
	wantBest, wantStore := read(t, whole.Dir, BestName), variables(t, wholeStore, "/")
	check := func(what string, job Job, got Outcome) {
		t.Helper()
		if got.BestEpoch != 2 || asJSON(t, got.Epochs) != asJSON(t, want.Epochs) {
			t.Errorf("%s: got epoch %d of %s, want epoch 2 of %s", what, got.BestEpoch, asJSON(t, got.Epochs), asJSON(t, want.Epochs))
		}
		if read(t, job.Dir, BestName) != wantBest {
			t.Errorf("%s: other weights are the best", what)
		}
		store, _ := saved(t, job.Dir)
		same(t, what, variables(t, store, "/"), wantStore)
	}
	for _, stops := range [][]int{{3}, {5, 7}, {10, 12}} {
		job, _ := selecting(t, values...)
		check("stopped", job, finish(t, job, stops...))
	}
	check("asked again", whole, finish(t, whole))

	killed, _ := selecting(t, values...)
	ctx, cancel := context.WithCancel(t.Context())
	killed.Report = func(r Report) {
		if r.Step == 8 {
			cancel()
		}
	}
	if _, _, err := Train(ctx, killed); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	left := filepath.Join(killed.Dir, "."+BestName+"123")
	must.Do(t, errors.Join(os.WriteFile(filepath.Join(killed.Dir, BestName), []byte(wantBest), 0o600), os.WriteFile(left, []byte("half"),
		0o600)))
	check("killed before the checkpoint", killed, finish(t, killed))
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed process left of its best weights is still there")
	}
}

// Training ends after so many epochs without a better one, wherever it was stopped, and asked again it makes no step.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		values       []float64
		patience     int
		lower        bool
		epochs, best int
	}{
		{[]float64{1, 3, 2, 3, 9}, 2, false, 4, 2},
		{[]float64{1, 3, 2, 4, 3}, 2, false, 5, 4}, // it grew better in time
		{[]float64{2, 1, 1, 0, 0}, 1, true, 3, 2},
		{[]float64{1, 3, 2, 2, 2}, 0, false, 5, 2},
	} {
		waiting := func() Job {
			job, _ := selecting(t, c.values...)
			job.Config.Epochs, job.Config.Patience, job.Lower = len(c.values), c.patience, c.lower
			return job
		}
		whole := waiting()
		want := finish(t, whole)
		if len(want.Epochs) != c.epochs || want.BestEpoch != c.best || want.Pairs != c.epochs*5*4 {
			t.Errorf("%+v: got %d epochs of %d pairs in all, the best %d", c, len(want.Epochs), want.Pairs, want.BestEpoch)
		}
		for _, stops := range [][]int{{5 * (c.epochs - 1)}, {3, 5*c.epochs - 1}} {
			job := waiting()
			if got := finish(t, job, stops...); asJSON(t, got.Epochs) != asJSON(t, want.Epochs) || got.BestEpoch != want.BestEpoch {
				t.Errorf("%+v, stopped at %v: got %s, want %s", c, stops, asJSON(t, got.Epochs), asJSON(t, want.Epochs))
			}
			if read(t, job.Dir, BestName) != read(t, whole.Dir, BestName) {
				t.Errorf("%+v, stopped at %v: other weights are the best", c, stops)
			}
		}
		whole.Report = func(Report) { t.Errorf("%+v: a step after the end", c) }
		finish(t, whole)
		if there, err := Trained(whole.Config, whole.Dir); !there || err != nil {
			t.Errorf("%+v: got %t (%v), want a model that is trained", c, there, err)
		}
	}
}

// No checkpoint reports of best weights that could not be written.
func TestBestIsWrittenBeforeTheCheckpoint(t *testing.T) {
	job, _ := selecting(t, 1, 2, 3)
	must.Do(t, os.Mkdir(filepath.Join(job.Dir, BestName), 0o755))
	must.Fail(t, must.Err2(Train(t.Context(), job)), BestName)
	if _, err := os.Stat(filepath.Join(job.Dir, CheckpointName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for the checkpoint, want none", err)
	}
}

func TestSelectMistakes(t *testing.T) {
	unknown, _ := selecting(t, 1, 2, 3)
	unknown.Config.Select = "qualty"
	if _, _, err := Train(t.Context(), unknown); err == nil || !strings.Contains(err.Error(), `"qualty"`) || !strings.Contains(err.Error(),
		`["other" "quality"]`) {
		t.Errorf("a metric that is not measured: error %v, want one that names those that are", err)
	}
	impatient, _ := selecting(t, 1, 2, 3)
	impatient.Config.Patience = -1
	must.Fail(t, impatient.Config.Validate(), "a patience of -1 epochs")
	impatient.Config.Patience, impatient.Config.Select = 2, ""
	must.Fail(t, impatient.Config.Validate(), "select=METRIC")
	lost, _ := selecting(t, 1, 2, 3)
	finish(t, lost)
	must.Do(t, os.Remove(filepath.Join(lost.Dir, BestName)))
	if _, err := Load(lost.Backend, lost.Config, lost.Tokenizer, lost.Dir); err == nil || !strings.Contains(err.Error(), BestName) ||
		!strings.Contains(err.Error(), "delete its folder") {
		t.Errorf("lost weights of the best epoch: error %v", err)
	}
}

// What a method keeps beside its weights, such as ALBEF's queue, is the best epoch's as the weights are, in the run's model and in the one
// that is loaded; a name that it keeps nothing under is reported.
func TestStateGoesWithTheWeights(t *testing.T) {
	job, _ := selecting(t, 1, 3, 2)
	measure := job.Evaluate
	var states []map[string]string
	job.Evaluate = func(ctx context.Context, m *Model, epoch int) (map[string]float64, error) {
		states = append(states, variables(t, m.store, framework.State))
		return measure(ctx, m, epoch)
	}
	m, _ := must.Get2(Train(t.Context(), job))(t)
	defer m.Close()
	loaded := must.Get(Load(job.Backend, job.Config, job.Tokenizer, job.Dir))(t)
	defer loaded.Close()
	if len(states[1]) == 0 || asJSON(t, states[1]) == asJSON(t, states[2]) {
		t.Fatal("the queue does not change")
	}
	same(t, "the state", variables(t, m.store, framework.State), states[1])
	same(t, "the state that is loaded", variables(t, loaded.store, framework.State), states[1])
	for _, of := range []*Model{m, loaded} {
		kept := 0
		for v := range of.store.Scope(framework.State).IterVariables() {
			if v.Shape().DType != dtypes.Float32 {
				continue
			}
			kept++
			got, there, err := of.State(strings.TrimPrefix(v.Path(), framework.State))
			if err != nil || !there || len(got) != v.Shape().Size() {
				t.Errorf("%s: got %d numbers, %t (%v), want %d", v.Path(), len(got), there, err, v.Shape().Size())
			}
		}
		if _, there, err := of.State("/left/image/lambda"); there || err != nil || kept == 0 {
			t.Errorf("got a state that is not kept (%v), or none of %d", err, kept)
		}
	}
}
