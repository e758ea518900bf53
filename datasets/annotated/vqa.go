package annotated

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/vqa"
)

var questionFile = regexp.MustCompile(`^v2_OpenEnded_mscoco_([a-z-]+)(\d*)_questions\.json(?:\.gz)?$`)

// OpenVQA opens a folder with VQA v2's v2_OpenEnded_mscoco_*_questions.json and v2_mscoco_*_annotations.json and COCO's pictures in
// train2014/, val2014/ and test2015/. The splits train and val must have annotations; a test split, such as test or test-dev, has questions
// without answers where there are none.
func OpenVQA(dir string) (*Collection, error) {
	return open("vqav2", dir, questionFile, func(parts []string) string { return parts[1] }, (*Collection).readQuestions)
}

func (c *Collection) readQuestions(s source) (datasets.Set, error) {
	subset := s.parts[1] + s.parts[2]
	questions, err := c.account(s.file)
	if err != nil {
		return nil, err
	}
	annotations := ""
	for _, ending := range []string{".json", ".json.gz"} {
		name := "v2_mscoco_" + subset + "_annotations" + ending
		if _, err := os.Stat(filepath.Join(c.dir, name)); err == nil {
			if annotations, err = c.account(name); err != nil {
				return nil, err
			}
			break
		}
	}
	if annotations == "" && !strings.HasPrefix(s.split, "test") {
		return nil, fmt.Errorf("%s: there is no v2_mscoco_%s_annotations.json with the answers; put it there", s.file, subset)
	}
	all, err := vqa.Read(questions, annotations)
	if err != nil {
		return nil, err
	}
	set := questioned{pictures: c.pictures(s)}
	for _, q := range all {
		if image, ok := set.add(cocoFolder(q.Image), q.Image); ok {
			set.questions = append(set.questions, datasets.Question{
				Image: image, Text: q.Text, Answers: q.Answers, Kind: q.Kind, AnswerKind: q.AnswerKind,
			})
		}
	}
	slices.SortStableFunc(set.questions, func(a, b datasets.Question) int { return a.Image - b.Image })
	return set, nil
}

// cocoFolder is that of a picture in COCO's archives, val2014 of COCO_val2014_000000000042.jpg.
func cocoFolder(picture string) string {
	if parts := strings.Split(picture, "_"); len(parts) == 3 {
		return parts[1]
	}
	return "."
}
