package eval

import (
	"maps"

	"vlpx.internal/datasets"
)

// TrueRecall measures retrieval against the relation of semantic compatibility (FALCON, Proposition 1), because recall by own
// captions counts a caption that is true of the image, but was written for another, as a mistake. Scores and captionImage are
// as for [Recall]; caption t is pair t of datasets.Pairs. The result holds
//
//   - TR@K true, IR@K true: every true candidate is accepted, the best of them counts;
//   - TR mAP, IR mAP: mean average precision over all true candidates of a query;
//   - TR@1 false, IR@1 false: R@1 by own captions when the other true candidates are taken out, so only false ones compete.
//
// The own pair always counts as true. A pair whose truth is not known is a competitor, as in [Recall]; with partial judgements,
// such as Flickr8k's, "true" is the own captions and those that people judged true, and the three are therefore lower bounds of
// what the whole relation would give. Ties are decided against the model.
func TrueRecall(i2t, t2i Rows, captionImage []int, relation datasets.Relation) (Result, error) {
	r, _, err := trueRecall(i2t, t2i, captionImage, relation)
	return r, err
}

// trueRecall is [TrueRecall] with the single queries' ranks and precisions.
func trueRecall(i2t, t2i Rows, captionImage []int, relation datasets.Relation) (Result, Items, error) {
	own, err := captionsOf(i2t, t2i, captionImage)
	if err != nil {
		return nil, Items{}, err
	}
	images, captions := len(own), len(captionImage)
	trueCaptions, trueImages, ownImages := make([][]int, images), make([][]int, captions), make([][]int, captions)
	for t, image := range captionImage {
		ownImages[t] = []int{image}
		for i := range images {
			if holds, known := relation.Holds(i, t); i == image || holds && known {
				trueCaptions[i], trueImages[t] = append(trueCaptions[i], t), append(trueImages[t], i)
			}
		}
	}
	r := Result{}
	ofTrue := func(d direction, scores Rows, right, own [][]int) map[Metric][]int {
		q, among, amongFalse := newRanker(scores), make([][]int, len(right)), make([][]int, len(right))
		for k := range right {
			row := scores.Row(k)
			among[k], amongFalse[k] = q.of(trueView, row, right[k]), []int{bestRank(row, own[k], right[k])}
		}
		lists := trueView.add(r, d, among)
		maps.Copy(lists, falseView.add(r, d, amongFalse))
		return lists
	}
	return r, items(own, ofTrue(0, i2t, trueCaptions, own), ofTrue(1, t2i, trueImages, ownImages)), nil
}
