package eval

import (
	"slices"

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
	trueCaptions, trueImages := make([][]int32, images), make([][]int32, captions)
	for t := range captions {
		for i := range images {
			holds, known := relation.Holds(i, t)
			if captionImage[t] == i || holds && known {
				trueCaptions[i], trueImages[t] = append(trueCaptions[i], int32(t)), append(trueImages[t], int32(i))
			}
		}
	}

	q, text := ranker{isRight: make([]bool, captions)}, make([]standing, images)
	for i := range text {
		text[i] = q.stand(i2t.Row(i), trueCaptions[i], own[i])
	}
	q, image := ranker{isRight: make([]bool, images)}, make([]standing, captions)
	for t := range image {
		image[t] = q.stand(t2i.Row(t), trueImages[t], []int{captionImage[t]})
	}
	r := Result{}
	ofText := r.standings(text, TR1True, TR5True, TR10True, TRMAP, TR1False, TRRank)
	ofImage := r.standings(image, IR1True, IR5True, IR10True, IRMAP, IR1False, IRRank)
	return r, items(own, ofText, ofImage), nil
}

// standing is how the true candidates of one query rank.
type standing struct {
	best      int     // rank of the best true candidate, from 1
	own       int     // rank of the best own candidate among the candidates that are not true, from 1
	precision float64 // average precision over the true candidates
}

// ranker ranks the candidates of one query after another, reusing its memory.
type ranker struct {
	isRight []bool    // of each candidate, all false between queries
	right   []float64 // scores of the true candidates, descending
	ahead   []int     // wrong candidates that first reach a true one, by its place in right
}

// stand ranks the true candidates of a query, and its own ones among those that are not true.
func (q *ranker) stand(scores []float64, right []int32, own []int) standing {
	ranks := q.ranks(scores, right)
	bestOwn := scores[own[0]]
	for _, c := range own {
		bestOwn = max(bestOwn, scores[c])
	}
	st := standing{best: ranks[0]}
	for k, rank := range ranks {
		st.precision += float64(k+1) / float64(rank) / float64(len(ranks))
		if q.right[k] == bestOwn {
			st.own = rank - k
		}
	}
	return st
}

// ranks are those of the right candidates, from 1 and ascending: each stands behind the better right ones and all wrong ones that score as
// high, which are counted in one pass.
func (q *ranker) ranks(scores []float64, right []int32) []int {
	q.right = q.right[:0]
	for _, c := range right {
		q.right, q.isRight[c] = append(q.right, scores[c]), true
	}
	slices.Sort(q.right)
	slices.Reverse(q.right)
	q.ahead = append(q.ahead[:0], make([]int, len(q.right))...)
	lowest := q.right[len(q.right)-1]
	for c, s := range scores {
		if !q.isRight[c] && s >= lowest {
			q.ahead[q.place(s)]++
		}
	}
	for _, c := range right {
		q.isRight[c] = false
	}
	ranks, wrong := make([]int, len(q.right)), 0
	for k := range ranks {
		wrong += q.ahead[k]
		ranks[k] = k + 1 + wrong
	}
	return ranks
}

// place is the first right candidate, in descending order, that score s reaches.
func (q *ranker) place(s float64) int {
	low, high := 0, len(q.right)
	for low < high {
		if mid := (low + high) / 2; q.right[mid] > s {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// standings adds the metrics of the queries of one direction, and returns the queries' own numbers, as [Items] has them.
func (r Result) standings(of []standing, at1, at5, at10, meanPrecision, againstFalse, rank Metric) map[Metric][]int {
	best, own, rounded := make([]int, len(of)), make([]int, len(of)), make([]int, len(of))
	var precision float64
	first := 0
	for i, st := range of {
		best[i], own[i], rounded[i] = st.best, st.own, inMillionths(st.precision)
		precision += st.precision
		if st.own == 1 {
			first++
		}
	}
	r.recalls(best, at1, at5, at10)
	r[meanPrecision] = 100 * precision / float64(len(of))
	r[againstFalse] = 100 * float64(first) / float64(len(of))
	return map[Metric][]int{rank + rankTrue: best, rank + rankFalse: own, meanPrecision: rounded}
}
