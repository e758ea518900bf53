package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// mode is a literal of permissions.
var mode = regexp.MustCompile(`\b0o([0-7]{3})\b`)

// No file or folder is made that others than its owner may write.
func TestModes(t *testing.T) {
	root, found := "../../..", 0
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range mode.FindAllSubmatch(text, -1) {
			found++
			if strings.ContainsAny(string(m[1][1:]), "2367") {
				t.Errorf("%s: mode %s lets others write", path, m[0])
			}
		}
		return err
	}))
	if found < 20 {
		t.Errorf("only %d modes found", found)
	}
}
