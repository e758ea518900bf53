package album

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"vlpx.internal/internal/test/must"
)

// folder has two pictures in folders of their own, a broken one, and what is none.
func folder(t *testing.T) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	for name, width := range map[string]int{"b/cat.png": 2, "a.PNG": 3, "broken.jpg": 0, "notes.txt": 0} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		var drawn bytes.Buffer
		if width > 0 {
			must.Do(t, png.Encode(&drawn, image.NewGray(image.Rect(0, 0, width, 1))))
		}
		must.Do(t, os.WriteFile(path, drawn.Bytes(), 0o644))
	}
	return dir, must.Get(Below(dir))(t)
}

func TestBelow(t *testing.T) {
	dir, paths := folder(t)
	want := []string{filepath.Join(dir, "a.PNG"), filepath.Join(dir, "b/cat.png"), filepath.Join(dir, "broken.jpg")}
	if !reflect.DeepEqual(paths, want) {
		t.Errorf("got %v, want %v", paths, want)
	}
	must.Fail(t, must.Err(Below(filepath.Join(dir, "c"))), "no such file")
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(dir, link))
	if linked := must.Get(Below(link))(t); len(linked) != 3 || linked[0] != filepath.Join(link, "a.PNG") {
		t.Errorf("got %v below a link, want what is below its folder", linked)
	}
}

func TestCollection(t *testing.T) {
	dir, paths := folder(t)
	c := Of(paths)
	set := must.Get(c.Split(Split))(t)
	if set.Len() != 3 || set.Key(1) != paths[1] || set.Captions(1) != nil {
		t.Errorf("got %d images, %s with %v", set.Len(), set.Key(1), set.Captions(1))
	}
	if img := must.Get(set.Image(t.Context(), 1))(t); img.Bounds().Dx() != 2 {
		t.Errorf("got a picture of %v, want one 2 pixels wide", img.Bounds())
	}
	must.Fail(t, must.Err(set.Image(t.Context(), 2)), paths[2])
	must.Fail(t, must.Err(c.Split("train")), `no split "train"`)
	// Names, order and content are in the hash.
	hash := c.Hash()
	if Of(paths).Hash() != hash || Of(paths[:2]).Hash() == hash || Of([]string{paths[1], paths[0], paths[2]}).Hash() == hash {
		t.Error("the hash is not that of the files in their order")
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "broken.jpg"), []byte("other"), 0o644))
	if Of(paths).Hash() == hash {
		t.Error("other content has the same hash")
	}
}
