package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestUserDataIsWhereJupyterLooks(t *testing.T) {
	for _, test := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"linux", nil, "/home/u/.local/share/jupyter"},
		{"linux", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/jupyter"},
		{"linux", map[string]string{"XDG_DATA_HOME": "/data", "JUPYTER_DATA_DIR": "/j"}, "/j"},
		{"darwin", nil, "/home/u/Library/Jupyter"},
		{"darwin", map[string]string{"XDG_DATA_HOME": "/data"}, "/home/u/Library/Jupyter"},
		{"darwin", map[string]string{"JUPYTER_DATA_DIR": "/j"}, "/j"},
	} {
		home := func() (string, error) { return "/home/u", nil }
		got, err := userData(test.system, func(key string) string { return test.env[key] }, home)
		if got != test.want || err != nil {
			t.Errorf("%s, %v: got %s (%v), want %s", test.system, test.env, got, err, test.want)
		}
	}
	none := func() (string, error) { return "", errors.New("$HOME is not defined") }
	if dir, err := userData("linux", func(string) string { return "" }, none); err == nil {
		t.Errorf("no home: got %s, want an error", dir)
	}
}

func TestCheckoutOfAnEarlierInstallation(t *testing.T) {
	earlier := t.TempDir()
	t.Chdir(t.TempDir())
	if root, err := checkout(earlier); err == nil {
		t.Errorf("got %s, which is no checkout", root)
	}
	must.Do(t, os.WriteFile(filepath.Join(earlier, "go.mod"), []byte("module vlpx.internal\n"), 0o644))
	if root, err := checkout(earlier); root != earlier || err != nil {
		t.Errorf("got %s (%v), want %s", root, err, earlier)
	}
}
