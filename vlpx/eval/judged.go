package eval

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/random"
)

// Judged are pairs of an image with a caption that was written for another image, of which it is known whether the caption is
// true: what people judged (Flickr8k), or what an exact relation tells (scenes). They are what a discriminator such as Con-D
// (MAFA, section 4.1) is to tell apart. The lists may be samples, all pairs of a list equally likely.
type Judged struct {
	True, False []ImageText
	// AllTrue and AllFalse count the set's known pairs of either kind.
	AllTrue, AllFalse int
}

// judgedMetrics are those of [Judged].
func judgedMetrics() []Info {
	const group = "Judged pairs"
	return []Info{
		{JudgedAUC, group, "AUC", "%", false, "couples of a true and a false pair, with captions of other images, scored in the right order"},
		{JudgedRecall5, group, "recall at .5", "%", false, "true pairs that image-text matching gives a probability of at least .5"},
		{JudgedRecall8, group, "recall at .8", "%", false, "true pairs that image-text matching gives a probability of at least .8"},
		{JudgedPrecision5, group, "precision at .5", "%", false, "true pairs among those of a probability of at least .5"},
		{JudgedPrecision8, group, "precision at .8", "%", false, "true pairs among those of a probability of at least .8"},
	}
}

const (
	// judgedEach is the number of pairs of either kind that are scored at most. It takes every true one of Flickr8k's test images
	// (2,266 of 50,601 judged pairs), and an AUC of that many of each kind is within about .4 % (a standard error) of that of all.
	judgedEach = 10_000
	// judgedSeed draws them: the same ones for all methods and seeds.
	judgedSeed = 1
)

// SampleJudged takes at most each true and each false pairs, at random but the same at every call. captionImage is the image of
// each caption, [captions], as for [Recall]; caption t is pair t of datasets.Pairs.
func SampleJudged(images int, captionImage []int, relation datasets.Relation, each int) Judged {
	var j Judged
	draw := random.Stream(judgedSeed, "judged pairs")
	for i := range images {
		for t, own := range captionImage {
			if own == i {
				continue
			}
			switch holds, known := relation.Holds(i, t); {
			case !known:
			case holds:
				j.AllTrue++
				j.True = keep(j.True, ImageText{i, t}, j.AllTrue, each, draw)
			default:
				j.AllFalse++
				j.False = keep(j.False, ImageText{i, t}, j.AllFalse, each, draw)
			}
		}
	}
	return j
}

// keep puts the seen-th pair of a kind among the most that are kept, or leaves it out, so that all seen so far are equally
// likely to be kept (Vitter's algorithm R).
func keep(kept []ImageText, p ImageText, seen, most int, draw *rand.Rand) []ImageText {
	if len(kept) < most {
		return append(kept, p)
	}
	if at := draw.IntN(seen); at < most {
		kept[at] = p
	}
	return kept
}

// AUC returns the area under the ROC curve of the scores of true and of false pairs: the share, of all couples of one and the
// other, in which the true pair has the higher score; equal scores count half. Neither may be empty or hold NaN.
func AUC(ofTrue, ofFalse []float64) float64 {
	ofFalse = slices.Sorted(slices.Values(ofFalse))
	halves := 0
	for _, s := range ofTrue {
		lower := sort.SearchFloat64s(ofFalse, s)
		notHigher := sort.Search(len(ofFalse), func(k int) bool { return ofFalse[k] > s })
		halves += lower + notHigher
	}
	return float64(halves) / float64(2*len(ofTrue)*len(ofFalse))
}

// Cosine measures how the cosine ranks the judged pairs: AUC, in per cent. Without pairs of both kinds it measures nothing.
//
//   - sims: cosine similarities [images, captions].
func (j Judged) Cosine(sims Rows) Result {
	if len(j.True) == 0 || len(j.False) == 0 {
		return Result{}
	}
	return Result{JudgedAUC: 100 * AUC(scoresOf(sims, j.True), scoresOf(sims, j.False))}
}

// Matching measures ITM as a discriminator of the judged pairs, in per cent: AUC, and recall and precision of "matched" at two
// thresholds of its probability, its own .5 and MAFA's .8.
//
//   - probability: of "matched", of the pairs in their order. It is called once, with all true pairs and then all false ones.
//
// Precision is that among all known pairs: either kind weighs as many as its sample stands for. It is absent where no pair
// reaches the threshold. Without pairs of both kinds nothing is measured. A probability that is NaN is an error.
func (j Judged) Matching(probability func(pairs []ImageText) ([]float64, error)) (Result, error) {
	if len(j.True) == 0 || len(j.False) == 0 {
		return Result{}, nil
	}
	all, err := probability(slices.Concat(j.True, j.False))
	if err != nil {
		return nil, fmt.Errorf("eval: judged pairs: %w", err)
	}
	if want := len(j.True) + len(j.False); len(all) != want {
		return nil, fmt.Errorf("eval: judged pairs: %d probabilities for %d pairs", len(all), want)
	}
	if slices.ContainsFunc(all, math.IsNaN) {
		return nil, errors.New("eval: judged pairs: a probability is NaN; the model that gave it has diverged")
	}
	ofTrue, ofFalse := all[:len(j.True)], all[len(j.True):]
	r := Result{JudgedAUC: 100 * AUC(ofTrue, ofFalse)}
	for _, at := range []struct {
		threshold         float64
		recall, precision Metric
	}{{.5, JudgedRecall5, JudgedPrecision5}, {.8, JudgedRecall8, JudgedPrecision8}} {
		hit, alarm := reach(ofTrue, at.threshold), reach(ofFalse, at.threshold)
		r[at.recall] = 100 * hit
		hits, alarms := hit*float64(j.AllTrue), alarm*float64(j.AllFalse)
		if hits+alarms > 0 {
			r[at.precision] = 100 * hits / (hits + alarms)
		}
	}
	return r, nil
}

// reach is the share of the scores that are at least the threshold.
func reach(scores []float64, threshold float64) float64 {
	n := 0
	for _, s := range scores {
		if s >= threshold {
			n++
		}
	}
	return float64(n) / float64(len(scores))
}
