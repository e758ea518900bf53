package karpathy

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"vlpx.internal/datasets/content"
	"vlpx.internal/internal/test/must"
)

// A collection whose images cannot be remembered says so, since each Open then takes as long as the first.
func TestForgetfulCollection(t *testing.T) {
	dir := pets(t, nil)
	must.Do(t, os.Truncate(filepath.Join(dir, "images", "c.jpg"), content.WorthRemembering))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "dataset_pets.json"))
	if runtime.GOOS != "linux" {
		t.Skip("the cache folder's place is named by XDG_CACHE_HOME on Linux alone")
	}
	c := must.Get(Open(dir))(t)
	skipped := c.Skipped()
	if last := skipped[len(skipped)-1].Error(); !strings.Contains(last, "cannot be remembered") ||
		!strings.Contains(last, "dataset_pets.json") {
		t.Errorf("got %q, want it to say that the images cannot be remembered, and where", last)
	}
}

// An unreadable image is part of the identity, too, and is not taken for an empty one.
func TestUnreadableImagesAreInTheHash(t *testing.T) {
	hash := func(make func(path string) error) string {
		dir := pets(t, nil)
		path := filepath.Join(dir, "images", "c.jpg")
		must.Do(t, os.Remove(path))
		must.Do(t, make(path))
		c := must.Get(Open(dir))(t)
		return c.Hash()
	}
	dangling := hash(func(path string) error { return os.Symlink("nowhere", path) })
	empty := hash(func(path string) error { return os.WriteFile(path, nil, 0o644) })
	linked := hash(func(path string) error { return os.Symlink("a.jpg", path) })
	whole := hash(func(path string) error { return os.WriteFile(path, photoBytes(t), 0o644) })
	if dangling == empty || dangling == whole {
		t.Errorf("got %s for a dangling link, %s for an empty file, %s for a whole one, want three hashes", dangling, empty, whole)
	}
	if linked != whole {
		t.Errorf("got %s for a link to the same content, want %s", linked, whole)
	}
}
