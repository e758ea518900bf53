package explore

import (
	"context"
	"fmt"
	"image"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/negative"
)

// View is an anchor with its most similar negatives and what each method would do with them.
type View struct {
	Run, Set string // the explored model and its data
	Side     Side
	Anchor   Neighbour   // with its own pair; its Rank is 0
	Nearest  []Neighbour // negatives, most similar first
	Methods  []string
	Batch    int     // pairs of the mini-batch that the methods were asked about
	Explored int     // pairs among which the negatives are the most similar
	Whole    int     // pairs of the split
	Progress float64 // epochs done that the methods were told
	Matches  bool    // the explored model has learned ITM, for which methods pick negatives
	Trues    int     // true pairs among the negatives shown
	// Unreadable names explored images that cannot be decoded and take part as the mean colour.
	Unreadable []string
}

// Neighbour is one candidate for the anchor.
type Neighbour struct {
	Pair    int    // the caption's, or the first of the image's
	Key     string // of the image
	Caption string // the candidate, or the first one of the candidate image
	Image   image.Image
	Rank    int // 1 for the most similar negative
	Cosine  float64
	// Quantile of the cosine among the anchor's negatives, FALCON's measure of hardness: 1 for the most similar, 0 for the least.
	Quantile float64
	// Verdict reports whether caption and image are a true pair, by the exact relation or by people; Unmarked where nobody knows.
	Verdict    plots.Mark
	Treatments []Treatment // one a method; of the anchor's own only Push means something
}

// Negatives asks methods about the k most similar negatives of an anchor, a pair of which one side is the anchor. k is at least 1
// and below the run's batch size. The other captions of the anchor's image are its positives: they are neither shown nor in the
// mini-batch.
//
// Each method is asked about the same mini-batch of the run's batch size, the anchor's pair and its most similar negatives, so that
// k only says how many are shown. A negative image takes part with its first caption. ALBEF's queue is left out: its candidates
// would take from the shares of all negatives alike. Any other state that a contrast keeps is that of a run's first step.
func (x *Explorer) Negatives(ctx context.Context, anchor int, side Side, k int, methods []negative.Method) (View, error) {
	switch {
	case !x.Embeds():
		return View{}, fmt.Errorf("explore: %s makes no embeddings, by which negatives are near; look at the sentences that it writes",
			x.config.Framework.Name())
	case anchor < 0 || anchor >= len(x.pairs):
		return View{}, fmt.Errorf("explore: anchor %d; the explored pairs are 0 to %d", anchor, len(x.pairs)-1)
	case k < 1 || k >= x.batch:
		return View{}, fmt.Errorf("explore: %d negatives; 1 to %d share a mini-batch with the anchor", k, x.batch-1)
	}
	cosines := x.cosines(anchor, side)
	candidates := nearest(cosines, x.batch-1)
	v := View{
		Run: x.name, Set: x.set.Name(), Side: side, Batch: x.batch, Explored: len(x.pairs), Whole: x.whole, Progress: x.Progress,
		Matches: x.Matches(), Unreadable: x.unreadable,
	}
	batch := []int{anchor}
	for _, c := range candidates {
		batch = append(batch, x.pairOf(c, side))
	}
	negatives := len(cosines) - len(x.positives(x.pairs[anchor].Image, side))
	for place, p := range batch[:k+1] {
		n := Neighbour{Pair: p, Key: x.set.Key(x.pairs[p].Image), Caption: x.pairs[p].Text(x.set), Rank: place}
		n.Verdict = x.verdict(x.meeting(anchor, p, side))
		var err error
		if n.Image, err = x.picture(ctx, x.pairs[p].Image); err != nil {
			return View{}, err
		}
		if place == 0 {
			n.Cosine = x.ownCosine(anchor)
			v.Anchor = n
			continue
		}
		n.Cosine, n.Quantile = float64(cosines[candidates[place-1]]), quantile(place, negatives)
		if n.Verdict == plots.TruePair {
			v.Trues++
		}
		v.Nearest = append(v.Nearest, n)
	}
	for _, m := range methods {
		m = m.WithDefaults()
		m.Contrast = negative.Unqueued(m.Contrast)
		treatments, err := x.ask(ctx, m, batch, side)
		if err != nil {
			return View{}, err
		}
		v.Methods = append(v.Methods, m.Name)
		v.Anchor.Treatments = append(v.Anchor.Treatments, treatments[0])
		for i := range v.Nearest {
			n := &v.Nearest[i]
			t := treatments[i+1]
			image, caption := x.meeting(anchor, n.Pair, side)
			if t.Meet, err = x.meet(m, image, caption); err != nil {
				return View{}, err
			}
			n.Treatments = append(n.Treatments, t)
		}
	}
	return v, nil
}

// quantile of the negative of a rank among so many, by FALCON's rule (METHODS.md 14.3).
func quantile(rank, negatives int) float64 {
	if negatives == 1 {
		return 1
	}
	return 1 - float64(rank-1)/float64(negatives-1)
}

func (x *Explorer) ownCosine(pair int) float64 {
	image, text := x.features([]int{pair})
	sum := 0.0
	for d := range image {
		sum += float64(image[d]) * float64(text[d])
	}
	return sum
}
