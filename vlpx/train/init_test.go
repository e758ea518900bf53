package train

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// tuning is a job that goes on from a finished one, as retrieval fine-tuning does.
func tuning(t *testing.T, from Job) Job {
	t.Helper()
	job := smallest(t, negative.Method{Name: "tuned", Contrast: negative.Distilled{Alpha: 0.4, Decay: 0.5, Queue: 8, Items: true},
		Matching: negative.Sampled{}}.WithDefaults())
	job.Config.Objectives = negative.Of(negative.ITC, negative.ITM)
	job.Config.Init, job.Init = "of the test", from.Dir
	return job
}

// A run with Init starts with the weights of that run's model, in its momentum encoders too: of the last epoch, or of the best
// where that run selected.
func TestInit(t *testing.T) {
	last := smallest(t, plain)
	finish(t, last)
	store, _ := saved(t, last.Dir)
	picked, best := selecting(t, 1, 3, 2)
	finish(t, picked)
	for name, c := range map[string]struct {
		from Job
		want map[string]string
	}{"last": {last, variables(t, store, framework.Model)}, "best": {picked, (*best)[1]}} {
		tr := must.Get(newTrainer(tuning(t, c.from)))(t)
		defer tr.close()
		same(t, name, variables(t, tr.store, framework.Model), c.want)
		momentum := map[string]string{}
		for path, value := range variables(t, tr.store, framework.Momentum) {
			momentum[framework.Model+strings.TrimPrefix(path, framework.Momentum)] = value
		}
		same(t, name+", momentum", momentum, c.want)
	}
}

// A stopped fine-tuning ends as one that was not; its masked words teach nothing, and it does not touch the run it started from.
func TestTuningGoesOn(t *testing.T) {
	first := smallest(t, plain)
	finish(t, first)
	before := read(t, first.Dir, CheckpointName)
	whole, stopped := tuning(t, first), tuning(t, first)
	want, got := finish(t, whole), finish(t, stopped, 2, 5, 8)
	if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
		t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
	}
	store, _ := saved(t, whole.Dir)
	again, _ := saved(t, stopped.Dir)
	same(t, "stopped", variables(t, again, "/"), variables(t, store, "/"))
	if read(t, first.Dir, CheckpointName) != before {
		t.Error("the run that it started from has changed")
	}
	if e := want.Epochs[0].Losses; len(e) != 2 || e[negative.ITC] == 0 || e[negative.ITM] == 0 {
		t.Errorf("got the losses %v, want all but MLM", e)
	}

	lost := tuning(t, first)
	lost.Init = t.TempDir()
	must.Fail(t, must.Err2(Train(t.Context(), lost)), "model that tuned starts from", "a run to start from that is not there")
}

// Published weights take the place of first values, in the momentum encoders, too, and leave the others as they are drawn.
func TestWeights(t *testing.T) {
	job := smallest(t, negative.Method{Name: "distilled", Contrast: negative.Distilled{Alpha: 0.4, Decay: 0.5, Queue: 8}}.WithDefaults())
	drawn := must.Get(newTrainer(job))(t)
	drawn.close()
	const below = "/vision/class/embedding"
	path := framework.Model + below
	dims := drawn.store.GetVariable(path).Shape().Dimensions
	job.Dir = t.TempDir()
	job.Weights = weights.Values{path: tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{0.5}, dims[1]), dims...)}
	tr := must.Get(newTrainer(job))(t)
	tr.close()
	for _, root := range []string{framework.Model, framework.Momentum} {
		want := variables(t, drawn.store, root)
		for _, variable := range slices.Sorted(maps.Keys(want)) {
			if x := tr.store.GetVariable(variable).MustValue(); variable == root+below {
				if !x.Equal(job.Weights[path]) {
					t.Errorf("%s: got %s, want the published", variable, x)
				}
			} else if !x.Equal(drawn.store.GetVariable(variable).MustValue()) {
				t.Errorf("%s: got %s, want it as it is drawn", variable, x)
			}
		}
	}
	job.Weights = weights.Values{path: tensors.FromValue([]float32{1})}
	must.Fail(t, must.Err(newTrainer(job)), path, "of another shape")
}
