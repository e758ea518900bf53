package vqa

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

const (
	questions = `{"info": {"year": 2017}, "task_type": "Open-Ended", "data_type": "mscoco", "license": {}, "data_subtype": "val2014", "questions": [
{"image_id": 458752, "question": "What is this?", "question_id": 458752000}, {"image_id": 262148, "question": "How many?", "question_id": 262148000}]}`
	annotations = `{"annotations": [
{"question_type": "how many", "multiple_choice_answer": "2", "answers": [{"answer": "2", "answer_confidence": "yes", "answer_id": 1},
{"answer": "two", "answer_id": 2}], "image_id": 262148, "answer_type": "number", "question_id": 262148000},
{"question_type": "what is this", "answers": [{"answer": "", "answer_id": 1}], "image_id": 458752, "answer_type": "other", "question_id": 458752000}],
"data_type": "mscoco", "data_subtype": "val2014"}`
)

// write makes the two files; no annotations if they are empty.
func write(t *testing.T, questions, annotations string) (string, string) {
	t.Helper()
	dir := t.TempDir()
	asked, answered := filepath.Join(dir, "q.json"), ""
	must.Do(t, os.WriteFile(asked, []byte(questions), 0o666))
	if annotations != "" {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write([]byte(annotations))
		w.Close()
		answered = filepath.Join(dir, "a.json.gz")
		must.Do(t, os.WriteFile(answered, packed.Bytes(), 0o666))
	}
	return asked, answered
}

func TestRead(t *testing.T) {
	want := []Question{
		{458752000, "COCO_val2014_000000458752.jpg", "What is this?", []string{""}, "what is this", "other"},
		{262148000, "COCO_val2014_000000262148.jpg", "How many?", []string{"2", "two"}, "how many", "number"},
	}
	got, err := Read(write(t, questions, annotations))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	got, err = Read(write(t, strings.Replace(questions, "val2014", "test-dev2015", 1), ""))
	want[0] = Question{ID: 458752000, Image: "COCO_test2015_000000458752.jpg", Text: "What is this?"}
	if err != nil || len(got) != 2 || !reflect.DeepEqual(got[0], want[0]) {
		t.Errorf("without answers: got %+v (%v), want %+v first", got, err, want[0])
	}
}

func TestReadErrors(t *testing.T) {
	asked := func(old, new string) [2]string {
		return [2]string{strings.Replace(questions, old, new, 1), annotations}
	}
	answered := func(old, new string) [2]string {
		return [2]string{questions, strings.Replace(annotations, old, new, 1)}
	}
	for _, test := range []struct {
		files [2]string
		want  string
	}{
		{[2]string{"", ""}, "q.json: cut off"},
		{[2]string{questions[:250], ""}, "q.json: cut off at question 1"},
		{[2]string{annotations, ""}, `q.json: no "questions"; is this VQA v2's file of questions?`},
		{[2]string{questions, questions}, `a.json.gz: no "annotations"; is this VQA v2's file of annotations?`},
		{asked(`, "question_id": 262148000`, ``), "question 1: no question_id"},
		{asked("262148000", "458752000"), "question 1: the question_id 458752000 is that of question 0, too"},
		{asked(`"image_id": 262148, `, ``), "question 1: of id 262148000: no image_id"},
		{asked("How many?", " "), "question 1: id 262148000: it asks nothing"},
		{asked("mscoco", "abstract_v002"), `the data_type "abstract_v002"`},
		{asked("val2014", "../x"), `the data_subtype "../x"`},
		{asked("val2014", "train2014"), "q.json with a.json.gz: the questions are about train2014, the annotations about val2014"},
		{asked("262148000", "7"), "question 1 (id 7): no annotation has its id"},
		{asked("262148,", "7,"), "question 1 (id 262148000): it is about the image 7, its annotation about 262148"},
		{asked(`, {"image_id": 262148, "question": "How many?", "question_id": 262148000}`, ``), "annotation 0: no question has the id " +
			"262148000"},
		{answered(`[{"answer": "", "answer_id": 1}]`, "[]"), "annotation 1: of question 458752000: no answers"},
		{answered(`458752000`, "262148000"), "annotation 1: the question_id 262148000 is that of annotation 0, too"},
		{answered(`"", "answer_id"`, `4, "answer_id"`), "annotation 1: \"answers.answer\" is a number"},
	} {
		_, err := Read(write(t, test.files[0], test.files[1]))
		if err == nil || !strings.HasPrefix(err.Error(), "vqa: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want an error with %q", err, test.want)
		}
	}
	must.Fail(t, must.Err(Read("absent.json", "")), "absent.json")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(questions), []byte(annotations))
	f.Add([]byte(questions[:200]), []byte(`{"annotations": [null]}`))
	f.Add([]byte(`{"questions": [], "data_type": "mscoco", "data_subtype": "test2015"}`), []byte(``))
	f.Fuzz(func(t *testing.T, asks, answers []byte) {
		asked, err := parseQuestions(bytes.NewReader(asks))
		if (asked == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", asked, err)
		}
		answered, other := parseAnnotations(bytes.NewReader(answers))
		if (answered == nil) == (other == nil) {
			t.Fatalf("got %v and %v, want one of them", answered, other)
		}
		if err != nil {
			return
		}
		if _, err := join(asked, nil); err != nil {
			t.Fatalf("questions alone: %v", err)
		}
		all, err := join(asked, answered)
		if err != nil {
			return
		}
		for _, q := range all {
			if !filepath.IsLocal(q.Image) || answered != nil && len(q.Answers) == 0 {
				t.Fatalf("accepted %+v", q)
			}
		}
	})
}
