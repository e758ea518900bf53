package cococaptions

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

const nocaps = `{"licenses": [{"id": 0}], "info": {"version": "0.1"}, "annotations": [
{"image_id": 1, "id": 7, "caption": "A cat."}, {"image_id": 0, "id": 3, "caption": "A dog."}, {"image_id": 1, "id": 1, "caption": "Cats"}], "images": [
{"id": 0, "open_images_id": "00", "file_name": "b.jpg", "domain": "near-domain", "width": 4},
{"id": 1, "file_name": "sub/a.jpg", "domain": "in-domain"}, {"id": 5, "file_name": "c.jpg", "domain": "out-domain"}]}`

func TestRead(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(nocaps))
	w.Close()
	dir := t.TempDir()
	want := []Image{{0, "b.jpg", NearDomain, []string{"A dog."}}, {1, "sub/a.jpg", InDomain, []string{"A cat.", "Cats"}},
		{5, "c.jpg", OutOfDomain, nil}}
	for name, content := range map[string][]byte{"captions.json": []byte(nocaps), "captions.json.gz": packed.Bytes()} {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, content, 0o666))
		got, err := Read(file)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v (%v), want %v", name, got, err, want)
		}
	}
	must.Fail(t, must.Err(Read(filepath.Join(dir, "absent.json"))), "absent.json")
}

func TestReadErrors(t *testing.T) {
	replace := func(old, new string) string { return strings.Replace(nocaps, old, new, 1) }
	for content, want := range map[string]string{
		"": "cut off", "[]": "is this a file of captions in COCO's format?", `{"annotations": []}`: `no "images"`,
		nocaps[:200]:                          "cut off at annotation 2",
		nocaps + "1":                          "after the end",
		replace(`"id": 5`, `"id": 1`):         "image 2: id 1 is that of image 1, too",
		replace(`"id": 5, `, ``):              `image 2: "c.jpg": no id`,
		replace("c.jpg", "../c.jpg"):          `image 2: id 5: the file name "../c.jpg"`,
		replace("out-domain", "far"):          `image 2: "c.jpg": the domain "far"`,
		replace(`"id": 3`, `"id": 7`):         "annotation 1: id 7 is that of annotation 0, too",
		replace(`_id": 0`, `_id": 9`):         "annotation 1: no image has the id 9",
		replace(`"image_id": 0, `, ``):        "annotation 1: no image_id",
		replace("A dog.", " "):                "annotation 1: image 0: an empty caption",
		replace(`"A dog."`, "3"):              "annotation 1: \"caption\" is a number",
		replace(`"images": [`, `"images": {`): `"images": { where "[" should be`,
	} {
		file := filepath.Join(t.TempDir(), "captions_x.json")
		must.Do(t, os.WriteFile(file, []byte(content), 0o666))
		if _, err := Read(file); err == nil || !strings.HasPrefix(err.Error(), "cococaptions: captions_x.json: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestCOCO(t *testing.T) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA is not set; it names the folder with coco/captions_val2017.json.gz")
	}
	images := must.Get(Read(filepath.Join(root, "coco", "captions_val2017.json.gz")))(t)
	captions := 0
	for _, image := range images {
		captions += len(image.Captions)
		if len(image.Captions) < 5 || image.Domain != "" {
			t.Errorf("%s: got %d captions and the domain %q, want at least 5 and none", image.File, len(image.Captions), image.Domain)
		}
	}
	if len(images) != 5000 || captions != 25014 {
		t.Errorf("got %d images and %d captions, want 5000 and 25014", len(images), captions)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(nocaps))
	f.Add([]byte(`{"images": [{"id": 1, "file_name": "a"}, null]}`))
	f.Add([]byte(`{"images": [], "annotations": [{"image_id": 1, "caption": "a"}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		images, err := parse(bytes.NewReader(content))
		if err != nil && images != nil {
			t.Fatalf("got %v and %v, want one of them", images, err)
		}
		seen := map[int64]bool{}
		for _, image := range images {
			if seen[image.ID] || !filepath.IsLocal(image.File) {
				t.Fatalf("accepted %+v", image)
			}
			seen[image.ID] = true
		}
	})
}
