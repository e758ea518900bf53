package run

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/train"
)

// shades is a folder of photographs of one colour each, 16 to train with and 4 of each other split; those named are cut off.
func shades(t *testing.T, broken ...string) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "images"), 0o755))
	var entries []string
	for split, n := range map[string]int{"train": 16, "val": 4, "test": 4} {
		for i := range n {
			picture := image.NewRGBA(image.Rect(0, 0, 20, 24))
			for at := range 20 * 24 {
				picture.Set(at%20, at/20, color.RGBA{uint8(16 * i), uint8(10 * at), uint8(len(split) * 40), 255})
			}
			name := fmt.Sprintf("%s%d.jpg", split, i)
			path := filepath.Join(dir, "images", name)
			f := must.Get(os.Create(path))(t)
			must.Do(t, jpeg.Encode(f, picture, nil))
			must.Do(t, f.Close())
			if slices.Contains(broken, name) {
				must.Do(t, os.Truncate(path, 300))
			}
			entries = append(entries, fmt.Sprintf(`{"filename": %q, "split": %q, "sentences": [{"raw": "shade %d"}, {"raw": "a picture"}]}`,
				name, split, i))
		}
	}
	slices.Sort(entries)
	text := `{"dataset": "shades", "images": [` + strings.Join(entries, ",\n") + `]}`
	must.Do(t, os.WriteFile(filepath.Join(dir, "dataset_shades.json"), []byte(text), 0o644))
	return dir
}

// on is the smallest run on a folder.
func on(t *testing.T, dir string) Run {
	t.Helper()
	r := smallest(t)
	r.Data = must.Get(FolderData(dir))(t)
	collection := must.Get(r.Data.Open())(t)
	tokenizer := must.Get(r.Vocabulary.Tokenizer(collection))(t)
	change(&r, func(a *albef.Model) { a.Text.Vocab = tokenizer.Size() })
	return r
}

// A run on photographs of which some are broken says which before it trains, keeps that in its result, and is another run than
// that on the good ones. One on good photographs says nothing.
func TestUnreadableImages(t *testing.T) {
	good, damaged := on(t, shades(t)), on(t, shades(t, "train3.jpg", "val1.jpg", "test0.jpg", "test2.jpg"))
	if good.ID() == damaged.ID() {
		t.Error("the run on broken images has the identity of that on good ones")
	}
	for _, c := range []struct {
		run     Run
		want    map[string][]string
		skipped int
		says    []string
	}{
		{good, nil, 0, nil},
		{damaged, map[string][]string{"val": {"val1.jpg"}, "test": {"test0.jpg", "test2.jpg"}}, 1, []string{
			"1 of the 4 images of shades/val cannot be read and count as the mean colour: val1.jpg; one says: ",
			"2 of the 4 images of shades/test cannot be read and count as the mean colour: test0.jpg, test2.jpg; one says: ",
			"1 images could not be read and others took their places",
		}},
	} {
		e := executor(t, t.TempDir())
		var said []string
		stepped := false
		e.Say = func(line string) { said = append(said, line) }
		e.Report = func(Run, train.Report) {
			if !stepped && len(c.says) > 0 && len(said) != 2 {
				t.Errorf("said %q before the first step, want two lines", said)
			}
			stepped = true
		}
		result := must.Get(e.Run(t.Context(), c.run))(t)
		if !reflect.DeepEqual(result.Unreadable, c.want) || len(result.Skipped) != c.skipped || result.SkippedImages != c.skipped {
			t.Errorf("got %v unreadable and %q skipped, want %v and %d", result.Unreadable, result.Skipped, c.want, c.skipped)
		}
		if len(said) != len(c.says) {
			t.Fatalf("said %q, want %q", said, c.says)
		}
		for i, want := range c.says {
			if !strings.HasPrefix(said[i], want) {
				t.Errorf("said %q, want %q", said[i], want)
			}
		}
		kept, _, err := e.Store.Find(c.run)
		if err != nil || !reflect.DeepEqual(kept.Unreadable, c.want) {
			t.Errorf("the store has %v (%v), want %v", kept.Unreadable, err, c.want)
		}
		said = nil
		metrics, err := e.Evaluate(t.Context(), c.run, "test")
		if err != nil || metrics["TR@1"] != result.Metrics["TR@1"] || len(said) != len(c.want["test"])/2 {
			t.Errorf("evaluated again: got TR@1 %v (%v), want %v, and it said %q", metrics["TR@1"], err, result.Metrics["TR@1"], said)
		}
	}
}

// An image that breaks while a run trains does not become a part of its result, and a split of which nothing can be read is not
// evaluated at all.
func TestImagesThatBreakLater(t *testing.T) {
	dir := shades(t)
	r, e := on(t, dir), executor(t, t.TempDir())
	e.Report = func(_ Run, p train.Report) {
		if p.Step == p.Steps {
			if err := os.Truncate(filepath.Join(dir, "images", "test1.jpg"), 300); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := e.Run(t.Context(), r)
	if err == nil || !strings.Contains(err.Error(), "test1.jpg") || !strings.Contains(err.Error(), "could be read when the run began") {
		t.Errorf("got %v, want an error that names test1.jpg", err)
	}
	if _, done, err := e.Store.Find(r); done || err != nil {
		t.Errorf("there is a result: %v (%v)", done, err)
	}

	r, e = on(t, shades(t, "val0.jpg", "val1.jpg", "val2.jpg", "val3.jpg")), executor(t, t.TempDir())
	e.Report = func(Run, train.Report) { t.Error("a step was made") }
	must.Fail(t, must.Err(e.Run(t.Context(), r)), "none of the 4 images of shades/val can be read")
}

func TestSome(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	for n, want := range map[int]string{0: "", 1: "a", 10: "a, b, c, d, e, f, g, h, i, j", 12: "a, b, c, d, e, f, g, h, i, j and 2 more"} {
		if got := Some(names[:n]); got != want {
			t.Errorf("%d names: got %q, want %q", n, got, want)
		}
	}
}
