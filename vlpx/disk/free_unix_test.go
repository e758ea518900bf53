//go:build unix

package disk

import (
	"path/filepath"
	"testing"
)

// What is free at a path that is not there yet is what is free where it will be.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	if Free(dir) == 0 || Free(filepath.Join(dir, "not", "there")) == 0 {
		t.Error("nothing is free")
	}
	if got := Free(filepath.Join(dir, string([]byte{0}))); got != 0 {
		t.Errorf("%d bytes are free at a path that cannot be", got)
	}
}
