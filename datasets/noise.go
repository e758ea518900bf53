package datasets

import (
	"fmt"
	"math/rand/v2"

	"vlpx.internal/vlpx/random"
)

// Noisy returns a set in which a share of the captions, drawn by named streams under seed, is replaced by captions of other
// images of the same set, as captions from the web are (FALCON, section 4.1 and table 2). Every image keeps its number of
// captions, and a larger share replaces what a smaller one does, by the same captions, and more.
//
// A replacement is a caption of the clean set: of another image, all equally likely, one of its captions. The relation stays
// that between images and texts, so a replaced pair is true of its own image only where the clean relation says so.
//
// A share of 0 gives s itself. A share outside [0, 1] is an error, and so is one above 0 of fewer than two images.
func Noisy(s Set, share float64, seed uint64) (Set, error) {
	switch {
	case !(share >= 0 && share <= 1):
		return nil, fmt.Errorf("datasets: %s: caption noise of %v; use a share from 0 to 1", s.Name(), share)
	case share == 0:
		return s, nil
	case s.Len() < 2:
		return nil, fmt.Errorf("datasets: %s: caption noise of %v with %d images; other images' captions need two",
			s.Name(), share, s.Len())
	}
	first := make([]int, s.Len()) // index of each image's first pair
	for i := 1; i < s.Len(); i++ {
		first[i] = first[i-1] + len(s.Captions(i-1))
	}
	n := noisy{Set: s, captions: make([][]string, s.Len())}
	var origin []int
	for i := range n.captions {
		n.captions[i] = make([]string, len(s.Captions(i)))
		for c := range n.captions[i] {
			from := Pair{i, c}
			if r := random.Stream(seed, "caption noise", i, c); r.Float64() < share {
				from = elsewhere(s, i, r)
			}
			n.captions[i][c] = from.Text(s)
			origin = append(origin, first[from.Image]+from.Caption)
		}
	}
	if related, ok := s.(Related); ok {
		return noisyRelated{n, related, origin}, nil
	}
	return n, nil
}

// elsewhere draws a pair of an image other than i.
func elsewhere(s Set, i int, r *rand.Rand) Pair {
	other := (i + 1 + r.IntN(s.Len()-1)) % s.Len()
	return Pair{other, r.IntN(len(s.Captions(other)))}
}

// noisy has the images of a set with other captions.
type noisy struct {
	Set
	captions [][]string // [images][captions]
}

// Captions lists the captions of image i, some of them another image's.
func (n noisy) Captions(i int) []string { return n.captions[i] }

// noisyRelated is a noisy set of which the relation is known.
type noisyRelated struct {
	noisy
	clean  Related
	origin []int // the clean set's pair that each pair's caption is from, [pairs]
}

// Relation is what the clean set's relation says of each caption where it comes from.
func (n noisyRelated) Relation() Relation { return noisyRelation{n.clean.Relation(), n.origin} }

type noisyRelation struct {
	clean  Relation
	origin []int
}

// Holds implements Relation.
func (n noisyRelation) Holds(i, p int) (holds, known bool) { return n.clean.Holds(i, n.origin[p]) }
