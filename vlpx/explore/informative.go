package explore

import (
	"cmp"
	"fmt"
	"slices"

	"vlpx.internal/plots"
)

// Informative are the n anchors, pairs, whose k most similar negatives show best what can be told apart: those with the most of both
// kinds, true pairs and pairs known to be none, counted by the scarcer kind; of equals those with more true pairs, then the lower
// pair. Among an anchor's negatives captions of the same words count once; no two anchors are of one image. It fails where nothing
// is known of other images' captions.
func (x *Explorer) Informative(side Side, k, n int) ([]int, error) {
	if x.relation == nil {
		return nil, fmt.Errorf("explore: %s has no relation, so that no anchor has known false negatives; choose an anchor, or "+
			"another split",
			x.set.Name())
	}
	counts := map[int]tally{}
	var anchors []int
	for pair, of := range x.pairs {
		if side == OfImage && of.Caption > 0 {
			continue // the same anchor
		}
		counts[pair] = x.count(pair, side, nearest(x.cosines(pair, side), k))
		anchors = append(anchors, pair)
	}
	slices.SortStableFunc(anchors, func(a, b int) int { return counts[b].compare(counts[a]) })
	shown := map[int]bool{}
	anchors = slices.DeleteFunc(anchors, func(pair int) bool {
		image := x.pairs[pair].Image
		again := shown[image]
		shown[image] = true
		return again
	})
	return anchors[:min(n, len(anchors))], nil
}

// tally counts negatives whose truth is known.
type tally struct{ trues, falses int }

func (k tally) compare(other tally) int {
	return cmp.Or(cmp.Compare(min(k.trues, k.falses), min(other.trues, other.falses)), cmp.Compare(k.trues, other.trues))
}

// count counts the candidates of an anchor that differ.
func (x *Explorer) count(anchor int, side Side, candidates []int) (k tally) {
	seen := map[string]bool{}
	for _, candidate := range candidates {
		pair := x.pairOf(candidate, side)
		if words := x.pairs[pair].Text(x.set); side == OfImage {
			if seen[words] {
				continue
			}
			seen[words] = true
		}
		switch x.verdict(x.meeting(anchor, pair, side)) {
		case plots.TruePair:
			k.trues++
		case plots.FalsePair:
			k.falses++
		}
	}
	return k
}

// verdict reports whether a caption, a pair, is true of an image: by the exact relation or by people; Unmarked where nobody knows.
func (x *Explorer) verdict(image, caption int) plots.Mark {
	if x.relation == nil {
		return plots.Unmarked
	}
	switch holds, known := x.relation.Holds(image, caption); {
	case !known:
		return plots.Unmarked
	case holds:
		return plots.TruePair
	}
	return plots.FalsePair
}
