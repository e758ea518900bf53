package imagefolder

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

// drawing is a PNG of some width.
func drawing(t *testing.T, width int) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 3))))
	return b.String()
}

// folder writes files, given by name and content, into a new folder "pets"; a name that ends in a slash is an empty folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pets")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			path = filepath.Join(path, "x")
		}
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if strings.HasSuffix(name, "/") {
			continue
		}
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// pets has three cats and two sea lions to train with, and one each to test.
func pets(t *testing.T, more map[string]string) string {
	t.Helper()
	files := map[string]string{
		"train/cat/a.png": drawing(t, 1), "train/cat/b.PNG": drawing(t, 2), "train/cat/c.png": drawing(t, 3),
		"train/sea_lion/a.png": drawing(t, 4), "train/sea_lion/z.jpeg": drawing(t, 5), "train/sea_lion/notes.txt": "", "train/list.csv": "",
		"test/cat/a.png": drawing(t, 6), "test/sea_lion/broken.jpg": "no image", "readme.txt": "",
	}
	for name, text := range more {
		files[name] = text
	}
	return folder(t, files)
}

func TestOpen(t *testing.T) {
	c := must.Get(Open(pets(t, nil)))(t)
	if c.Name() != "pets" || !slices.Equal(c.Splits(), []string{"train", "test"}) {
		t.Errorf("got %q with %q, want pets with train and test", c.Name(), c.Splits())
	}
	set := must.Get(c.Split("train"))(t)
	s := set.(datasets.Labelled)
	if want := []string{"cat", "sea lion"}; !slices.Equal(s.Classes(), want) {
		t.Errorf("classes: got %q, want %q", s.Classes(), want)
	}
	var keys []string
	for i := range s.Len() {
		keys = append(keys, s.Key(i))
		if got := s.Classes()[s.Class(i)]; !strings.Contains(s.Key(i), strings.ReplaceAll(got, " ", "_")) {
			t.Errorf("%s is of class %q", s.Key(i), got)
		}
		if len(s.Captions(i)) > 0 {
			t.Errorf("%s has captions", s.Key(i))
		}
	}
	want := []string{"train/cat/a.png", "train/sea_lion/a.png", "train/cat/b.PNG", "train/sea_lion/z.jpeg", "train/cat/c.png"}
	if !slices.Equal(keys, want) {
		t.Errorf("got images %q, want the classes in turn, %q", keys, want)
	}
	for i, width := range []int{1, 4, 2, 5, 3} {
		if img, err := s.Image(t.Context(), i); err != nil || img.Bounds().Dx() != width {
			t.Errorf("image %d: got %v (%v), want a width of %d", i, img, err, width)
		}
	}
	if got := len(datasets.Pairs(s)); got != 5 || s.Name() != "pets/train" {
		t.Errorf("got %d pairs of %s, want 5 of pets/train", got, s.Name())
	}
	if _, err := c.Split("val"); err == nil || err.Error() != `pets: no split "val"; there are [train test]` {
		t.Errorf("a missing split: got error %v", err)
	}
	var told []string
	for _, err := range c.Skipped() {
		o, ok := errors.AsType[*datasets.Omission](err)
		if !ok || o.Count != 1 {
			t.Errorf("got %v, want an omission of one", err)
			continue
		}
		told = append(told, o.First...)
	}
	if want := []string{"list.csv", "train/sea_lion/notes.txt"}; !slices.Equal(told, want) {
		t.Errorf("left out: got %q, want %q", told, want)
	}
}

func TestBrokenImage(t *testing.T) {
	c := must.Get(Open(pets(t, nil)))(t)
	s := must.Get(c.Split("test"))(t)
	must.Fail(t, must.Err(s.Image(t.Context(), 1)), `image 1 ("test/sea_lion/broken.jpg")`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Image(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

func TestMistakes(t *testing.T) {
	for want, dir := range map[string]string{
		"train/bird: the folder of a class has no images": pets(t, map[string]string{"train/bird/": ""}),
		"train/dog: the folder of a class has no images":  pets(t, map[string]string{"train/dog/a.gif": ""}),
		`class "dog" is in train and not in test`:         pets(t, map[string]string{"train/dog/a.png": ""}),
		`class "emu" is in val and not in train`: pets(t,
			map[string]string{"val/cat/a.png": "", "val/sea_lion/a.png": "", "val/emu/a.png": ""}),
		`the folders "sea lion" and "sea_lion" both name the class "sea lion"`: pets(t, map[string]string{"train/sea lion/a.png": ""}),
		`the folder "__" names no class`:                                       pets(t, map[string]string{"train/__/a.png": ""}),
		"no folder train, val or test; put the folders of classes into these":  folder(t, map[string]string{"cat/a.png": ""}),
		"train: no folders of classes; give each class one":                    folder(t, map[string]string{"train/a.png": ""}),
		"val: no folders of classes":                                           pets(t, map[string]string{"val/": ""}),
	} {
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("got error %v, want one with %q and the folder", err, want)
		}
	}
}

// The hash is that of names and content, wherever the folder lies.
func TestHash(t *testing.T) {
	hash := func(more map[string]string) string {
		c := must.Get(Open(pets(t, more)))(t)
		return c.Hash()
	}
	plain := hash(nil)
	if again := hash(map[string]string{"train/more.txt": "is left out"}); again != plain {
		t.Errorf("the same images elsewhere: got %s, want %s", again, plain)
	}
	for what, more := range map[string]map[string]string{
		"another image": {"train/cat/a.png": drawing(t, 9)}, "one more": {"test/cat/b.png": drawing(t, 1)},
		"one broken": {"train/cat/a.png": ""},
	} {
		if hash(more) == plain {
			t.Errorf("%s: the hash stays %s", what, plain)
		}
	}
}

// Folders of classes and images may be links.
func TestLinks(t *testing.T) {
	dir := folder(t, map[string]string{"all/cat/a.png": drawing(t, 1), "train/dog/a.png": drawing(t, 2)})
	must.Do(t, os.Symlink(filepath.Join(dir, "all", "cat"), filepath.Join(dir, "train", "cat")))
	c := must.Get(Open(dir))(t)
	s := must.Get(c.Split("train"))(t)
	if _, err := s.Image(t.Context(), 0); err != nil || s.Key(0) != "train/cat/a.png" || s.Len() != 2 {
		t.Errorf("got %d images, the first %s (%v), want train/cat/a.png and a dog", s.Len(), s.Key(0), err)
	}
}

// Whatever a folder has, files, folders, links and pipes of whatever names, it is an error, or images that lie in it, each of a class.
func FuzzOpen(f *testing.F) {
	for _, list := range []string{
		"train/cat/a.png\ntrain/dog/b.jpg\ntest/cat/c.png\ntest/dog/d.png", "train/a_b/a.png\ntrain/a b/b.png", "train/__/a.png",
		"train/cat/a.png>..\ntrain/cat/b.png>/dev/zero\ntrain/dog>cat\ntrain/loop>loop\nval>train", "train/cat/a.png|\ntrain/cat/b.png",
		"train>.\ncat/a.png", "train/\xff\x1b[2J/\u2028.png", "train/cat/.png/b.png\ntrain/cat/.jpg", "train", "train/cat", "",
	} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		dir := filepath.Join(t.TempDir(), "pets")
		must.Do(t, os.Mkdir(dir, 0o755))
		root := must.Get(os.OpenRoot(dir))(t) // which no name leads out of
		defer root.Close()
		for n, line := range strings.Split(list, "\n") {
			name, target, link := strings.Cut(line, ">")
			name, pipe := strings.CutSuffix(name, "|")
			if n > 50 || root.MkdirAll(filepath.Dir(name), 0o755) != nil {
				continue
			}
			switch {
			case link:
				root.Symlink(target, name)
			case pipe:
				if folder, err := root.OpenRoot(filepath.Dir(name)); err == nil {
					syscall.Mkfifo(filepath.Join(folder.Name(), filepath.Base(name)), 0o600)
					folder.Close()
				}
			default:
				if file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o644); err == nil { // none that is there, such as a pipe
					file.Close()
				}
			}
		}
		c, err := Open(dir)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "imagefolder: ") || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v does not name the folder", err)
			}
			return
		}
		for _, split := range c.Splits() {
			set := must.Get(c.Split(split))(t)
			s := set.(datasets.Labelled)
			if s.Len() < len(s.Classes()) {
				t.Errorf("%d images of %q", s.Len(), s.Classes())
			}
			for i := range s.Len() {
				if !filepath.IsLocal(s.Key(i)) || s.Class(i) < 0 || s.Class(i) >= len(s.Classes()) {
					t.Errorf("image %q of class %d of %d", s.Key(i), s.Class(i), len(s.Classes()))
				}
				if _, err := s.Image(t.Context(), i); err == nil {
					t.Errorf("image %q of nothing", s.Key(i))
				}
			}
		}
		if again := must.Get(Open(dir))(t); again.Hash() != c.Hash() {
			t.Errorf("hashes %s and %s of one folder", c.Hash(), again.Hash())
		}
	})
}
