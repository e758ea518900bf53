// Package export writes generated data into files that other programs read, in layouts that package layout opens again: images and captions
// in Karpathy's, the relation in eccv-caption's, questions in VQA v2's.
package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/disk"
)

// VQAFolder is the folder below, with the questions.
const VQAFolder = "vqa"

// writer writes below a folder. Images and captions are numbered through all splits, from 1, as COCO's are by ids.
type writer struct {
	dir           string
	images, pairs int // before the split at work
	questions     int
	entries       []entry
	folders       map[string]bool // that files were made in
}

// entry is an image of Karpathy's file.
type entry struct {
	Filename  string     `json:"filename"`
	Split     string     `json:"split"`
	ImgID     int        `json:"imgid"`
	CocoID    int        `json:"cocoid"`
	SentIDs   []int      `json:"sentids"`
	Sentences []sentence `json:"sentences"`
}

type sentence struct {
	Raw    string   `json:"raw"`
	Tokens []string `json:"tokens"`
	ImgID  int      `json:"imgid"`
	SentID int      `json:"sentid"`
	AnnID  int      `json:"annid"`
}

// Write fills an empty folder with a collection:
//
//   - dataset_NAME.json and images/*.png, in Karpathy's layout.
//   - eccv_caption/, the relation of the split test, by which the folder knows it again.
//   - relation/SPLIT_image_to_caption.json, the relation of every split in the same form: of each image's cocoid the annids of all captions
//     that are true of it.
//   - vqa/, the questions with their answers in VQA v2's layout: a folder of its own, with the images in COCO's names. They end with
//     .jpg, and are PNG within, which readers of images tell by the content: JPEG would change pixels. An exact answer stands there ten
//     times, as ten people would have given it, since the official accuracy compares them with each other.
//
// What the collection does not know is left out. The image of cocoid 1 is the first of the first split. All of it is there after a loss of
// power.
func Write(ctx context.Context, dir string, c datasets.Collection) error {
	w := &writer{dir: dir, folders: map[string]bool{}}
	for _, name := range c.Splits() {
		set, err := c.Split(name)
		if err != nil {
			return err
		}
		if err := w.split(ctx, name, set); err != nil {
			return fmt.Errorf("export: %s: %w", set.Name(), err)
		}
	}
	if err := w.json("dataset_"+c.Name()+".json", map[string]any{"dataset": c.Name(), "images": w.entries}); err != nil {
		return err
	}
	for _, folder := range slices.Sorted(maps.Keys(w.folders)) {
		if err := disk.SyncDir(folder); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) split(ctx context.Context, name string, set datasets.Set) error {
	questioned, asked := set.(datasets.Questioned)
	for i := range set.Len() {
		content, err := encoded(ctx, set, i)
		if err != nil {
			return err
		}
		file := set.Key(i) + ".png"
		if err := w.file(filepath.Join("images", file), content); err != nil {
			return err
		}
		if asked {
			picture := fmt.Sprintf("COCO_%s_%012d.jpg", coco(name), w.images+i+1)
			if err := w.file(filepath.Join(VQAFolder, coco(name), picture), content); err != nil {
				return err
			}
		}
		w.entries = append(w.entries, w.entry(name, file, set, i))
	}
	if asked {
		if err := w.ask(name, questioned.Questions()); err != nil {
			return err
		}
	}
	if related, ok := set.(datasets.Related); ok {
		if err := w.relate(ctx, name, related); err != nil {
			return err
		}
	}
	w.images, w.pairs = w.images+set.Len(), w.pairs+len(datasets.Pairs(set))
	return nil
}

// encoded is an image as a PNG file.
func encoded(ctx context.Context, set datasets.Set, i int) ([]byte, error) {
	picture, err := set.Image(ctx, i)
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	err = png.Encode(&content, picture)
	return content.Bytes(), err
}

// entry is that of image i, with its captions, whose ids count pairs.
func (w *writer) entry(split, file string, set datasets.Set, i int) entry {
	id := w.images + i + 1
	e := entry{Filename: file, Split: split, ImgID: id - 1, CocoID: id}
	first := w.pairs + 1
	if n := len(w.entries); n > 0 {
		first = last(w.entries[n-1], first)
	}
	for k, caption := range set.Captions(i) {
		e.SentIDs = append(e.SentIDs, first+k-1)
		e.Sentences = append(e.Sentences, sentence{caption, strings.Fields(caption), id - 1, first + k - 1, first + k})
	}
	return e
}

// last is the id behind those of an entry.
func last(e entry, otherwise int) int {
	if n := len(e.Sentences); n > 0 {
		return e.Sentences[n-1].AnnID + 1
	}
	return otherwise
}

// relate writes the captions that are true of each image, and of the split test the images that each caption is true of.
func (w *writer) relate(ctx context.Context, name string, set datasets.Related) error {
	relation, pairs := set.Relation(), datasets.Pairs(set)
	ofImage, ofCaption := map[string][]int{}, map[string][]int{}
	for i := range set.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		image := w.images + i + 1
		for p := range pairs {
			if holds, known := relation.Holds(i, p); holds && known {
				caption := w.pairs + p + 1
				ofImage[strconv.Itoa(image)] = append(ofImage[strconv.Itoa(image)], caption)
				ofCaption[strconv.Itoa(caption)] = append(ofCaption[strconv.Itoa(caption)], image)
			}
		}
	}
	if name == "test" {
		if err := w.json("eccv_caption/eccv_image_to_caption.json", ofImage); err != nil {
			return err
		}
		if err := w.json("eccv_caption/eccv_caption_to_image.json", ofCaption); err != nil {
			return err
		}
	}
	return w.json("relation/"+name+"_image_to_caption.json", ofImage)
}

// ask writes the questions of a split.
func (w *writer) ask(name string, all []datasets.Question) error {
	type answer struct {
		Answer     string `json:"answer"`
		Confidence string `json:"answer_confidence"`
		ID         int    `json:"answer_id"`
	}
	type question struct {
		Image int    `json:"image_id"`
		Text  string `json:"question"`
		ID    int    `json:"question_id"`
	}
	type annotation struct {
		Kind       string   `json:"question_type"`
		Choice     string   `json:"multiple_choice_answer"`
		Answers    []answer `json:"answers"`
		Image      int      `json:"image_id"`
		AnswerKind string   `json:"answer_type"`
		ID         int      `json:"question_id"`
	}
	var questions []question
	var annotations []annotation
	for _, q := range all {
		w.questions++
		image := w.images + q.Image + 1
		questions = append(questions, question{image, q.Text, w.questions})
		a := annotation{Kind: q.Kind, Image: image, AnswerKind: q.AnswerKind, ID: w.questions}
		for k, given := range repeated(q.Answers) {
			a.Answers = append(a.Answers, answer{given, "yes", k + 1})
		}
		if len(q.Answers) > 0 {
			a.Choice = q.Given()[0].Answer
		}
		annotations = append(annotations, a)
	}
	head := func(list string, of any) map[string]any {
		return map[string]any{"info": map[string]any{"description": "questions of " + name}, "license": map[string]any{},
			"data_type": "mscoco", "data_subtype": coco(name), "task_type": "Open-Ended", list: of}
	}
	if err := w.json(filepath.Join(VQAFolder, "v2_OpenEnded_mscoco_"+coco(name)+"_questions.json"), head("questions", questions)); err != nil {
		return err
	}
	return w.json(filepath.Join(VQAFolder, "v2_mscoco_"+coco(name)+"_annotations.json"), head("annotations", annotations))
}

// repeated are answers of ten people where one is known exactly.
func repeated(answers []string) []string {
	if len(answers) != 1 {
		return answers
	}
	var ten []string
	for range 10 {
		ten = append(ten, answers[0])
	}
	return ten
}

// coco is what COCO calls a split.
func coco(split string) string {
	if split == "test" {
		return "test2015"
	}
	return split + "2014"
}

// file writes a file, and its folder where that is missing.
func (w *writer) file(name string, content []byte) error {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if folder := filepath.Dir(path); !w.folders[folder] {
		if err := disk.MkdirAll(folder); err != nil {
			return err
		}
		w.folders[folder] = true
	}
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

func (w *writer) json(name string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return w.file(name, content)
}
