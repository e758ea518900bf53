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

// GALLERY.md shows the picture of each artifact that says it is there, and no others are kept.
func TestGallery(t *testing.T) {
	page := string(must.Get(os.ReadFile("GALLERY.md"))(t))
	var want, got []string
	for _, a := range catalogue.List() {
		if a.Pictured == "" {
			continue
		}
		name := strings.ReplaceAll(a.ID, "/", "-") + ".png"
		want = append(want, name)
		if !strings.Contains(page, "`"+a.ID+"`") || !strings.Contains(page, "](gallery/"+name+")") {
			t.Errorf("GALLERY.md does not show %s", a.ID)
		}
	}
	for _, of := range must.Get(filepath.Glob("gallery/*"))(t) {
		got = append(got, filepath.Base(of))
	}
	slices.Sort(want)
	listtest.Equal(t, "pictures", got, want)
}
