package command

import (
	"strings"
	"testing"
)

// TestWarmStart holds that two methods and two seeds start from one run, which is made once, and that the table says so.
func TestWarmStart(t *testing.T) {
	dir := t.TempDir()
	args := shortest("reproduce", "falcon/table1", "-methods", "InfoNCE,GRIT-VLP", "-out", "out", "-set", "warmstart=1", "-set",
		"searchspace=16", "-without", "NLVR2,VQA",
		"-set", "groupqueue=16")
	out, errs := succeed(t, dir, append(args, "-seeds", "1,2")...)
	if !strings.Contains(errs, "5 of 5 runs to make") {
		t.Errorf("got %q, want a warm start and four runs", errs)
	}
	if want := "Every run starts from the same model, an epoch of InfoNCE"; !strings.Contains(strings.Join(strings.Fields(out), " "),
		want) {
		t.Errorf("got %q, want %q in the note", out, want)
	}
	if _, errs = succeed(t, dir, append(args, "-seeds", "1,2")...); strings.Contains(errs, "step") {
		t.Errorf("the second call trained: %q", errs)
	}
}
