package train

import (
	"errors"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// A frozen reference model stays what it was, is in no checkpoint, and a stopped run takes it up again.
func TestReference(t *testing.T) {
	trained := smallest(t, plain)
	finish(t, trained)
	informed := func() Job {
		job := smallest(t, negative.SRCL(3))
		job.Config.Reference, job.Reference = "of the test", trained.Dir
		return job
	}
	whole, stopped := informed(), informed()
	want, got := finish(t, whole), finish(t, stopped, 2, 7)
	if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
		t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
	}
	store, _ := saved(t, whole.Dir)
	again, _ := saved(t, stopped.Dir)
	same(t, "stopped", variables(t, again, "/"), variables(t, store, "/"))
	if frozen := variables(t, store, framework.Frozen); len(frozen) > 0 {
		t.Errorf("the checkpoint holds %d variables of the reference model", len(frozen))
	}

	tr := must.Get(newTrainer(whole))(t)
	defer tr.close()
	reference, _ := saved(t, trained.Dir)
	had := map[string]string{}
	for path, value := range variables(t, reference, framework.Model) {
		had[framework.Frozen+strings.TrimPrefix(path, framework.Model)] = value
	}
	same(t, "the reference model", variables(t, tr.store, framework.Frozen), had)

	other := informed()
	other.Config.Seed++
	if asJSON(t, finish(t, other).Epochs) == asJSON(t, want.Epochs) {
		t.Error("another seed gives the same")
	}
}

// What the reference finds similar matters: another one gives other losses.
func TestReferenceIsConsulted(t *testing.T) {
	losses := func(seed uint64) string {
		trained := smallest(t, plain)
		trained.Config.Seed = seed
		finish(t, trained)
		job := smallest(t, negative.SRCL(3))
		job.Config.Reference, job.Reference = "of the test", trained.Dir
		return asJSON(t, finish(t, job).Epochs)
	}
	if losses(1) == losses(2) {
		t.Error("two reference models give the same")
	}
}

func TestReferenceMistakes(t *testing.T) {
	missing := smallest(t, negative.SRCL(3))
	must.Fail(t, missing.Config.Validate(), "a method that needs one", "SRCL without a reference model")
	needless := smallest(t, plain)
	needless.Config.Reference = "x"
	must.Fail(t, needless.Config.Validate(), "others none", "InfoNCE with a reference model")
	lost := smallest(t, negative.SRCL(3))
	lost.Config.Reference, lost.Reference = "lost", t.TempDir()
	if _, _, err := Train(t.Context(), lost); err == nil || errors.Is(err, t.Context().Err()) || !strings.Contains(err.Error(),
		"reference model of SRCL") {
		t.Errorf("a reference model that is not there: error %v", err)
	}
}
