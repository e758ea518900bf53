package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/papers/catalogue"
)

// GALLERY.md has the picture or the examples of each artifact that says so, and no others are kept.
func TestGallery(t *testing.T) {
	page := string(must.Get(os.ReadFile("GALLERY.md"))(t))
	var want, got []string
	for _, a := range catalogue.List() {
		if !a.Gallery {
			continue
		}
		name := strings.ReplaceAll(a.ID, "/", "-")
		want = append(want, name)
		if !strings.Contains(page, "`"+a.ID+"`") || !strings.Contains(page, "](gallery/"+name+".") {
			t.Errorf("GALLERY.md does not have %s", a.ID)
		}
	}
	for _, of := range must.Get(filepath.Glob("gallery/*"))(t) {
		got = append(got, strings.TrimSuffix(filepath.Base(of), filepath.Ext(of)))
	}
	slices.Sort(want)
	listtest.Equal(t, "files", got, want)
}
