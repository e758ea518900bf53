package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// -config reads what runs show -config writes, and the same run is there; flags win over the file, and an unknown key names the nearest.
func TestConfig(t *testing.T) {
	dir := t.TempDir()
	named := func(out string) string { return strings.Fields(out[strings.Index(out, "\nrun "):])[1] }
	made, _ := succeed(t, dir, shortest("train", "InfoNCE, temperature=.1")...)
	id := named(made)
	config, _ := succeed(t, dir, "runs", "show", id[:8], "-config")
	file := filepath.Join(dir, "run.yaml")
	must.Do(t, os.WriteFile(file, []byte(config), 0o644))
	if again, errs := succeed(t, dir, "train", "-config", file); named(again) != id || strings.Contains(errs, "run 1 of") {
		t.Errorf("%s makes %s, want %s: %s", config, named(again), id, errs)
	}
	other, _ := succeed(t, dir, "train", "InfoNCE", "-config", file, "-set", "nepochs=1")
	if got, _ := succeed(t, dir, "runs", "show", named(other)[:8], "-config"); !strings.Contains(got, "method: InfoNCE\n") ||
		!strings.Contains(got, `epochs: "1"`) && !strings.Contains(got, "epochs: 1\n") {
		t.Errorf("flags do not win: %s", got)
	}
	for text, want := range map[string]string{
		"metod: InfoNCE":    `train has no flag -metod; did you mean "method"?`,
		"scale: tinny":      `did you mean "tiny"?`,
		"set:\n  epohcs: 3": `did you mean "epochs"?`,
		"scale:":            "no value",
		"- a list":          "KEY: VALUE",
	} {
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		if _, errs, status := executed(t, dir, "train", "InfoNCE", "-config", file); status != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %s, want %q", text, status, errs, want)
		}
	}
}

// Whatever a file has, it is an error, or words of not much more bytes than the file's.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{"method: InfoNCE\nset:\n  epochs: 3\n  a: [1, .5]\nseeds: [1, 2]", "a: &a [x, x]\nb: [*a, *a]", "a: &a [*a]",
		"a: {? {b: c} : d}", "a: !!binary aGk=", "a: 2001-01-01\nb: 0x10\nc: 1_000", "- a", "a: 1\na: 2", "a:\n---\nb: 1", "{1: 2}",
		"<<: {a: b}", "a: |\n  b\n", "# none", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := parseConfig(text)
		if err != nil {
			return
		}
		size := 0
		for _, value := range values {
			words, err := wordsOf(value)
			if err != nil {
				continue
			}
			for _, word := range words {
				size += len(word)
			}
		}
		if size > 500*(len(text)+1) {
			t.Fatalf("%q: %d bytes", text, size)
		}
	})
}
