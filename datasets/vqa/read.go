package vqa

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets/content"
)

// Question is one about an image.
type Question struct {
	ID         int64
	Image      string // the file of COCO, such as COCO_val2014_000000123456.jpg
	Text       string
	Answers    []string // of ten people; none where they are not published
	Kind       string   // how the question starts, such as "how many"; "" where Answers are not published, as is AnswerKind
	AnswerKind string   // "yes/no", "number" or "other"
}

// Read reads a file of questions and the file of their annotations, which has the answers; "" for a test split, which has none. Files are
// gzipped if their names end in .gz. Every question must have annotations, and they must be of the same images.
func Read(questions, annotations string) ([]Question, error) {
	asked, err := read(questions, parseQuestions)
	if err != nil {
		return nil, err
	}
	var answered *file
	if annotations != "" {
		if answered, err = read(annotations, parseAnnotations); err != nil {
			return nil, err
		}
	}
	all, err := join(asked, answered)
	if err != nil {
		return nil, fmt.Errorf("vqa: %s with %s: %w", filepath.Base(questions), filepath.Base(annotations), err)
	}
	return all, nil
}

// file is the content of a file of questions or of annotations.
type file struct {
	Type, Split string // such as "mscoco" and "val2014"
	Entries     []entry
}

// entry is a question or its annotations; a pointer tells a missing number from 0.
type entry struct {
	QuestionID   *int64 `json:"question_id"`
	ImageID      *int64 `json:"image_id"`
	Question     string `json:"question"`
	QuestionType string `json:"question_type"`
	AnswerType   string `json:"answer_type"`
	Answers      []struct {
		Answer string `json:"answer"`
	} `json:"answers"`
}

func read(name string, parse func(io.Reader) (*file, error)) (*file, error) {
	r, err := content.Open(name)
	if err != nil {
		return nil, fmt.Errorf("vqa: %w", err)
	}
	defer r.Close()
	f, err := parse(r)
	if err != nil {
		return nil, fmt.Errorf("vqa: %s: %w", filepath.Base(name), err)
	}
	return f, nil
}

func parseQuestions(r io.Reader) (*file, error) {
	return parse(r, "questions", "question", func(e entry) error {
		if strings.TrimSpace(e.Question) == "" {
			return fmt.Errorf("id %d: it asks nothing; write the question or drop it", *e.QuestionID)
		}
		return nil
	})
}

func parseAnnotations(r io.Reader) (*file, error) {
	return parse(r, "annotations", "annotation", func(e entry) error {
		if len(e.Answers) == 0 {
			return fmt.Errorf("of question %d: no answers; add people's or drop the annotation and its question", *e.QuestionID)
		}
		return nil
	})
}

// parse reads the entries of a list; check says what else is wrong with one that has its ids.
func parse(r io.Reader, list, what string, check func(entry) error) (*file, error) {
	f, seen := &file{}, map[int64]int{}
	object := content.Object{
		Layout: fmt.Sprintf("VQA v2's file of %s", list),
		Fields: map[string]func(*content.Object) error{
			"data_type":    content.Value("data_type", &f.Type),
			"data_subtype": content.Value("data_subtype", &f.Split),
			list: content.Each(list, what, func(i int, e entry) error {
				switch {
				case e.QuestionID == nil:
					return errors.New("no question_id; number the questions, each with a number of its own")
				case e.ImageID == nil || *e.ImageID < 0:
					return fmt.Errorf("of id %d: no image_id; say which of COCO's images it is about", *e.QuestionID)
				}
				if first, twice := seen[*e.QuestionID]; twice {
					return fmt.Errorf("the question_id %d is that of %s %d, too; drop one", *e.QuestionID, what, first)
				}
				seen[*e.QuestionID] = i
				f.Entries = append(f.Entries, e)
				return check(e)
			}),
		},
		Needs: []string{"data_type", "data_subtype", list},
	}
	if err := object.Read(r); err != nil {
		return nil, err
	}
	if f.Type != "mscoco" {
		return nil, fmt.Errorf("the data_type %q; only questions about COCO's images (mscoco) are read", f.Type)
	}
	if f.Split == "" || !filepath.IsLocal(f.Split) || strings.ContainsAny(f.Split, `/\`) {
		return nil, fmt.Errorf("the data_subtype %q; want the split of COCO that the images are of, such as val2014", f.Split)
	}
	return f, nil
}

// join gives questions their answers; answered is nil where there are none.
func join(asked, answered *file) ([]Question, error) {
	annotations := map[int64]int{} // where a question's are
	if answered != nil {
		if asked.Split != answered.Split {
			return nil, fmt.Errorf("the questions are about %s, the annotations about %s; give files of one split", asked.Split,
				answered.Split)
		}
		for i, a := range answered.Entries {
			annotations[*a.QuestionID] = i
		}
	}
	questions := make([]Question, len(asked.Entries))
	for i, e := range asked.Entries {
		q := Question{ID: *e.QuestionID, Image: imageFile(asked.Split, *e.ImageID), Text: e.Question}
		if answered != nil {
			at, has := annotations[q.ID]
			if !has {
				return nil, fmt.Errorf("question %d (id %d): no annotation has its id; give the file that belongs to the questions", i,
					q.ID)
			}
			a := answered.Entries[at]
			if *a.ImageID != *e.ImageID {
				return nil, fmt.Errorf("question %d (id %d): it is about the image %d, its annotation about %d; get the files again",
					i, q.ID, *e.ImageID, *a.ImageID)
			}
			for _, one := range a.Answers {
				q.Answers = append(q.Answers, one.Answer)
			}
			q.Kind, q.AnswerKind = a.QuestionType, a.AnswerType
			delete(annotations, q.ID)
		}
		questions[i] = q
	}
	if len(annotations) > 0 {
		first := len(answered.Entries)
		for _, at := range annotations {
			first = min(first, at)
		}
		return nil, fmt.Errorf("annotation %d: no question has the id %d; give the file that belongs to the questions",
			first, *answered.Entries[first].QuestionID)
	}
	return questions, nil
}

// imageFile is what COCO calls an image's file. The questions of test-dev2015 are about images of test2015.
func imageFile(split string, id int64) string {
	return fmt.Sprintf("COCO_%s_%012d.jpg", strings.Replace(split, "test-dev", "test", 1), id)
}
