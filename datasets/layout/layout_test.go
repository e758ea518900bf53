package layout

import (
	"archive/tar"
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/annotated"
	"vlpx.internal/datasets/cifar"
	"vlpx.internal/datasets/imagefolder"
	"vlpx.internal/datasets/karpathy"
	"vlpx.internal/datasets/webdataset"
	"vlpx.internal/internal/test/must"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	return dir
}

// shard is a tar with one picture.
func shard(t *testing.T, picture string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must.Do(t, w.WriteHeader(&tar.Header{Name: "0.png", Size: int64(len(picture)), Mode: 0o644}))
	must.Get(w.Write([]byte(picture)))(t)
	must.Do(t, w.Close())
	return b.String()
}

// A folder is of the layout that its files tell, and its pictures can be seen.
func TestOpen(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 32, 32))))
	picture := b.String()
	captions := `{"images": [{"filename": "0.png", "split": "train", "sentences": [{"raw": "a square"}]}]}`
	records := strings.Repeat("\x00", 10*3074)
	for what, c := range map[string]struct {
		files map[string]string
		is    func(datasets.Collection) bool
		of    string // among what it is said to be
	}{
		"karpathy": {map[string]string{"dataset_few.json": captions, "images/0.png": picture, "notes.bin": "", "more.tar": ""},
			is[*karpathy.Collection], "Karpathy"},
		"VQA v2": {map[string]string{
			"v2_OpenEnded_mscoco_train2014_questions.json": `{"data_type": "mscoco", "data_subtype": "train2014",
				"questions": [{"image_id": 9, "question": "What?", "question_id": 90}]}`,
			"v2_mscoco_train2014_annotations.json": `{"data_type": "mscoco", "data_subtype": "train2014",
				"annotations": [{"question_id": 90, "image_id": 9, "answers": [{"answer": "a"}]}]}`,
			"train2014/COCO_train2014_000000000009.jpg": picture,
		}, is[*annotated.Collection], "VQA"},
		"NLVR2": {map[string]string{
			"train.json":                             `{"identifier": "train-1-0-0", "sentence": "Two.", "label": "True", "directory": 3}`,
			"dev.json":                               `{"identifier": "dev-1-0-0", "sentence": "Two.", "label": "True"}`,
			"images/train/3/train-1-0-img0.png":      picture,
			"images/train/3/train-1-0-img1.png":      picture,
			"train/more than a folder of classes/is": "",
		}, is[*annotated.Collection], "NLVR2"},
		"loose tars": {map[string]string{"0.tar": shard(t, picture)}, is[*webdataset.Collection], "WebDataset"},
		"tars": {map[string]string{"train/0.tar": shard(t, picture), "train/0/x.png": picture}, is[*webdataset.Collection],
			"WebDataset"},
		"CIFAR":       {map[string]string{"train.bin": records}, is[*cifar.Collection], "CIFAR"},
		"imagefolder": {map[string]string{"train/square/0.png": picture, "readme.txt": ""}, is[*imagefolder.Collection], "ImageNet"},
	} {
		dir := write(t, c.files)
		collection, err := Open(dir)
		if err != nil || !c.is(collection) {
			t.Errorf("%s: got %T (%v)", what, collection, err)
			continue
		}
		if got := Of(dir); !strings.Contains(got, c.of) {
			t.Errorf("%s: is said to be %q", what, got)
		}
		set, err := collection.Split("train")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if img, err := set.Image(t.Context(), 0); err != nil || img.Bounds().Dx() != 32 {
			t.Errorf("%s: got the image %v (%v), want one of 32 pixels", what, img, err)
		}
	}
}

func is[C datasets.Collection](c datasets.Collection) bool {
	_, ok := c.(C)
	return ok
}

// What no layout tells is an error with all of them; what one tells and is wrong is that layout's error, and no collection.
func TestMistakes(t *testing.T) {
	none := write(t, map[string]string{"a.jpg": "", "weights.bin": "", "train/b.jpg": "", "other/cat/c.jpg": ""})
	_, err := Open(none)
	if err == nil || Of(none) != "" {
		t.Fatalf("a folder of no layout: want an error, and not %q", Of(none))
	}
	for _, want := range []string{none, "dataset_*.json", "v2_mscoco_*_annotations.json", "test1.json", "nocaps_val", "*.tar", "train.bin",
		"train/CLASS/*.jpg"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
	for want, dir := range map[string]string{
		"no such file":                        filepath.Join(none, "gone"),
		"karpathy: dataset_few.json: cut off": write(t, map[string]string{"dataset_few.json": ""}),
		"vqav2: ":                             write(t, map[string]string{"v2_OpenEnded_mscoco_val2014_questions.json": ""}),
		"nlvr: test1.json: no statements":     write(t, map[string]string{"test1.json": ""}),
		"cococaptions: nocaps_val_.json: ":    write(t, map[string]string{"nocaps_val_.json": ""}),
		"the shard is compressed":             write(t, map[string]string{"train/0.tar.gz": ""}),
		"cifar: ":                             write(t, map[string]string{"train.bin.gz": ""}),
		"the folder of a class has no images": write(t, map[string]string{"val/cat/notes.txt": ""}),
	} {
		if c, err := Open(dir); err == nil || c != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v and error %v, want one with %q", c, err, want)
		}
	}
}

// TestRealData opens real folders of two layouts.
func TestRealData(t *testing.T) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA does not name a folder with flickr8k/ and cifar100/")
	}
	for name, images := range map[string]int{"flickr8k": 1000, "cifar100": 2000} {
		c := must.Get(Open(filepath.Join(root, name)))(t)
		set, err := c.Split("test")
		if err != nil || set.Len() != images {
			t.Errorf("%s: got %v (%v), want %d test images", name, set, err, images)
		}
	}
}
