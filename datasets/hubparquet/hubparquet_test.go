package hubparquet

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

// picture is a group of the hub's images.
type picture struct {
	Bytes []byte `parquet:"bytes,optional"`
	Path  string `parquet:"path,optional"`
}

// several are rows with lists of captions, as Flickr30k has them; one has a caption each.
type several struct {
	ID    int64    `parquet:"sentids"`
	Image picture  `parquet:"image,optional"`
	Texts []string `parquet:"caption,list"`
}
type one struct {
	Image []byte `parquet:"jpg"`
	Text  string `parquet:"txt,optional,dict"`
}

func drawn(t testing.TB, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 4))))
	return b.Bytes()
}

// file writes rows, so many a row group, with small pages.
func write[R any](t testing.TB, each int64, rows ...R) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[R](&b, parquet.MaxRowsPerRowGroup(each), parquet.PageBufferSize(200), parquet.Compression(&parquet.Snappy))
	must.Get(w.Write(rows))(t)
	must.Do(t, w.Close())
	return b.String()
}

func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "hub")
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	return dir
}

// flickr are so many rows from a number on; the picture of row i is i+1 pixels wide, and it has i%3+1 captions.
func flickr(t testing.TB, from, n int) (rows []several) {
	for i := from; i < from+n; i++ {
		r := several{ID: int64(i), Image: picture{drawn(t, i+1), fmt.Sprintf("%d.png", i)}}
		for k := range i%3 + 1 {
			r.Texts = append(r.Texts, fmt.Sprintf(" caption %d of %d ", k, i))
		}
		rows = append(rows, r)
	}
	return rows
}

func TestOpen(t *testing.T) {
	files := map[string]string{
		"train-00000-of-00002.parquet": write(t, 3, flickr(t, 0, 7)...), "train-00001-of-00002.parquet": write(t, 3, flickr(t, 7, 2)...),
		"validation/0000.parquet": write(t, 9, one{drawn(t, 1), "a"}, one{drawn(t, 2), "b"}),
		"test.parquet":            write(t, 9, one{drawn(t, 3), ""}), "README.md": "",
	}
	c := must.Get(Open(folder(t, files)))(t)
	if c.Name() != "hub" || !slices.Equal(c.Splits(), []string{"train", "val", "test"}) {
		t.Errorf("got %s with %v", c.Name(), c.Splits())
	}
	s := must.Get(c.Split("train"))(t).(datasets.Sharded)
	if s.Len() != 9 || !slices.Equal(s.Shards(), []int{0, 3, 6, 7}) || s.Key(8) != "train-00001-of-00002.parquet/1" {
		t.Errorf("got %d images in groups from %v, the last one %s", s.Len(), s.Shards(), s.Key(8))
	}
	for _, i := range []int{8, 0, 5, 3, 7, 1, 2, 6, 4} {
		if img := must.Get(s.Image(t.Context(), i))(t); img.Bounds().Dx() != i+1 {
			t.Errorf("image %d is %v, want a width of %d", i, img.Bounds(), i+1)
		}
		if got := s.Captions(i); len(got) != i%3+1 || got[i%3] != fmt.Sprintf("caption %d of %d", i%3, i) {
			t.Errorf("image %d has the captions %q", i, got)
		}
	}
	val, test := must.Get(c.Split("val"))(t), must.Get(c.Split("test"))(t)
	if val.Captions(1)[0] != "b" || test.Captions(0) != nil || must.Get(test.Image(t.Context(), 0))(t).Bounds().Dx() != 3 {
		t.Errorf("got %q and %q", val.Captions(1), test.Captions(0))
	}
	if again := must.Get(Open(folder(t, files)))(t); again.Hash() != c.Hash() {
		t.Errorf("elsewhere it has the hash %s, want %s", again.Hash(), c.Hash())
	}
	files["test.parquet"] = write(t, 9, one{drawn(t, 4), ""})
	if other := must.Get(Open(folder(t, files)))(t); other.Hash() == c.Hash() {
		t.Errorf("other data have the hash %s, too", c.Hash())
	}
}

// Files by their paths are those of a folder into whose splits they are put, to the hash; where they lie is not in it.
func TestOpenFiles(t *testing.T) {
	a, b, v := write(t, 9, flickr(t, 0, 3)...), write(t, 9, flickr(t, 3, 2)...), write(t, 9, one{drawn(t, 7), "v"})
	want := must.Get(Open(folder(t, map[string]string{"train/a.parquet": a, "train/b.parquet": b, "val/v.parquet": v})))(t)
	dir := folder(t, map[string]string{"x/a.parquet": a, "b.parquet": b, "v.parquet": v})
	at := func(name string) string { return filepath.Join(dir, name) }
	c := must.Get(OpenFiles("cc", map[string][]string{"train": {at("b.parquet"), at("x/a.parquet")}, "val": {at("v.parquet")}}))(t)
	s := must.Get(c.Split("train"))(t)
	if c.Name() != "cc" || c.Hash() != want.Hash() || s.Len() != 5 || s.Key(4) != "train/b.parquet/1" || s.Captions(0)[0] != "caption 0 of 0" {
		t.Errorf("got %d images of %s, the last one %s, with the hash %s, want %s", s.Len(), c.Name(), s.Key(4), c.Hash(), want.Hash())
	}
	must.Fail(t, must.Err(OpenFiles("cc", map[string][]string{"train": {at("x/a.parquet"), at("y/a.parquet")}})), "both called train/a.parquet")
	must.Fail(t, must.Err(OpenFiles("cc", map[string][]string{"test": {at("gone.parquet")}})), "hubparquet: cc: test/gone.parquet: open")
}

func TestMistakes(t *testing.T) {
	good := write(t, 9, one{drawn(t, 1), "a"})
	for want, files := range map[string]map[string]string{
		"no *.parquet, here":          {"a.txt": ""},
		"a.parquet: its name says of": {"a.parquet": good},
		"train.parquet: ":             {"train.parquet": "PAR1"},
		"test-1.parquet: ":            {"test-0.parquet": good, "test-1.parquet": good[:len(good)-9]},
		"no column of images":         {"train.parquet": write(t, 9, struct{ Text string }{"a"})},
		"its columns are Image, Text": {"train.parquet": write(t, 9, struct{ Image, Text string }{"a", "b"}), "val.parquet": good},
		"the column text is no text": {"train.parquet": write(t, 9, struct {
			Image []byte `parquet:"image"`
			Text  int    `parquet:"text"`
		}{nil, 3})},
		"train.parquet/1 has no caption": {"train.parquet": write(t, 9, one{drawn(t, 1), "a"}, one{drawn(t, 1), " "})},
		"hub/train has no rows":          {"train.parquet": write[one](t, 9)},
	} {
		must.Fail(t, must.Err(Open(folder(t, files))), want)
	}
	dir := folder(t, map[string]string{"train.parquet": write(t, 9, flickr(t, 0, 2)...), "val.parquet": write(t, 9,
		several{Image: picture{nil, "x.png"}, Texts: []string{"a"}}, several{Image: picture{[]byte("x"), ""}, Texts: []string{"a"}})})
	c := must.Get(Open(dir))(t)
	val := must.Get(c.Split("val"))(t)
	must.Fail(t, must.Err(val.Image(t.Context(), 0)), `image 0 ("val.parquet/0"): the row has no bytes of an image`)
	must.Fail(t, must.Err(val.Image(t.Context(), 1)), "get it again")
	train := must.Get(c.Split("train"))(t)
	must.Do(t, os.Chtimes(filepath.Join(dir, "train.parquet"), time.Time{}, time.Now().Add(time.Hour)))
	must.Fail(t, must.Err(train.Image(t.Context(), 1)), "the file has changed since it was opened")
}

// Whatever the bytes of a file, it is an error or a set whose images are there or errors.
func FuzzOpen(f *testing.F) {
	whole := write(f, 2, flickr(f, 0, 3)...)
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)/2]))
	f.Add([]byte(strings.Replace(whole, "\x15", "\x16", 3)))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := folder(t, map[string]string{"train.parquet": string(data)})
		c, err := Open(dir)
		if err != nil {
			return
		}
		s := must.Get(c.Split("train"))(t)
		for i := range min(s.Len(), 3) {
			s.Image(t.Context(), i)
		}
	})
}
