package kernels

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// The patches that docs/upstream has for GoNB are against the version that tools/go.mod pins.
func TestUpstreamPatchesApply(t *testing.T) {
	dir := filepath.Join("..", tools)
	must.Get(goCommand(t.Context(), dir, nil, "mod", "download", "github.com/janpfeifer/gonb"))(t)
	source := must.Get(goCommand(t.Context(), dir, nil, "list", "-m", "-f", "{{.Dir}} {{.Version}}", "github.com/janpfeifer/gonb"))(t)
	gonb, version, _ := strings.Cut(strings.TrimSpace(string(source)), " ")
	notes, err := filepath.Glob(filepath.Join("..", "docs", "upstream", "gonb-*.md"))
	if err != nil || len(notes) == 0 {
		t.Fatalf("notes %v (%v)", notes, err)
	}
	patches := 0
	for _, path := range notes {
		note := must.Get(os.ReadFile(path))(t)
		if !strings.Contains(string(note), "GoNB "+version) {
			t.Errorf("%s is not of GoNB %s; see whether it still holds", path, version)
		}
		diff := patchOf(string(note))
		if diff == "" {
			continue
		}
		patches++
		command := exec.Command("git", "apply", "--check", "-")
		command.Dir, command.Stdin = gonb, bytes.NewBufferString(diff)
		if told, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", path, err, told)
		}
	}
	if patches == 0 {
		t.Error("no note has a patch")
	}
}

// A patch changes what git changes by it. One whose place is not there, or there twice, is an error.
func TestPatch(t *testing.T) {
	const before, after = "a\nb\n\nc\nd\ne\nf\n", "a\nB\n\nc\nd\nf\ng\n"
	const diff = "diff --git a/x/y b/x/y\n--- a/x/y\n+++ b/x/y\n@@ -1,4 +1,4 @@\n a\n-b\n+B\n \n c\n@@ -6,2 +6,2 @@ words\n-e\n f\n+g\n"
	byGit := func(dir, diff string) error {
		command := exec.Command("git", "apply", "-")
		command.Dir, command.Stdin = dir, strings.NewReader(diff)
		return command.Run()
	}
	for _, apply := range []func(dir, diff string) error{patch, byGit} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"x/y": before})
		must.Do(t, apply(dir, diff))
		if got := string(must.Get(os.ReadFile(filepath.Join(dir, "x", "y")))(t)); got != after {
			t.Errorf("got %q, want %q", got, after)
		}
		for _, other := range []string{after, before + before} {
			write(t, dir, map[string]string{"x/y": other})
			if err := patch(dir, diff); err == nil {
				t.Errorf("the patch fits %q", other)
			}
		}
	}
}
