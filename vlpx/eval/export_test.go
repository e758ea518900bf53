package eval

import (
	"context"
	"maps"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/objective"
)

// MeasuredBy is what [Retrieval] measures by scores, with the single queries' items.
func MeasuredBy(i2t, t2i Scores, captionImage []int, relation datasets.Relation) (Result, Items, error) {
	result, own, err := recall(i2t, t2i, captionImage)
	if err != nil {
		return nil, Items{}, err
	}
	more, known, err := trueRecall(i2t, t2i, captionImage, relation)
	if err != nil {
		return nil, Items{}, err
	}
	maps.Copy(result, more)
	return result, own.with("", known), nil
}

// Whole are all scores that are read a row at a time.
func Whole(of Rows) Scores {
	s := NewScores(of.Shape())
	for i := range s.Rows {
		copy(s.Row(i), of.Row(i))
	}
	return s
}

// ScoresOf are those of all pairs of a subject, with the image of each caption.
func ScoresOf(ctx context.Context, on Subject) (Scores, []int, error) { return on.scores(ctx) }

// FoldRecall is for folds smaller than COCO's.
var FoldRecall = foldRecall

// Fit is what [LinearEvaluation] learns of all images, and the mean cross entropy there, with its gradient.
func Fit(ctx context.Context, l LinearEvaluation, features []float32, class []int, classes, epochs int) (weights []float64, err error) {
	of := seen{features, len(features) / len(class), class, make([]string, classes)}
	s, err := l.fit(ctx, of, l.taken(of, 1), epochs)
	if err != nil {
		return nil, err
	}
	return s.weights.Data, nil
}

// CrossEntropy is the mean over labelled representations by weights [width+1, classes], with its gradient.
func CrossEntropy(weights []float64, features []float32, class []int, classes int) (loss float64, gradient []float64) {
	of := seen{features, len(features) / len(class), class, make([]string, classes)}
	s := newSoftmax(of.width, classes)
	copy(s.weights.Data, weights)
	loss = s.backward(rowsOf(of))
	return loss, s.gradient.Data
}

// Taken are the images of a share of training images of such classes.
func Taken(l LinearEvaluation, class []int, classes int, share float64) []int {
	return l.taken(seen{nil, 0, class, make([]string, classes)}, share)
}

// Penalised is the objective of logistic regression at C, with its gradient.
func Penalised(weights []float64, features []float32, class []int, classes int, c float64) (loss float64, gradient []float64) {
	l := newLogistic(seen{features, len(features) / len(class), class, make([]string, classes)})
	loss = l.objective(weights, c)
	return loss, l.gradient.Data
}

// Regression is the logistic regression at each C, one going on from the other.
func Regression(ctx context.Context, features []float32, class []int, classes int, cs ...float64) (weights []float64, err error) {
	l := newLogistic(seen{features, len(features) / len(class), class, make([]string, classes)})
	for _, c := range cs {
		if err := l.fit(ctx, c); err != nil {
			return nil, err
		}
	}
	return l.weights.Data, nil
}

// Standardised are representations by the standards of some.
func Standardised(by, features []float32, width int) []float32 {
	of := func(features []float32) seen { return seen{features, width, make([]int, len(features)/width), nil} }
	return standardsOf(of(by)).of(of(features)).features
}

// Penalty is the value of C at a place.
func Penalty(k int) float64 { return penalty(k) }

// Transferred are the answers to test images by what is learned of labelled ones.
func Transferred(ctx context.Context, width, classes int, training, validation, test []float32, class, validationClass []int) ([]int,
	error) {
	of := func(features []float32, class []int) seen {
		return seen{features, width, class, make([]string, classes)}
	}
	return transferred(ctx, of(training, class), of(validation, validationClass), of(test, make([]int, len(test)/width)))
}

// Quantile is that of numbers, by selection.
var Quantile = quantile

// Sampled are the anchors and the others of [Thresholds] among n samples, with other bounds.
func Sampled(t Thresholds, n, anchors, others int) (some, among []int) {
	return t.sampled(n, anchors, others)
}

// Refilled are the sentences that [Writing] writes of a caption of image i from logits of its drafts, and whether they pass its filter.
func Refilled(on Subject, refills, i int, ids []int32, drafts []objective.MaskedPhrases, logits []float32, uniforms []float64,
	temperature float64) (
	sentences [][]int32, passed []bool) {
	s := &scribe{Writing: Writing{Refills: refills}, Subject: on}
	var all []draft
	for _, d := range drafts {
		all = append(all, draft{MaskedPhrases: d})
	}
	candidates := s.refill(ids, all, logits, uniforms, temperature)
	s.filter(datasets.Pair{Image: i}, ids, candidates)
	for _, c := range candidates {
		sentences, passed = append(sentences, c.ids), append(passed, c.passed)
	}
	return sentences, passed
}

// Judgements are the accuracy and the consistency of verdicts.
var Judgements = judgements

// ByFacts are the pairs of [Complexity] by their metric.
var ByFacts = byFacts

// Hardest are the candidates of mining.
var Hardest = hardest

// AddMeasures adds two metrics until a test ends, an entry each: R@50, and of own captions the mean reciprocal rank.
func AddMeasures(t interface{ Cleanup(func()) }) {
	some, others := cutoffs, ownView.others
	t.Cleanup(func() {
		cutoffs, ownView.others = some, others
		forgetInfos()
	})
	cutoffs = append(slices.Clone(some), 50)
	ownView.others = append(slices.Clone(others), measure{name: " MRR", column: "MRR", unit: "%",
		what: [2]string{"mean over images", "mean over captions"}, best: func(rank int) float64 { return 1 / float64(rank) }})
	forgetInfos()
}

// Ten are the images that TenLabels takes.
var Ten = ten
