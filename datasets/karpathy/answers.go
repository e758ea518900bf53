package karpathy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// answerFolder holds the answers of benchmarks, as naver-ai/eccv-caption ships them in eccv_caption/data, or gzipped. They are of the split
// "test".
const (
	answerFolder = "eccv_caption"
	answerSplit  = "test"
)

// answerFiles are the two files of each benchmark: from images to captions, and from captions to images.
var answerFiles = []struct {
	benchmark        datasets.Benchmark
	ofImage, ofTexts string
}{
	{datasets.ECCV, "eccv_image_to_caption.json", "eccv_caption_to_image.json"},
	{datasets.CxC, "cxc_image_to_caption.json", "cxc_caption_to_image.json"},
}

// ownFile lists the captions of each image itself.
const ownFile = "original_image_to_caption.json"

// answers is the relation that a benchmark's answers make.
type answers struct {
	benchmark datasets.Benchmark
	datasets.Answers
}

// query is an entry of a file of answers: an id of COCO, of an image or a caption, and those of all that is true of it.
type query struct {
	id   int
	hits []int
}

// answer reads the folder's benchmarks, if there are any, into the test split, and digests them. Answers of images and captions that
// the split does not have are left out and counted.
func (c *Collection) answer(dir string, entries []entry, digest io.Writer) error {
	folder := filepath.Join(dir, answerFolder)
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	set := c.Sets[answerSplit]
	if set == nil {
		return fmt.Errorf("there is no image of the split %q, which it is of; take the folder away", answerSplit)
	}
	names, err := c.identify(folder, set, entries, digest)
	if err != nil {
		return err
	}
	for _, f := range answerFiles {
		ofImage, err := readAnswers(folder, f.ofImage, digest)
		if err != nil {
			return err
		}
		ofTexts, err := readAnswers(folder, f.ofTexts, digest)
		switch {
		case err != nil:
			return err
		case ofImage == nil && ofTexts == nil:
			continue
		case ofImage == nil || ofTexts == nil:
			return fmt.Errorf("of %s and %s only one is there; put the other beside it", f.ofImage, f.ofTexts)
		}
		set.answers = append(set.answers, answers{f.benchmark, datasets.Answers{
			Captions: c.lists(f.ofImage, ofImage, names.images, names.captions, set.Len()),
			Images:   c.lists(f.ofTexts, ofTexts, names.captions, names.images, set.pairs),
		}})
	}
	if len(set.answers) == 0 {
		return fmt.Errorf("neither %s nor %s is there; put the files of eccv-caption there, or take the folder away",
			answerFiles[0].ofImage, answerFiles[1].ofImage)
	}
	return nil
}

// lists are the answers of so many queries by their index.
func (c *Collection) lists(file string, queries []query, of, among map[int]int, n int) [][]int {
	lists := make([][]int, n)
	skip := func(what string) {
		c.Omitted.Add(answerFolder+"/"+file, "not in the split "+answerSplit+", and the benchmark is without it", what)
	}
	for _, q := range queries {
		at, ok := of[q.id]
		if !ok {
			skip(fmt.Sprintf("query %d", q.id))
			continue
		}
		for _, id := range q.hits {
			if hit, ok := among[id]; ok {
				lists[at] = append(lists[at], hit)
			} else {
				skip(fmt.Sprintf("%d of query %d", id, q.id))
			}
		}
	}
	return lists
}

// readAnswers reads a file of the folder, plain or gzipped; nil if it is not there.
func readAnswers(folder, name string, digest io.Writer) ([]query, error) {
	heading := name
	answered, err := content.Open(filepath.Join(folder, name))
	if errors.Is(err, os.ErrNotExist) {
		name += ".gz"
		answered, err = content.Open(filepath.Join(folder, name))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer answered.Close()
	fmt.Fprintln(digest, heading)
	queries, err := parseAnswers(io.TeeReader(answered, digest))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return queries, nil
}

// parseAnswers reads the whole of a file of answers, {"query": [answer, ...], ...}. No query and no answer of one may be there twice.
func parseAnswers(r io.Reader) ([]query, error) {
	decoder := json.NewDecoder(r)
	if first, err := decoder.Token(); err != nil {
		return nil, content.CutOff("the answers", err)
	} else if first != json.Delim('{') {
		return nil, fmt.Errorf("%v where \"{\" should be; is this a file of eccv-caption?", first)
	}
	queries, seen := []query{}, map[int]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, content.CutOff(fmt.Sprintf("query %d of the file", len(queries)), err)
		}
		var q query
		if q.id, err = strconv.Atoi(key.(string)); err != nil {
			return nil, fmt.Errorf("query %q: not an id of COCO, which is a whole number; is this a file of eccv-caption?", key)
		}
		if seen[q.id] {
			return nil, fmt.Errorf("query %d: it is there twice; the file is damaged, get it again", q.id)
		}
		seen[q.id] = true
		if err := decoder.Decode(&q.hits); err != nil {
			return nil, content.CutOff(fmt.Sprintf("query %d", q.id), err)
		}
		if err := q.check(); err != nil {
			return nil, err
		}
		queries = append(queries, q)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, content.CutOff("the end of the answers", err)
	}
	if _, err := decoder.Token(); err == nil {
		return nil, errors.New("there is more after the end of the object; the file is damaged, get it again")
	} else if err != io.EOF {
		return nil, content.CutOff("the end of the answers", err)
	}
	return queries, nil
}

// check reports a query without answers, or with one twice.
func (q query) check() error {
	if len(q.hits) == 0 {
		return fmt.Errorf("query %d: no answers; the file is damaged, get it again", q.id)
	}
	seen := map[int]bool{}
	for _, id := range q.hits {
		if seen[id] {
			return fmt.Errorf("query %d: the answer %d is there twice; the file is damaged, get it again", q.id, id)
		}
		seen[id] = true
	}
	return nil
}
