package karpathy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

// cows has two test images of two captions each, and one of training; "annid" as given.
func cows(annids ...int) string {
	return fmt.Sprintf(`{"dataset": "cows", "images": [
{"filename": "a.jpg", "cocoid": 10, "split": "train", "sentences": [{"raw": "a cat", "annid": 1}]},
{"filename": "c.jpg", "cocoid": 30, "split": "test", "sentences": [{"raw": "a cow", "annid": %d}, {"raw": "", "annid": 5}, {"raw": "cows", "annid": %d}]},
{"filename": "d.jpg", "cocoid": 40, "split": "test", "sentences": [{"raw": "a duck", "annid": %d}, {"raw": "ducks", "annid": %d}]}]}`,
		annids[0], annids[1], annids[2], annids[3])
}

// benchmarked is the folder of cows with files of eccv_caption.
func benchmarked(t *testing.T, dataset string, files map[string]string) string {
	t.Helper()
	photo := string(photoBytes(t))
	all := map[string]string{"dataset_cows.json": dataset, "images/a.jpg": photo, "images/c.jpg": photo, "images/d.jpg": photo}
	for name, content := range files {
		all["eccv_caption/"+name] = content
	}
	return folder(t, all)
}

const (
	toCaptions = `{"30": [6, 4, 8], "99": [4]}`
	toImages   = `{"9": [40, 10, 30], "1": [30]}`
)

// testRelation is the relation of the split "test".
func testRelation(t *testing.T, dir string) (datasets.Benchmarked, *Collection) {
	t.Helper()
	c := must.Get(Open(dir))(t)
	split := must.Get(c.Split("test"))(t)
	related, ok := split.(datasets.Related)
	if !ok {
		t.Fatal("the test split has no relation")
	}
	return related.Relation().(datasets.Benchmarked), c
}

// Image 0 is 30 with pairs 0 (4) and 1 (6), image 1 is 40 with pairs 2 (8) and 3 (9). 5 is an empty caption, which is left out.
func TestAnswers(t *testing.T) {
	want := datasets.Answers{Captions: [][]int{{1, 0, 2}, nil}, Images: [][]int{nil, nil, nil, {1, 0}}}
	relation, c := testRelation(t, benchmarked(t, cows(4, 6, 8, 9), map[string]string{
		"eccv_image_to_caption.json": toCaptions, "eccv_caption_to_image.json.gz": gzipped(t, toImages),
		"cxc_image_to_caption.json": `{"40": [6]}`, "cxc_caption_to_image.json": `{"8": [40]}`, "LICENSE": "MIT",
	}))
	if got := relation.Answers()[datasets.ECCV]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, v := range []struct {
		image, pair  int
		holds, known bool
	}{
		{0, 0, true, true}, {1, 2, true, true}, // own
		{0, 2, true, true}, {0, 3, true, true}, // listed by the image, and by the caption
		{1, 1, true, true},   // by CxC
		{1, 0, false, false}, // CxC alone asked, and does not list it
	} {
		if holds, known := relation.Holds(v.image, v.pair); holds != v.holds || known != v.known {
			t.Errorf("Holds(%d, %d): got %v, %v, want %v, %v", v.image, v.pair, holds, known, v.holds, v.known)
		}
	}
	var told []string
	for _, err := range c.Skipped()[1:] { // behind the empty caption
		told = append(told, err.Error())
	}
	if want := []string{
		"karpathy: eccv_caption/eccv_image_to_caption.json: 1 skipped: not in the split test, and the benchmark is without it; " +
			"first: query 99",
		"karpathy: eccv_caption/eccv_caption_to_image.json: 2 skipped: not in the split test, and the benchmark is without it; first: 10 " +
			"of query 9, query 1",
	}; !slices.Equal(told, want) {
		t.Errorf("got %q, want %q", told, want)
	}
	train := must.Get(c.Split("train"))(t)
	if _, related := train.(datasets.Related); related {
		t.Error("the training split has a relation")
	}
}

// Without an "annid" sentences have the ids of the file of own captions, in ascending order.
func TestAnswersWithoutAnnID(t *testing.T) {
	files := map[string]string{"eccv_image_to_caption.json": toCaptions, "eccv_caption_to_image.json": toImages}
	want, _ := testRelation(t, benchmarked(t, cows(4, 6, 8, 9), files))
	files[ownFile] = `{"30": [6, 4, 5], "40": [9, 8]}`
	got, _ := testRelation(t, benchmarked(t, strings.ReplaceAll(cows(0, 0, 0, 0), `"annid": 5`, `"sentid": 5`), files))
	if !reflect.DeepEqual(got.Answers(), want.Answers()) {
		t.Errorf("got %v, want %v", got.Answers(), want.Answers())
	}
}

func TestAnswersAreHashed(t *testing.T) {
	seen := map[string]string{}
	for what, files := range map[string]map[string]string{
		"none":    nil,
		"ECCV":    {"eccv_image_to_caption.json": toCaptions, "eccv_caption_to_image.json": toImages},
		"CxC":     {"cxc_image_to_caption.json": toCaptions, "cxc_caption_to_image.json": toImages},
		"another": {"eccv_image_to_caption.json": toCaptions, "eccv_caption_to_image.json": `{"9": [30]}`},
	} {
		c := must.Get(Open(benchmarked(t, cows(4, 6, 8, 9), files)))(t)
		if other, ok := seen[c.Hash()]; ok {
			t.Errorf("%s has the hash of %s", what, other)
		}
		seen[c.Hash()] = what
	}
	packed := must.Get(Open(benchmarked(t, cows(4, 6, 8, 9), map[string]string{
		"eccv_image_to_caption.json.gz": gzipped(t, toCaptions), "eccv_caption_to_image.json": toImages})))(t)
	if seen[packed.Hash()] != "ECCV" {
		t.Error("packed files make another collection")
	}
}

func TestAnswersErrors(t *testing.T) {
	whole := map[string]string{"eccv_image_to_caption.json": toCaptions, "eccv_caption_to_image.json": toImages}
	with := func(name, content string) map[string]string {
		files := maps.Clone(whole)
		files[name] = content
		return files
	}
	good := cows(4, 6, 8, 9)
	for _, v := range []struct {
		name, dataset string
		files         map[string]string
		want          string
	}{
		{"no files", good, map[string]string{"LICENSE": "MIT"},
			"neither eccv_image_to_caption.json nor cxc_image_to_caption.json is there"},
		{"one file", good, map[string]string{"cxc_caption_to_image.json": toImages}, "of cxc_image_to_caption.json and " +
			"cxc_caption_to_image.json only one"},
		{"no test split", strings.ReplaceAll(good, `"test"`, `"val"`), whole, `no image of the split "test"`},
		{"no cocoid", strings.ReplaceAll(good, `"cocoid": 40, `, ""), whole, `image 2 ("d.jpg") of the dataset file has no "cocoid"`},
		{"a cocoid twice", strings.ReplaceAll(good, `"cocoid": 40`, `"cocoid": 30`), whole,
			`image 2 ("d.jpg") of the dataset file has the "cocoid" 30`},
		{"no annid", cows(4, 0, 8, 9), whole, `image 1 ("c.jpg") of the dataset file: sentence 2 has no "annid"`},
		{"an annid twice", cows(4, 6, 8, 4), whole, `image 2 ("d.jpg") of the dataset file: sentence 1 has the "annid" 4 of another`},
		{"too few sentences", cows(4, 6, 8, 0), with(ownFile, `{"40": [7, 8, 9]}`), `sentence 1 has no "annid"`},
		{"cut off", good, with("eccv_caption_to_image.json", toImages[:8]), "eccv_caption_to_image.json: cut off at query 9"},
		{"cut gzip", good, map[string]string{"eccv_image_to_caption.json.gz": gzipped(t, toCaptions)[:20],
			"eccv_caption_to_image.json": toImages},
			"eccv_image_to_caption.json.gz: cut off"},
		{"a list", good, with("eccv_caption_to_image.json", "[]"), `[ where "{" should be`},
		{"a name", good, with("eccv_caption_to_image.json", `{"cat": [1]}`), `query "cat": not an id`},
		{"a word", good, with("eccv_caption_to_image.json", `{"9": [30, "x"]}`), "query 9: a text where a whole number belongs"},
		{"no answers", good, with("eccv_caption_to_image.json", `{"9": []}`), "query 9: no answers"},
		{"null", good, with("eccv_caption_to_image.json", `{"9": null}`), "query 9: no answers"},
		{"a query twice", good, with("eccv_caption_to_image.json", `{"9": [30], "9": [40]}`), "query 9: it is there twice"},
		{"an answer twice", good, with("eccv_caption_to_image.json", `{"9": [30, 30]}`), "query 9: the answer 30 is there twice"},
		{"more", good, with("eccv_caption_to_image.json", `{"9": [30]}{}`), "after the end"},
	} {
		_, err := Open(benchmarked(t, v.dataset, v.files))
		if err == nil || !strings.Contains(err.Error(), v.want) || !strings.HasPrefix(err.Error(), "karpathy: eccv_caption: ") {
			t.Errorf("%s: got %v, want an error with %q", v.name, err, v.want)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(toCaptions))
	f.Add([]byte(`{"1": [1, 1], "1": null}`))
	f.Add([]byte(`{"1": [2]} {`))
	f.Add([]byte(`{"-1": [1e3, 99999999999999999999]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := parseAnswers(bytes.NewReader(content))
		if (got == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", got, err)
		}
		if err != nil {
			return
		}
		// What is accepted is the same when it is written and read again, each query once.
		written, seen := map[string][]int{}, map[int]bool{}
		for _, q := range got {
			if seen[q.id] || len(q.hits) == 0 {
				t.Fatalf("accepted %v", q)
			}
			seen[q.id], written[fmt.Sprint(q.id)] = true, q.hits
		}
		text := must.Get(json.Marshal(written))(t)
		again, err := parseAnswers(bytes.NewReader(text))
		if err != nil || len(again) != len(got) {
			t.Fatalf("got %v (%v) from %s, want %v", again, err, text, got)
		}
		// Entering them into a collection leaves out what it does not have, and never fails.
		if lists := new(Collection).lists("f", got, map[int]int{1: 0}, map[int]int{2: 0}, 1); len(lists) != 1 || len(lists[0]) > 1 {
			t.Fatalf("got %v", lists)
		}
	})
}

// The whole 5k test split without its images, which are stand-ins: counts are those that eccv-caption's README tells.
func TestCOCO5k(t *testing.T) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA is not set; it names the folder with coco/karpathy_test_captions.json.gz")
	}
	content := unpacked(t, filepath.Join(root, "coco", "karpathy_test_captions.json.gz"))
	var listed struct{ Images []entry }
	must.Do(t, json.Unmarshal(content, &listed))
	dir := folder(t, map[string]string{"dataset_coco.json": string(content)})
	must.Do(t, os.Symlink(filepath.Join(root, "coco", answerFolder), filepath.Join(dir, answerFolder)))
	for _, e := range listed.Images {
		must.Do(t, os.WriteFile(filepath.Join(dir, "images", e.Filename), nil, 0o644))
	}
	relation, c := testRelation(t, dir)
	// Two answers are sixth captions of their images, of which the split has five each: 144675 and 467259.
	var o *datasets.Omission
	if len(c.Skipped()) != 1 || !errors.As(c.Skipped()[0], &o) || o.Count != 2 {
		t.Errorf("skipped: %v, want two answers of ECCV's images", c.Skipped())
	}
	for benchmark, want := range map[datasets.Benchmark][4]int{ // images and captions that ask, and their answers
		datasets.ECCV: {1261, 22550 - 2, 1332, 11279}, datasets.CxC: {5000, 35585, 24972, 35585},
	} {
		a := relation.Answers()[benchmark]
		var got [4]int
		for k, lists := range [][][]int{a.Captions, a.Images} {
			for _, list := range lists {
				if list != nil {
					got[2*k]++
					got[2*k+1] += len(list)
				}
			}
		}
		if got != want {
			t.Errorf("%s: got %v, want %v", benchmark, got, want)
		}
		// The two directions never disagree: what both asked, both list or neither does.
		for i, list := range a.Captions {
			for _, p := range list {
				if a.Images[p] != nil && !slices.Contains(a.Images[p], i) {
					t.Fatalf("%s: image %d lists pair %d, which does not list the image", benchmark, i, p)
				}
			}
		}
	}
	// The same without "annid": Karpathy's order of sentences is that of COCO's ids.
	bare := strings.ReplaceAll(string(content), `"annid"`, `"unused"`)
	must.Do(t, os.WriteFile(filepath.Join(dir, "dataset_coco.json"), []byte(bare), 0o644))
	again, _ := testRelation(t, dir)
	if !reflect.DeepEqual(again.Answers(), relation.Answers()) {
		t.Error("without annid the answers are others")
	}
}

func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	f := must.Get(os.Open(name))(t)
	defer f.Close()
	r := must.Get(gzip.NewReader(f))(t)
	var b bytes.Buffer
	must.Get(b.ReadFrom(r))(t)
	return b.Bytes()
}
