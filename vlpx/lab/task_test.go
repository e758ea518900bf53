package lab

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/generate"
)

// given are values of tasks' flags.
type given = map[string][]string

func TestTaskByName(t *testing.T) {
	if got, err := Task("retrieval", given{"rerank": {"7"}}); err != nil || got != (eval.Retrieval{Rerank: 7}) {
		t.Errorf("got %v (%v)", got, err)
	}
	if got, err := Task("classes", given{"prompts": {"{}"}}); err != nil || got.(eval.Classification).Prompts[0] != "{}" {
		t.Errorf("got %v (%v)", got, err)
	}
	for name, want := range map[string]string{"class": `did you mean "classes"`,
		"retrieval": "-prompts is for the task classes; retrieval has none"} {
		must.Fail(t, must.Err(Task(name, given{"prompts": {"{}"}})), want, "%s", name)
	}
}

// Each task takes its own settings and no other's; targets are folders, found as data are.
func TestTaskFlags(t *testing.T) {
	for name, want := range map[string]eval.Task{
		"neighbours": eval.Neighbours{}, "linear": eval.LinearEvaluation{}, "transfer": eval.Transfer{}, "thresholds": eval.Thresholds{},
		"perplexity": eval.Perplexity{}, "asking": eval.Asking{Search: generate.Answers()},
		"captioning": eval.Captioning{Search: generate.Captions()},
	} {
		if got, err := Task(name, given{"rerank": {"7"}}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v (%v)", name, got, err)
		}
	}
	if got, err := Task("thresholds", given{"alpha": {"0.2"}}); err != nil || got != (eval.Thresholds{Alpha: .2}) {
		t.Errorf("got %+v (%v)", got, err)
	}
	edited := given{"of": {"0123"}, "version": {"edited"}}
	if got, err := Task("discrimination", edited); err != nil || got != (eval.Discrimination{Of: "0123", Against: eval.Edited}) {
		t.Errorf("got %+v (%v)", got, err)
	}
	if got, err := Task("fluency", given{"of": {"0123"}}); err != nil || got != (eval.Fluency{Of: "0123", Version: eval.Written}) {
		t.Errorf("got %+v (%v)", got, err)
	}
	root := t.TempDir()
	t.Setenv("VLPX_DATA", root)
	writeRecords(t, filepath.Join(root, "hundred"))
	got := must.Get(Task("transfer", given{"targets": {"scenes", "hundred", "hundred:coarse"}}))(t)
	var names []string
	for _, target := range got.(eval.Transfer).Targets {
		names = append(names, target.Name)
	}
	if want := "scenes' ground, scenes' shape, CIFAR-100, CIFAR-100 coarse"; strings.Join(names, ", ") != want {
		t.Errorf("got targets %q, want %s", names, want)
	}
	for want, values := range map[string]given{
		"-targets is for the task transfer; linear has none":                  {"targets": {"scenes"}},
		"-alpha is for the task thresholds; linear has none":                  {"alpha": {".1"}},
		"-prompts is for the task classes; linear has none":                   {"prompts": {"{}"}},
		"-answers is for the task vqa; linear has none":                       {"answers": {"file"}},
		"-of is for the task discrimination or fluency; linear has none":      {"of": {"0123"}},
		"-version is for the task discrimination or fluency; linear has none": {"version": {"written"}},
	} {
		if _, err := Task("linear", values); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	must.Fail(t, must.Err(Task("transfer", given{"targets": {"nowhere"}})), "data nowhere: no such folder")
}

// writeRecords writes ten records of CIFAR-100 to train with and ten to test.
func writeRecords(t *testing.T, dir string) {
	t.Helper()
	must.Do(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"train.bin", "test.bin"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), make([]byte, 10*3074), 0o644))
	}
}
