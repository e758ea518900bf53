package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// export finds a run by the beginning of its name, as runs says it, and eval of what it wrote prints what eval of the run does.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, shortest("train", "InfoNCE")...)
	id := only(t, dir).ID
	if out, _ := succeed(t, dir, "runs"); !strings.Contains(out, "\n"+id[:8]+"  InfoNCE  tiny, 5 settings  scenes (16)     1  finished  ") {
		t.Errorf("runs printed\n%s", out)
	}
	want, _ := succeed(t, dir, shortest("eval", "InfoNCE", "-split", "val")...)
	for range 2 {
		out, _ := succeed(t, dir, "export", id[:4], "-o", "models/one")
		if told := "wrote InfoNCE, seed 1, run " + id + ", to models/one\n"; out != told {
			t.Errorf("printed %q, want %q", out, told)
		}
		must.Do(t, os.Rename(filepath.Join(dir, "home"), filepath.Join(dir, "elsewhere")))
		if got, _ := succeed(t, dir, "eval", "models/one", "-split", "val"); got != want {
			t.Errorf("eval of the export printed\n%swant\n%s", got, want)
		}
		must.Do(t, os.Rename(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "home")))
	}
	if out, errs, status := executed(t, dir, "export", id, "-o", "models/onnx", "-onnx"); status != 0 {
		if !strings.Contains(errs, "vlpx doctor -fix") {
			t.Errorf("printed %q and %q; want what ONNX takes", out, errs)
		}
	} else if listed, _ := filepath.Glob(filepath.Join(dir, "models/onnx/*.onnx")); len(listed) != 2 {
		t.Errorf("wrote %v, want two encoders", listed)
	}
	if out, _ := succeed(t, dir, "export", id, "-o", "hub", "-hub-layout"); !strings.Contains(out, "call: hf upload NAME hub\n") {
		t.Errorf("printed %q, want the command that uploads it", out)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"export"}, []string{"needs one run", "vlpx runs"}},
		{[]string{"export", id}, []string{"name it with -o"}},
		{[]string{"export", id, "-o", "hub", "-hub-layout", "-onnx"}, []string{"leave one of them out"}},
		{[]string{"export", "xyz", "-o", "other"}, []string{`no run "xyz"`, "vlpx runs says which there are"}},
		{[]string{"export", id, "-o", "home"}, []string{"home has runs", "choose a folder that is empty"}},
		{[]string{"eval", "home"}, []string{"home has no config.json", "vlpx export wrote"}},
		{[]string{"eval", "models/one", "-seeds", "2"}, []string{"-seeds is that of the exported model"}},
		{[]string{"eval", "models/one", "two"}, []string{`not "two" too`, "vlpx eval -h"}},
		{[]string{"eval", "models/one", "-data", "home"}, []string{"generated scenes", "leave out -data"}},
		{[]string{"eval", "models/one", "-split", "tset"}, []string{"tset"}},
	} {
		out, errs, status := executed(t, dir, c.args...)
		for _, want := range c.want {
			if status != 1 || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("vlpx %s: status %d, printed %q and %q; want one line that says %q", strings.Join(c.args, " "), status,
					out, errs, want)
			}
		}
	}
}

// A CLIP is trained, exported and measured again as an ALBEF is, and another run starts from what was exported.
func TestExportOfCLIP(t *testing.T) {
	dir := t.TempDir()
	of := func(args ...string) []string {
		return shortest(append(args, "InfoNCE", "-set", "framework=clip")...)
	}
	succeed(t, dir, of("train")...)
	id := only(t, dir).ID
	want, _ := succeed(t, dir, of("eval", "-split", "val")...)
	succeed(t, dir, "export", id, "-o", "clip")
	if got, _ := succeed(t, dir, "eval", "clip", "-split", "val"); got != want {
		t.Errorf("eval of the export printed\n%swant\n%s", got, want)
	}
	if out, _ := succeed(t, dir, "weights", "show", "clip"); !strings.Contains(out, "clip: OpenAI's CLIP, ") ||
		!strings.Contains(out, "\nwhole\n  used ") {
		t.Errorf("weights show printed\n%s", out)
	}
	out, errs := succeed(t, dir, of("train", "-weights", "model=clip")...)
	if !strings.Contains(out+errs, "model weights from clip (") {
		t.Errorf("a run from the export printed\n%s%s", out, errs)
	}
	if out, _ := succeed(t, dir, "runs"); strings.Count(out, "  InfoNCE on CLIP  ") != 2 {
		t.Errorf("runs printed\n%s", out)
	}
}
