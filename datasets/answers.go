package datasets

import "slices"

// Answers are the right candidates of the queries of a benchmark, as people found them: of some images all captions, of some captions all
// images. A candidate that is not listed is wrong by the benchmark's definition; of what is no query nothing is known.
type Answers struct {
	Captions [][]int // pairs whose caption is true of each image, [images]; nil where the image is no query
	Images   [][]int // images that the caption of each pair is true of, [pairs]; nil where the caption is no query
}

var _ Relation = Answers{}

// Holds implements Relation: a pair holds where the image or the caption lists the other, and is known where either is a query.
func (a Answers) Holds(i, p int) (holds, known bool) {
	if slices.Contains(a.Captions[i], p) || slices.Contains(a.Images[p], i) {
		return true, true
	}
	return false, a.Captions[i] != nil || a.Images[p] != nil
}

// First are the answers among the first images and pairs of the set. A query none of whose answers is among them is none.
func (a Answers) First(images, pairs int) Answers {
	below := func(lists [][]int, n int) [][]int {
		kept := make([][]int, len(lists))
		for q, list := range lists {
			for _, c := range list {
				if c < n {
					kept[q] = append(kept[q], c)
				}
			}
		}
		return kept
	}
	return Answers{below(a.Captions[:images], pairs), below(a.Images[:pairs], images)}
}

// Benchmark names published answers.
type Benchmark string

// Benchmarks of COCO's captions, on the test split of Karpathy.
const (
	// ECCV is ECCV Caption: for 1,261 images and 1,332 captions what people verified of five models' proposals, and CxC (Chun et al.,
	// 2022).
	ECCV Benchmark = "ECCV Caption"
	// CxC is Crisscrossed Captions: for all images and captions, what people rated as matching beside the own ones (Parekh et al., 2021).
	CxC Benchmark = "CxC"
)

// Benchmarked is a Relation that comes with the answers of benchmarks.
type Benchmarked interface {
	Relation
	// Answers are those of each benchmark that there is, over the whole set. The caller must not change them.
	Answers() map[Benchmark]Answers
}
