package webdataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

// photo is a JPEG of some width.
func photo(t testing.TB, width int) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, 8)), nil))
	return b.String()
}

// captioned are so many samples, numbered from first on; the picture of sample i is i+1 pixels wide.
func captioned(t testing.TB, first, n int) (entries []entry) {
	for i := first; i < first+n; i++ {
		key := fmt.Sprintf("%09d", i)
		entries = append(entries, entry{key + ".jpg", photo(t, i+1)}, entry{key + ".txt", "picture " + key},
			entry{key + ".json", `{"status": "success"}`})
	}
	return entries
}

// folder writes files into a new folder "web".
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "web")
	for name, data := range files {
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)))
	}
	return dir
}

func mustOpen(t *testing.T, files map[string][]byte) *Collection {
	t.Helper()
	c := must.Get(Open(folder(t, files)))(t)
	return c
}

func set(t *testing.T, c *Collection, name string) datasets.Sharded {
	t.Helper()
	s := must.Get(c.Split(name))(t)
	return s.(datasets.Sharded)
}

func TestOpen(t *testing.T) {
	c := mustOpen(t, map[string][]byte{
		"train/00000.tar": shard(t, captioned(t, 0, 3)...), "train/00001.tar": shard(t), "train/00002.tar": shard(t, captioned(t, 3, 2)...),
		"train/00000_stats.json": nil, "test/a.tar": shard(t, captioned(t, 5, 1)...), "readme.txt": nil,
	})
	if c.Name() != "web" || !slices.Equal(c.Splits(), []string{"train", "test"}) || c.Skipped() != nil {
		t.Errorf("got %q with %q, left out %v", c.Name(), c.Splits(), c.Skipped())
	}
	s := set(t, c, "train")
	if !slices.Equal(s.Shards(), []int{0, 3}) || s.Len() != 5 || s.Name() != "web/train" {
		t.Errorf("got shards %v of the %d images of %s, want 0 and 3 of 5", s.Shards(), s.Len(), s.Name())
	}
	if want := "train/00002.tar/000000004"; s.Key(4) != want || s.Captions(4)[0] != "picture 000000004" {
		t.Errorf("got %q with %q, want %q", s.Key(4), s.Captions(4), want)
	}
	for i := range s.Len() {
		if img, err := s.Image(t.Context(), i); err != nil || img.Bounds().Dx() != i+1 {
			t.Errorf("image %d: got %v (%v), want a width of %d", i, img, err, i+1)
		}
	}
	if _, labelled := s.(datasets.Labelled); labelled {
		t.Error("samples without classes have some")
	}
	if _, err := c.Split("val"); err == nil || err.Error() != `web: no split "val"; there are [train test]` {
		t.Errorf("a missing split: got error %v", err)
	}
	if got := datasets.ShardPairs(datasets.First(s, 4, 0)); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("the first four images have shards from pairs %v, want 0 and 3", got)
	}
}

// Shards that lie in the folder itself are to train with. Captions may be missing, but of all samples of a split.
func TestLooseShardsWithoutCaptions(t *testing.T) {
	c := mustOpen(t, map[string][]byte{"0.tar": shard(t, entry{"0.jpg", photo(t, 1)}, entry{"1.jpg", photo(t, 2)})})
	s := set(t, c, "train")
	if s.Len() != 2 || len(s.Captions(0)) > 0 || c.Skipped() != nil || !slices.Equal(c.Splits(), []string{"train"}) {
		t.Errorf("got %d images, captions %q and %v left out, want two without", s.Len(), s.Captions(0), c.Skipped())
	}
}

// What is broken is left out and told with the shard and the key, and the rest is used.
func TestBrokenSamples(t *testing.T) {
	last := shard(t, captioned(t, 6, 2)...)
	dir := folder(t, map[string][]byte{
		"0.tar": shard(t, append(captioned(t, 0, 2), entry{"mute.jpg", photo(t, 1)}, entry{"blind.txt", "a cat"})...),
		"1.tar": shard(t, append(captioned(t, 2, 1), entry{"damaged.jpg", "no image"}, entry{"damaged.txt", "a dog"})...),
		"2.tar": last[:len(last)-4000],
	})
	c := must.Get(Open(dir))(t)
	var told []string
	for _, err := range c.Skipped() {
		told = append(told, err.Error())
	}
	want := []string{
		"webdataset: train: 1 skipped: no picture, .jpg, .jpeg, .png or .webp; put one beside it; first: 0.tar/blind",
		"webdataset: train: 1 skipped: no caption, where others have one; write it into a .txt beside it; first: 0.tar/mute",
		fmt.Sprintf("webdataset: 2.tar: it is cut off at byte %d; the samples before that are used, get the shard again for the rest",
			len(last)-4000),
	}
	if !slices.Equal(told, want) {
		t.Errorf("got told\n%q, want\n%q", told, want)
	}
	s := set(t, c, "train")
	if got := s.Shards(); !slices.Equal(got, []int{0, 2, 4}) || s.Len() != 5 {
		t.Errorf("got %d images with shards from %v, want 5 from 0, 2 and 4", s.Len(), got)
	}
	if _, err := s.Image(t.Context(), 3); err == nil || !strings.Contains(err.Error(), `image 3 ("1.tar/damaged")`) ||
		!strings.Contains(err.Error(), "get it again") {
		t.Errorf("a damaged picture: got error %v, want one that names the shard and the key", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Image(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	must.Do(t, os.Remove(filepath.Join(dir, "0.tar")))
	must.Fail(t, must.Err(s.Image(t.Context(), 0)), "put the shard back", "a shard that is gone")
}

func TestClasses(t *testing.T) {
	labelled := func(classes ...string) []byte {
		var entries []entry
		for i, class := range classes {
			key := fmt.Sprint(i)
			entries = append(entries, entry{key + ".jpg", photo(t, 1)})
			if class != "" {
				entries = append(entries, entry{key + ".cls", class})
			}
		}
		return shard(t, entries...)
	}
	files := map[string][]byte{"train/0.tar": labelled("2", "0"), "test/0.tar": labelled("1")}
	s := set(t, mustOpen(t, files), "train").(datasets.Labelled)
	if s.Class(0) != 2 || s.Class(1) != 0 || !slices.Equal(s.Classes(), []string{"class 0", "class 1", "class 2"}) {
		t.Errorf("got classes %d and %d of %q", s.Class(0), s.Class(1), s.Classes())
	}
	unnamed := mustOpen(t, files).Hash()
	files["classnames.txt"] = []byte("cat\r\nsea lion\ndog\n")
	c := mustOpen(t, files)
	if s := set(t, c, "test").(datasets.Labelled); s.Classes()[s.Class(0)] != "sea lion" || c.Hash() == unnamed {
		t.Errorf("got class %q and the hash %s, want a sea lion and another than without names", s.Classes()[s.Class(0)], c.Hash())
	}
	files["classnames.txt"] = []byte("cat\nsea lion\n")
	must.Fail(t, must.Err(Open(folder(t, files))), "classnames.txt: 2 names, and there is an image "+
		"of class 2", "a class without name")
	files["test/0.tar"] = labelled("1", "")
	if _, ok := set(t, mustOpen(t, files), "train").(datasets.Labelled); ok {
		t.Error("an image of test has no class, and train has classes")
	}
}

func TestMistakes(t *testing.T) {
	good := shard(t, captioned(t, 0, 1)...)
	for want, files := range map[string]map[string][]byte{
		"no shards *.tar, here or in train, val or test":  {"0.zip": good},
		"shards both here, such as 0.tar, and in folders": {"0.tar": good, "val/0.tar": good},
		"val/0.tar.gz: the shard is compressed":           {"train/0.tar": good, "val/0.tar.gz": good},
		"0.tgz: the shard is compressed":                  {"0.tgz": good},
		"train/1.tar: the shard is gzipped":               {"train/0.tar": good, "train/1.tar": {0x1f, 0x8b, 8}},
		`0.tar: the entry "../x.jpg" lies outside`:        {"0.tar": shard(t, entry{"../x.jpg", "a"})},
		"train: none of the 2 shards has a sample":        {"0.tar": shard(t, entry{"0.txt", "a"}), "1.tar": nil},
		"1 skipped: no picture":                           {"0.tar": shard(t, entry{"0.txt", "a"})},
	} {
		dir := folder(t, files)
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "webdataset: "+dir) {
			t.Errorf("got error %v, want one with the folder and %q", err, want)
		}
	}
}

func TestHash(t *testing.T) {
	files := map[string][]byte{"train/0.tar": shard(t, captioned(t, 0, 2)...), "val/0.tar": shard(t, captioned(t, 2, 2)...)}
	plain := mustOpen(t, files).Hash()
	if again := mustOpen(t, files).Hash(); again != plain {
		t.Errorf("the same shards elsewhere: got %s, want %s", again, plain)
	}
	files["val/0.tar"] = shard(t, captioned(t, 3, 2)...)
	if mustOpen(t, files).Hash() == plain {
		t.Errorf("other shards have the hash %s", plain)
	}
}
