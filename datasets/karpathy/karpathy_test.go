package karpathy

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

// photoBytes is a small JPEG.
func photoBytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30)), nil))
	return b.Bytes()
}

func gzipped(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(io.WriteString(w, content))(t)
	must.Do(t, w.Close())
	return b.String()
}

// folder writes files, given by name and content, into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "images"), 0o755))
	for name, content := range files {
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir
}

const dataset = `{"dataset": "pets", "other": {"a": [1]}, "images": [
{"filename": "a.jpg", "split": "train", "sentences": [{"raw": "a cat"}, {"raw": "  "}, {"raw": "one cat"}]},
{"filename": "b.jpg", "filepath": "val", "split": "restval", "sentences": [{"raw": "a dog"}]},
{"filename": "c.jpg", "split": "test", "sentences": [{"raw": "a cow"}, {"raw": "cows"}]},
{"filename": "d.jpg", "split": "test", "sentences": [{"raw": ""}, {"raw": "a duck"}]},
{"filename": "gone.jpg", "split": "test", "sentences": [{"raw": "a bat"}]},
{"filename": "e.jpg", "split": "test", "sentences": []},
{"filename": "a.jpg", "split": "test", "sentences": [{"raw": "again"}]},
{"filename": "../dataset_pets.json", "split": "test", "sentences": [{"raw": "outside"}]},
{"filename": "e.jpg", "sentences": [{"raw": "no split"}]},
{"filename": "", "split": "test", "sentences": [{"raw": "no name"}]}]}`

// pets is the folder of the dataset above, d.jpg cut off.
func pets(t *testing.T, more map[string]string) string {
	t.Helper()
	photo := string(photoBytes(t))
	files := map[string]string{
		"dataset_pets.json": dataset, "images/a.jpg": photo, "images/val/b.jpg": photo, "images/c.jpg": photo,
		"images/d.jpg": photo[:len(photo)/2], "images/e.jpg": photo,
	}
	for name, content := range more {
		files[name] = content
	}
	return folder(t, files)
}

func TestOpen(t *testing.T) {
	c := must.Get(Open(pets(t, nil)))(t)
	if c.Name() != "pets" || !slices.Equal(c.Splits(), []string{"train", "test"}) {
		t.Errorf("got %q with %q, want pets with train and test", c.Name(), c.Splits())
	}
	train := must.Get(c.Split("train"))(t)
	want := []datasets.Pair{{Image: 0, Caption: 0}, {Image: 0, Caption: 1}, {Image: 1, Caption: 0}}
	if got := datasets.Pairs(train); !slices.Equal(got, want) {
		t.Errorf("pairs: got %v, want %v", got, want)
	}
	if got := want[1].Text(train); got != "one cat" {
		t.Errorf("second caption: got %q, want %q", got, "one cat")
	}
	if train.Name() != "pets/train" || train.Key(1) != "val/b.jpg" {
		t.Errorf("got %q and %q, want pets/train and val/b.jpg", train.Name(), train.Key(1))
	}
	img, err := train.Image(context.Background(), 1)
	if err != nil || img.Bounds() != image.Rect(0, 0, 40, 30) {
		t.Errorf("image: got %v (%v), want 40x30", img, err)
	}
	if _, related := train.(datasets.Related); related {
		t.Error("train has a relation without judgements")
	}
	must.Fail(t, must.Err(c.Split("val")), `no split "val"`, "unknown split")
	counts := map[string]int{}
	for _, err := range c.Skipped() {
		var o *datasets.Omission
		if !errors.As(err, &o) {
			t.Fatalf("got %T, want *datasets.Omission", err)
		}
		counts[strings.SplitN(o.Reason, ";", 2)[0]] = o.Count
	}
	for reason, want := range map[string]int{
		"an empty caption": 2, "the file is not in images/": 2, "no sentences": 1, "the image is listed before": 1,
		"no split": 1, "no file name": 1,
	} {
		if counts[reason] != want {
			t.Errorf("%s: got %d, want %d", reason, counts[reason], want)
		}
	}
	first := `karpathy: dataset_pets.json: 2 skipped: an empty caption; write it or drop it; ` +
		`first: image 0 ("a.jpg") sentence 1, image 3 ("d.jpg") sentence 0`
	if got := c.Skipped()[0].Error(); got != first {
		t.Errorf("got %q, want %q", got, first)
	}
}

func TestBrokenImage(t *testing.T) {
	c, err := Open(pets(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	test := must.Get(c.Split("test"))(t)
	_, err = test.Image(context.Background(), 1)
	if err == nil || !strings.Contains(err.Error(), `pets/test: image 1 ("d.jpg")`) {
		t.Errorf("truncated: got %v, want an error that names file and index", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := test.Image(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestHash(t *testing.T) {
	hash := func(dir string) string {
		c := must.Get(Open(dir))(t)
		return c.Hash()
	}
	plain := hash(pets(t, nil))
	packed := pets(t, map[string]string{"dataset_pets.json.gz": gzipped(t, dataset)})
	must.Do(t, os.Remove(filepath.Join(packed, "dataset_pets.json")))
	if got := hash(packed); got != plain || len(got) != 16 {
		t.Errorf("gzipped: got %q, want %q", got, plain)
	}
	if got := hash(pets(t, map[string]string{"dataset_pets.json": strings.Replace(dataset, "cow", "bull", 1)})); got == plain {
		t.Error("another caption has the same hash")
	}
	less := pets(t, nil)
	must.Do(t, os.Remove(filepath.Join(less, "images", "c.jpg")))
	if got := hash(less); got == plain {
		t.Error("with an image missing the hash is the same")
	}
	// d.jpg is cut off in pets: whole, it is another collection, and so is one with a byte changed, whose size stays.
	photo := photoBytes(t)
	changed := bytes.Clone(photo)
	changed[len(changed)/2] ^= 1
	seen := map[string]string{plain: "cut off"}
	for what, content := range map[string]string{"whole": string(photo), "another byte": string(changed), "empty": ""} {
		got := hash(pets(t, map[string]string{"images/d.jpg": content}))
		if other, ok := seen[got]; ok {
			t.Errorf("d.jpg %s has the hash of d.jpg %s", what, other)
		}
		seen[got] = what
	}
	unused := hash(pets(t, map[string]string{"images/nobody-lists-me.jpg": "x"}))
	if unused != plain {
		t.Error("an image that no entry lists changes the hash")
	}
	judged := func(score string) string {
		return gzipped(t, `{"expert": [{"image": "c.jpg", "caption_image": "d.jpg", "caption_index": 1, "scores": [`+score+`]}]}`)
	}
	three, four := hash(pets(t, map[string]string{judgementFile: judged("3")})),
		hash(pets(t, map[string]string{judgementFile: judged("4")}))
	if three == plain || three == four {
		t.Errorf("got %s without judgements, %s and %s with different ones, want three hashes", plain, three, four)
	}
}

func TestOpenErrors(t *testing.T) {
	photo := string(photoBytes(t))
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"none", map[string]string{"images/a.jpg": photo}, "no dataset_*.json"},
		{"two", map[string]string{"dataset_a.json": "{}", "dataset_b.json.gz": ""}, "2 dataset files"},
		{"cut in an image", map[string]string{"dataset_a.json": dataset[:300]}, "cut off at image 2"},
		{"cut between images", map[string]string{"dataset_a.json": dataset[:strings.Index(dataset, `,
{"filename": "b`)]}, `cut off at "]"`},
		{"empty", map[string]string{"dataset_a.json": ""}, "cut off"},
		{"cut gzip", map[string]string{"dataset_a.json.gz": gzipped(t, dataset)[:200]}, "cut off"},
		{"no gzip", map[string]string{"dataset_a.json.gz": dataset}, "gzip"},
		{"a list", map[string]string{"dataset_a.json": "[]"}, "Karpathy's layout"},
		{"no images", map[string]string{"dataset_a.json": "{}"}, `no "images"`},
		{"null images", map[string]string{"dataset_a.json": `{"images": null}`}, `"images"`},
		{"wrong type", map[string]string{"dataset_a.json": `{"images": [{}, {"filename": 3}]}`}, "image 1"},
		{"more after the end", map[string]string{"dataset_a.json": dataset + "{}"}, "after the end"},
		{"nothing usable", map[string]string{"dataset_a.json": dataset}, "none of its 10 images"},
		{"judgements cut off", map[string]string{"dataset_a.json": dataset, "images/a.jpg": photo,
			judgementFile: gzipped(t, `{"expert": [`)}, judgementFile + ": cut off"},
		{"judgement without scores", map[string]string{"dataset_a.json": dataset, "images/a.jpg": photo,
			judgementFile: gzipped(t, `{"expert": [{"image": "x.jpg"}]}`)}, "expert judgement 0"},
		{"judgement with a score of 5", map[string]string{"dataset_a.json": dataset, "images/a.jpg": photo,
			judgementFile: gzipped(t, `{"expert": [{"image": "x.jpg", "scores": [4, 5]}]}`)},
			"expert judgement 0 (\"x.jpg\"): a score of 5"},
		{"judgement of 7 per cent", map[string]string{"dataset_a.json": dataset, "images/a.jpg": photo,
			judgementFile: gzipped(t, `{"crowd": [{}, {"image": "x.jpg", "yes_fraction": 7}]}`)}, "crowd judgement 1 (\"x.jpg\")"},
		{"judgements twice", map[string]string{"dataset_a.json": dataset, "images/a.jpg": photo,
			judgementFile: gzipped(t, `{}{}`)}, "after the end"},
	} {
		_, err := Open(folder(t, test.files))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "karpathy: ") {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("absent folder: got nil, want an error")
	}
}

func TestRelation(t *testing.T) {
	c := must.Get(Open(pets(t, map[string]string{judgementFile: gzipped(t, `{"expert": [
{"image": "c.jpg", "caption_image": "d.jpg", "caption_index": 1, "scores": [2, 3, 4]},
{"image": "c.jpg", "caption_image": "d.jpg", "caption_index": 0, "scores": [4, 4, 4]},
{"image": "c.jpg", "caption_image": "a.jpg", "caption_index": 0, "scores": [4, 4, 4]}], "crowd": [
{"image": "d.jpg", "caption_image": "c.jpg", "caption_index": 0, "yes_fraction": 0.4},
{"image": "c.jpg", "caption_image": "d.jpg", "caption_index": 1, "yes_fraction": 0}]}`)})))(t)
	split := must.Get(c.Split("test"))(t)
	relation := split.(datasets.Related).Relation()
	// Pairs: 0 and 1 are c.jpg's, 2 is d.jpg's sentence 1 (its sentence 0 is empty and left out).
	for _, test := range []struct {
		image, pair  int
		holds, known bool
	}{
		{0, 0, true, true}, {0, 1, true, true}, {1, 2, true, true}, // own
		{0, 2, true, true},                        // experts' mean 3, although the crowd said no
		{1, 0, false, true}, {1, 1, false, false}, // 0.4 of the crowd; nobody asked
	} {
		if holds, known := relation.Holds(test.image, test.pair); holds != test.holds || known != test.known {
			t.Errorf("Holds(%d, %d): got %v, %v, want %v, %v", test.image, test.pair, holds, known, test.holds, test.known)
		}
	}
	skipped := c.Skipped()
	if last := skipped[len(skipped)-1].Error(); !strings.Contains(last, "2 skipped: the images are not in one split") {
		t.Errorf("got %q, want two judgements left out", last)
	}
}

// realData opens a folder of real data, or skips.
func realData(t *testing.T, name string) *Collection {
	t.Helper()
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA is not set; it names the folder with " + name)
	}
	c := must.Get(Open(filepath.Join(root, name)))(t)
	return c
}

func TestFlickr8k(t *testing.T) {
	c := realData(t, "flickr8k")
	if len(c.Skipped()) > 0 {
		t.Errorf("skipped: %v", c.Skipped())
	}
	for split, want := range map[string]int{"train": 6000, "val": 1000, "test": 1000} {
		set := must.Get(c.Split(split))(t)
		if set.Len() != want || len(datasets.Pairs(set)) != 5*want {
			t.Errorf("%s: got %d images and %d pairs, want %d and %d", split, set.Len(), len(datasets.Pairs(set)), want, 5*want)
		}
		if _, err := set.Image(context.Background(), want-1); err != nil {
			t.Error(err)
		}
	}
	test := must.Get(c.Split("test"))(t)
	relation := test.(datasets.Related).Relation()
	known, holds := 0, 0
	for i := range test.Len() {
		for p := range 5 * test.Len() {
			h, k := relation.Holds(i, p)
			if k && p/5 != i {
				known++
				if h {
					holds++
				}
			}
		}
	}
	// 465 hold by the experts and 2,031 by the crowd, 230 of them by both: counted apart from this package.
	if known != 50601 || holds != 2266 {
		t.Errorf("got %d judged and %d that hold, want 50601 and 2266", known, holds)
	}
}

func TestCOCO(t *testing.T) {
	c := realData(t, "coco")
	train := must.Get(c.Split("train"))(t)
	test := must.Get(c.Split("test"))(t)
	if train.Len() != 130 || test.Len() != 209 {
		t.Errorf("got %d and %d images, want 130 and 209", train.Len(), test.Len())
	}
	for _, err := range c.Skipped() {
		if o, ok := errors.AsType[*datasets.Omission](err); !ok || !strings.HasPrefix(o.File, answerFolder) {
			t.Errorf("got %v, want nothing skipped but answers of the benchmarks' other images", err)
		}
	}
	for i := range test.Len() {
		if _, err := test.Image(context.Background(), i); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(dataset))
	f.Add([]byte(dataset[:200]))
	f.Add([]byte(`{"images": [{"sentences": null}, null]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := parse(bytes.NewReader(content))
		if (got == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", got, err)
		}
	})
}

func FuzzJudgements(f *testing.F) {
	f.Add(
		[]byte(
			`{"expert": [{"image": "a", "caption_image": "b", "caption_index": 1, "scores": [1, 4]}], "crowd": [{"yes_fraction": 0.4}]}`))
	f.Add([]byte(`{"expert": [{"scores": []}]}`))
	f.Add([]byte(`{"crowd": null} {`))
	f.Add([]byte(`{"expert": [{"scores": [1e308, 1e308]}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := parseJudgements(bytes.NewReader(content))
		if (got == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", got, err)
		}
		if err != nil {
			return
		}
		// What is accepted is within its scales, and is the same when it is written and read again.
		for _, e := range got.Expert {
			if len(e.Scores) == 0 || slices.Min(e.Scores) < 1 || slices.Max(e.Scores) > 4 {
				t.Fatalf("accepted scores %v", e.Scores)
			}
		}
		for _, j := range got.Crowd {
			if !(j.YesFraction >= 0 && j.YesFraction <= 1) {
				t.Fatalf("accepted a fraction of %v", j.YesFraction)
			}
		}
		text := must.Get(json.Marshal(got))(t)
		again, err := parseJudgements(bytes.NewReader(text))
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("got %+v (%v) from %s, want %+v", again, err, text, got)
		}
		// Entering them into a collection leaves out what it does not have, and never fails.
		c := &Collection{}
		for _, j := range got.Crowd {
			c.record(map[string]place{}, j.judgedPair, true)
		}
		if len(got.Crowd) > 0 && c.Skipped()[0].(*datasets.Omission).Count != len(got.Crowd) {
			t.Fatalf("left out %v of %d", c.Skipped(), len(got.Crowd))
		}
	})
}
