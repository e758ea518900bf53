package command

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// A profile of training is what pprof reads, and a trace of a step names what the step did; a run that is there already has no step.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	args := shortest("train", "InfoNCE", "-pprof", "cpu.pprof", "-trace", "step.trace", "-set", "epochs=6")
	succeed(t, dir, args...)
	packed := must.Get(os.ReadFile(filepath.Join(dir, "cpu.pprof")))(t)
	profile := must.Get(io.ReadAll(must.Get(gzip.NewReader(bytes.NewReader(packed)))(t)))(t)
	if !bytes.Contains(profile, []byte("nanoseconds")) {
		t.Error("the profile has no times")
	}
	traced := must.Get(os.ReadFile(filepath.Join(dir, "step.trace")))(t)
	for _, region := range []string{"next mini-batch", "step", "observe"} {
		if !bytes.HasPrefix(traced, []byte("go 1.")) || !bytes.Contains(traced, []byte(region)) {
			t.Errorf("the trace has no %s", region)
		}
	}
	if _, errs, status := executed(t, dir, args...); status != 1 || !strings.Contains(errs, "-trace: 0 steps were made") {
		t.Errorf("status %d, printed %q; want that there is no step", status, errs)
	}
}
