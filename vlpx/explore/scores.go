package explore

import (
	"cmp"
	"context"
	"fmt"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// scores are what the judge of a method's Positives says of the pairs of a mini-batch, [batch, batch], images in rows; zeros
// without Positives. The relation, if it is the judge, knows all of them: truth. Con-D, for which the explored model's own matching stands
// in, is asked about the anchor, pair 0, alone: others' new positives do not reach the anchor's cosines.
func (x *Explorer) scores(ctx context.Context, m negative.Method, batch []int, side Side, truth []float32) ([]float32, error) {
	n := len(batch)
	scores := make([]float32, n*n)
	switch {
	case m.Positives == nil:
	case m.Positives.Judge() == negative.Oracle:
		return truth, nil
	default:
		judged, err := x.match(ctx, batch, side)
		if err != nil {
			return nil, fmt.Errorf("explore: %s: the explored model as its Con-D: %w", m.Name, err)
		}
		for j, p := range judged {
			if side == OfText {
				scores[j*n] = p
			} else {
				scores[j] = p
			}
		}
	}
	return scores, nil
}

// truth is 1 where a mini-batch's image of a row and caption of a column are a true pair, else 0, [batch, batch]; zeros for a method that
// does not ask.
func (x *Explorer) truth(m negative.Method, batch []int) ([]float32, error) {
	n := len(batch)
	truth := make([]float32, n*n)
	if !m.NeedsRelation() {
		return truth, nil
	}
	if x.relation == nil {
		return nil, fmt.Errorf("explore: %s asks the relation, and %s has none; let Con-D judge, or find the negatives to leave out "+
			"otherwise",
			m.Name, x.set.Name())
	}
	for i, image := range batch {
		for j, caption := range batch {
			if x.verdict(x.pairs[image].Image, caption) == plots.TruePair {
				truth[i*n+j] = 1
			}
		}
	}
	return truth, nil
}

// Matches reports whether the explored model has learned to match: without, no negative is picked for it, and none is judged by it.
func (x *Explorer) Matches() bool {
	_, matches := x.config.Framework.Framework.(framework.Matches)
	return matches && x.config.Objectives.Has(negative.ITM)
}

// match is ITM's probability that the anchor, pair 0 of a mini-batch, and each pair's other side match, [batch].
func (x *Explorer) match(ctx context.Context, batch []int, side Side) ([]float32, error) {
	if !x.Matches() {
		return nil, fmt.Errorf("it is %s trained by %s, without ITM; explore a run with ITM", x.config.Framework.Name(),
			cmp.Or(x.config.Objectives, negative.Of(x.config.Framework.Losses()...)))
	}
	images := make([]int, len(batch))
	for i, p := range batch {
		images[i] = x.pairs[p].Image
	}
	image, err := x.encodeImages(ctx, images)
	if err != nil {
		return nil, err
	}
	ids := x.ids(batch)
	text, err := x.inference.Texts(ids)
	if err != nil {
		return nil, err
	}
	if side == OfText {
		repeatFirst(text.States, len(batch))
		repeatFirst(ids, len(batch))
	} else {
		repeatFirst(image.States, len(batch))
	}
	return x.inference.Probabilities(text.States, ids, image.States)
}

// repeatFirst makes all of n rows the first.
func repeatFirst[T any](rows []T, n int) {
	width := len(rows) / n
	for at := width; at < len(rows); at += width {
		copy(rows[at:at+width], rows[:width])
	}
}
