package annotated

import (
	"bytes"
	"compress/gzip"
	"errors"
	"image"
	"image/png"
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

// files are the content of files by their names below a folder.
type files map[string]string

// with are the files with some changed, or taken away where the new content is "-".
func (f files) with(changes files) files {
	all := maps.Clone(f)
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_, content string) bool { return content == "-" })
	return all
}

// write makes a folder; what ends in .gz is packed, and "picture N" is one of N pixels.
func (f files) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f {
		content := []byte(text)
		var b bytes.Buffer
		if strings.HasPrefix(text, "picture ") {
			must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, int(text[8]-'0'), 1))))
			content = b.Bytes()
		} else if strings.HasSuffix(name, ".gz") {
			w := gzip.NewWriter(&b)
			_, err := w.Write(content)
			must.Do(t, errors.Join(err, w.Close()))
			content = b.Bytes()
		}
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)))
	}
	return dir
}

// whole are the files of each benchmark, as its archives have them.
var (
	vqaFiles = files{
		"v2_OpenEnded_mscoco_val2014_questions.json": `{"data_type": "mscoco", "data_subtype": "val2014", "questions": [
			{"image_id": 7, "question": "Is it?", "question_id": 70}, {"image_id": 9, "question": "How many?", "question_id": 90},
			{"image_id": 7, "question": "What?", "question_id": 71}, {"image_id": 8, "question": "Who?", "question_id": 80}]}`,
		"v2_mscoco_val2014_annotations.json.gz": `{"data_type": "mscoco", "data_subtype": "val2014", "annotations": [
			{"question_id": 70, "image_id": 7, "question_type": "is it", "answer_type": "yes/no", "answers": [{"answer": "yes"}, {"answer": "no"}]},
			{"question_id": 71, "image_id": 7, "question_type": "what", "answer_type": "other", "answers": [{"answer": "a cat"}]},
			{"question_id": 80, "image_id": 8, "question_type": "who", "answer_type": "other", "answers": [{"answer": "me"}]},
			{"question_id": 90, "image_id": 9, "question_type": "how many", "answer_type": "number", "answers": [{"answer": "2"}]}]}`,
		"v2_OpenEnded_mscoco_test-dev2015_questions.json": `{"data_type": "mscoco", "data_subtype": "test-dev2015", "questions": [
			{"image_id": 1, "question": "Which?", "question_id": 10}]}`,
		"val2014/COCO_val2014_000000000007.jpg":          "picture 7",
		"images/val2014/COCO_val2014_000000000009.jpg":   "picture 9",
		"images/COCO_test2015_000000000001.jpg":          "picture 1",
		"images/COCO_val2014_of_which_nobody_speaks.jpg": "picture 2",
	}
	nlvrFiles = files{
		"train.json.gz": `{"identifier": "train-5-1-0", "sentence": "One is red.", "label": "True", "directory": 18}`,
		"dev.json": `{"identifier": "dev-2-0-0", "sentence": "Both.", "label": "False"}
{"identifier": "dev-1-0-0", "sentence": "None.", "label": "True"}
{"identifier": "dev-2-0-1", "sentence": "All.", "label": "True"}`,
		"images/train/18/train-5-1-img0.png": "picture 1",
		"images/train/18/train-5-1-img1.png": "picture 2",
		"dev/dev-2-0-img0.png":               "picture 3",
		"dev/dev-2-0-img1.png":               "picture 4",
		"dev/dev-1-0-img1.png":               "picture 5",
	}
	noCapsFiles = files{
		"nocaps_val_4500_captions.json": `{"images": [{"id": 0, "file_name": "a.jpg", "domain": "near-domain"},
			{"id": 1, "file_name": "gone.jpg", "domain": "in-domain"}, {"id": 2, "file_name": "b.jpg", "domain": "out-domain"}],
			"annotations": [{"id": 0, "image_id": 0, "caption": "A."}, {"id": 1, "image_id": 2, "caption": "B."}, {"id": 2, "image_id": 0, "caption": "Aa."}]}`,
		"nocaps_test_image_info.json": `{"images": [{"id": 5, "file_name": "c.jpg", "domain": "in-domain"}]}`,
		"images/a.jpg":                "picture 1",
		"val/b.jpg":                   "picture 2",
		"test/c.jpg":                  "picture 3",
	}
)

// pixels are the widths of all pictures of a set.
func pixels(t *testing.T, s datasets.Set) (wide []int) {
	t.Helper()
	for i := range s.Len() {
		img := must.Get(s.Image(t.Context(), i))(t)
		wide = append(wide, img.Bounds().Dx())
	}
	return wide
}

func told(c *Collection) string {
	return errors.Join(c.Skipped()...).Error()
}

func TestVQA(t *testing.T) {
	c := must.Get(OpenVQA(vqaFiles.write(t)))(t)
	if want := []string{"val", "test-dev"}; !slices.Equal(c.Splits(), want) {
		t.Errorf("got the splits %v, want %v", c.Splits(), want)
	}
	val := must.Get(c.Split("val"))(t)
	if got, want := pixels(t, val), []int{7, 9}; !slices.Equal(got, want) || val.Name() != "vqav2/val" || val.Captions(0) != nil {
		t.Errorf("got %s with the pictures %v, want %v", val.Name(), got, want)
	}
	want := []datasets.Question{
		{Image: 0, Text: "Is it?", Answers: []string{"yes", "no"}, Kind: "is it", AnswerKind: "yes/no"},
		{Image: 0, Text: "What?", Answers: []string{"a cat"}, Kind: "what", AnswerKind: "other"},
		{Image: 1, Text: "How many?", Answers: []string{"2"}, Kind: "how many", AnswerKind: "number"},
	}
	if got := val.(datasets.Questioned).Questions(); !reflect.DeepEqual(got, want) {
		t.Errorf("got the questions %+v, want %+v", got, want)
	}
	test := must.Get(c.Split("test-dev"))(t)
	if got := test.(datasets.Questioned).Questions(); len(got) != 1 || got[0].Text != "Which?" || got[0].Answers != nil || test.Len() != 1 {
		t.Errorf("got the test questions %+v of %d pictures", got, test.Len())
	}
	const missing = "v2_OpenEnded_mscoco_val2014_questions.json: 1 skipped: the picture is neither in val2014/ nor in images/val2014/ " +
		"or images/"
	if got := told(c); !strings.Contains(got, missing) || !strings.Contains(got, "first: COCO_val2014_000000000008.jpg") {
		t.Errorf("got %q, want it to tell of the missing picture: %q", got, missing)
	}
	view, err := datasets.OfQuestions(datasets.First(val, 1, 0))
	if err != nil || len(view.(datasets.Questioned).Questions()) != 2 || view.Captions(0)[1] != "What?" {
		t.Errorf("a view of the first picture is %v (%v)", view, err)
	}
}

func TestNLVR(t *testing.T) {
	c := must.Get(OpenNLVR(nlvrFiles.write(t)))(t)
	if want := []string{"train", "val"}; !slices.Equal(c.Splits(), want) {
		t.Errorf("got the splits %v, want %v", c.Splits(), want)
	}
	for name, want := range map[string]struct {
		pictures   []int
		statements []datasets.Statement
	}{
		"train": {[]int{1, 2}, []datasets.Statement{{Left: 0, Right: 1, Text: "One is red.", True: true}}},
		"val":   {[]int{3, 4, 5}, []datasets.Statement{{Left: 0, Right: 1, Text: "Both."}, {Left: 0, Right: 1, Text: "All.", True: true}}},
	} {
		set := must.Get(c.Split(name))(t)
		if got := pixels(t, set); !slices.Equal(got, want.pictures) {
			t.Errorf("%s: got the pictures %v, want %v", name, got, want.pictures)
		}
		if got := set.(datasets.Stated).Statements(); !slices.Equal(got, want.statements) {
			t.Errorf("%s: got the statements %+v, want %+v", name, got, want.statements)
		}
	}
	for _, want := range []string{
		"dev.json: 1 skipped: the picture is neither in dev/ nor in images/dev/ or images/; put it there; first: dev-1-0-img0.png",
		`dev.json: 1 skipped: a statement about a picture that is missing; first: dev-1-0-0 ("None.")`,
	} {
		if got := told(c); !strings.Contains(got, want) {
			t.Errorf("got %q, want it to tell %q", got, want)
		}
	}
}

func TestNoCaps(t *testing.T) {
	c := must.Get(OpenNoCaps(noCapsFiles.write(t)))(t)
	if want := []string{"val", "test"}; !slices.Equal(c.Splits(), want) {
		t.Errorf("got the splits %v, want %v", c.Splits(), want)
	}
	for name, want := range map[string]struct {
		pictures []int
		domains  []string
		captions []string // of the first picture
	}{
		"val":  {[]int{1, 2}, []string{datasets.NearDomain, datasets.OutOfDomain}, []string{"A.", "Aa."}},
		"test": {[]int{3}, []string{datasets.InDomain}, nil},
	} {
		set := must.Get(c.Split(name))(t)
		if got := pixels(t, set); !slices.Equal(got, want.pictures) {
			t.Errorf("%s: got the pictures %v, want %v", name, got, want.pictures)
		}
		for i, domain := range want.domains {
			if got := datasets.WithDomains(set).Domain(i); got != domain {
				t.Errorf("%s, picture %d: got the domain %q, want %q", name, i, got, domain)
			}
		}
		if got := set.Captions(0); !slices.Equal(got, want.captions) {
			t.Errorf("%s: got the captions %q, want %q", name, got, want.captions)
		}
	}
	if got := told(c); !strings.Contains(got, "first: gone.jpg") {
		t.Errorf("got %q, want it to tell of the missing picture", got)
	}
}

// Another question, another picture and a missing one make another collection; packing and what nobody speaks of do not.
func TestHash(t *testing.T) {
	hash := func(f files) string {
		c := must.Get(OpenVQA(f.write(t)))(t)
		return c.Hash()
	}
	whole, packed := hash(vqaFiles), vqaFiles["v2_OpenEnded_mscoco_val2014_questions.json"]
	same := vqaFiles.with(files{
		"v2_OpenEnded_mscoco_val2014_questions.json": "-", "v2_OpenEnded_mscoco_val2014_questions.json.gz": packed,
		"images/COCO_val2014_of_which_nobody_speaks.jpg": "-",
	})
	if got := hash(same); got != whole {
		t.Errorf("packed: got the hash %s, want %s", got, whole)
	}
	for what, f := range map[string]files{
		"a question": vqaFiles.with(files{"v2_OpenEnded_mscoco_val2014_questions.json": strings.Replace(packed, "What?", "Why?", 1)}),
		"a picture":  vqaFiles.with(files{"val2014/COCO_val2014_000000000007.jpg": "picture 8"}),
		"one less":   vqaFiles.with(files{"val2014/COCO_val2014_000000000007.jpg": "-"}),
		"one more":   vqaFiles.with(files{"val2014/COCO_val2014_000000000008.jpg": "picture 8"}),
	} {
		if got := hash(f); got == whole {
			t.Errorf("%s: the hash is the same", what)
		}
	}
}

func TestErrors(t *testing.T) {
	const questions, annotations = "v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json.gz"
	asked, answered := vqaFiles[questions], vqaFiles[annotations]
	for _, test := range []struct {
		want string
		open func(string) (*Collection, error)
		in   files
	}{
		{"there is no v2_mscoco_val2014_annotations.json with the answers", OpenVQA, vqaFiles.with(files{annotations: "-"})},
		{"no answers", OpenVQA, vqaFiles.with(files{annotations: strings.Replace(answered, `[{"answer": "2"}]`, "[]", 1)})},
		{"no image_id", OpenVQA, vqaFiles.with(files{questions: strings.Replace(asked, `"image_id": 9, `, "", 1)})},
		{"are both of the split val; keep one", OpenVQA, vqaFiles.with(files{questions + ".gz": asked})},
		{"1 files about pictures, none of which can be used", OpenVQA, files{questions: asked, annotations: answered}},
		{"first: COCO_val2014_000000000007.jpg", OpenVQA, files{questions: asked, annotations: answered}},
		{"0 files about pictures", OpenVQA, files{}},
		{"no label", OpenNLVR, nlvrFiles.with(files{"dev.json": `{"identifier": "dev-2-0-0", "sentence": "Both."}`})},
		{"1 files about pictures, none", OpenNLVR, files{"dev.json": nlvrFiles["dev.json"]}},
		{`image 0 ("c.jpg"): no domain`, OpenNoCaps,
			noCapsFiles.with(files{"nocaps_test_image_info.json": `{"images": [{"id": 5, "file_name": "c.jpg"}]}`})},
		{`image 1 ("c.jpg"): another image has this file`, OpenNoCaps, noCapsFiles.with(files{"nocaps_test_image_info.json": `{"images": [
			{"id": 5, "file_name": "c.jpg", "domain": "in-domain"}, {"id": 6, "file_name": "c.jpg", "domain": "in-domain"}]}`})},
	} {
		dir := test.in.write(t)
		if c, err := test.open(dir); err == nil || c != nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("got %v and error %v, want one with %q and the folder", c, err, test.want)
		}
	}
	c := must.Get(OpenNoCaps(noCapsFiles.with(files{"test/c.jpg": "no picture"}).write(t)))(t)
	set := must.Get(c.Split("test"))(t)
	must.Fail(t, must.Err(set.Image(t.Context(), 0)), `nocaps/test: image 0 ("test/c.jpg")`, "a file that is no picture")
	must.Fail(t, must.Err(c.Split("train")), "val", "an unknown split")
}
