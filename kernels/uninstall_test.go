package kernels

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestUninstall(t *testing.T) {
	prefix := t.TempDir()
	if removed, err := Uninstall(prefix); err != nil || len(removed) > 0 {
		t.Errorf("nothing installed: removed %q, error %v", removed, err)
	}
	for _, foreign := range []string{"", "mine.txt"} {
		data := must.Get(dataDir(prefix))(t)
		dir := specDir(data)
		must.Do(t, writeSpec(dir, installed{}))
		for _, name := range []string{"bin/gonb", "bin/goimports-tool", "bin/gopls-server", "bin/proxy", foreign} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); name != "" && err != nil {
				t.Fatal(err)
			}
		}
		removed, err := Uninstall(prefix)
		if err != nil || !slices.Contains(removed, filepath.Join(dir, "kernel.json")) ||
			!slices.Contains(removed, filepath.Join(dir, "bin", "gopls")) {
			t.Errorf("removed %q, error %v", removed, err)
		}
		left, err := os.ReadDir(dir)
		if foreign == "" && !os.IsNotExist(err) {
			t.Errorf("the folder is still there (%v)", left)
		}
		if foreign != "" && (len(left) != 1 || left[0].Name() != foreign) {
			t.Errorf("left %v, want only %s", left, foreign)
		}
	}
}
