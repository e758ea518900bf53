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
		_, patch, found := strings.Cut(string(note), "```diff\n")
		if !found {
			continue
		}
		patches++
		patch, _, _ = strings.Cut(patch, "```\n")
		command := exec.Command("git", "apply", "--check", "-")
		command.Dir, command.Stdin = gonb, bytes.NewBufferString(patch)
		if told, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", path, err, told)
		}
	}
	if patches == 0 {
		t.Error("no note has a patch")
	}
}
