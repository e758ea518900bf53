package eval

import (
	"fmt"
	"maps"

	"vlpx.internal/datasets"
)

// BenchmarkRecall measures retrieval by the answers of benchmarks, as eccv-caption does (Chun et al., ECCV 2022; METHODS.md 15.4). Scores
// and captionImage are as for [Recall]; caption t is pair t of datasets.Pairs. Only a benchmark's queries count, each against all
// candidates of the set, of which those that it does not list are wrong. The result holds, of the benchmarks that there are,
//
//   - TR@K ECCV, IR@K ECCV, TR@K CxC, IR@K CxC: queries with an answer among the first K;
//   - TR mAP@R, IR mAP@R: of a query with R answers, the mean over the first R places of the precision down to the place where it has an
//     answer, of 0 where it has none; ECCV's queries;
//   - TR R-Precision, IR R-Precision: the share of answers among the first R; ECCV's queries;
//   - TR@K 1K, IR@K 1K: the mean of [Recall] over folds of 1,000 images with their captions, where there are several.
//
// The first are absent where no query of their direction is left. Ties are decided against the model.
func BenchmarkRecall(i2t, t2i Rows, captionImage []int, answers map[datasets.Benchmark]datasets.Answers) (Result, error) {
	own, err := captionsOf(i2t, t2i, captionImage)
	if err != nil {
		return nil, err
	}
	r := Result{}
	for benchmark, of := range answers {
		views, known := benchmarkViews[benchmark]
		if !known {
			return nil, fmt.Errorf("eval: no metrics for the benchmark %q", benchmark)
		}
		if len(of.Captions) != len(own) || len(of.Images) != len(captionImage) {
			return nil, fmt.Errorf("eval: %s: answers of %d images and %d captions, but there are %d and %d", benchmark,
				len(of.Captions), len(of.Images), len(own), len(captionImage))
		}
		byImages, byCaptions := answerRanks(i2t, of.Captions), answerRanks(t2i, of.Images)
		for _, v := range views {
			v.add(r, 0, byImages)
			v.add(r, 1, byCaptions)
		}
	}
	if len(answers) > 0 {
		folds, err := foldRecall(i2t, t2i, captionImage, foldImages)
		if err != nil {
			return nil, err
		}
		maps.Copy(r, folds)
	}
	return r, nil
}

// benchmarkViews have the metrics of a benchmark's queries.
var benchmarkViews = map[datasets.Benchmark][]*view{datasets.ECCV: {precisionView, eccvView}, datasets.CxC: {cxcView}}

// answerRanks are, for each query, the ranks of its answers, from 1 and ascending.
func answerRanks(scores Rows, answers [][]int) [][]int {
	q := newRanker(scores)
	var ranks [][]int
	for row, right := range answers {
		if right != nil {
			ranks = append(ranks, q.ranks(scores.Row(row), right))
		}
	}
	return ranks
}

// foldImages is the number of images of a fold: five folds make up COCO's test split ("COCO 1K").
const foldImages = 1000

// foldRecall is the mean of [Recall] over folds of so many images in their order; empty unless they make up several whole folds.
func foldRecall(i2t, t2i Rows, captionImage []int, size int) (Result, error) {
	all, _ := i2t.Shape()
	folds := all / size
	r := Result{}
	if folds < 2 || all%size != 0 {
		return r, nil
	}
	for f := range folds {
		var captions, images, owner []int
		for i := range size {
			images = append(images, f*size+i)
		}
		for t, image := range captionImage {
			if image/size == f {
				captions, owner = append(captions, t), append(owner, image-f*size)
			}
		}
		one, err := Recall(part(i2t, images, captions), part(t2i, captions, images), owner)
		if err != nil {
			return nil, fmt.Errorf("eval: fold %d of %d: %w", f+1, folds, err)
		}
		for d := range directions {
			for _, m := range ownView.recalls() {
				whole := m.metric(direction(d))
				r[whole+Metric(foldView.name)] += one[whole] / float64(folds)
			}
		}
	}
	return r, nil
}

// part is the matrix of some rows and columns.
func part(s Rows, rows, cols []int) Scores {
	p := NewScores(len(rows), len(cols))
	for i, row := range rows {
		from, to := s.Row(row), p.Row(i)
		for j, col := range cols {
			to[j] = from[col]
		}
	}
	return p
}
