package datasets

import (
	"fmt"
	"math/rand/v2"

	"vlpx.internal/vlpx/random"
)

// Noisy returns a set in which a share of the captions, drawn by named streams under seed, is replaced by captions of other
// images of the same set, as captions from the web are (FALCON, section 4.1 and table 2). Every image keeps its number of
// captions, an image without any stays so, and a larger share replaces what a smaller one does, by the same captions, and more.
//
// A replacement is a caption of the clean set: of another image, all equally likely, one of its captions. The relation stays
// that between images and texts, so a replaced pair is true of its own image only where the clean relation says so. Classes are the
// images' and stay.
//
// A share of 0 gives s itself. A share outside [0, 1] is an error, and so is one above 0 of fewer than two images with captions.
func Noisy(s Set, share float64, seed uint64) (Set, error) {
	switch {
	case !(share >= 0 && share <= 1):
		return nil, fmt.Errorf("datasets: %s: caption noise of %v; use a share from 0 to 1", s.Name(), share)
	case share == 0:
		return s, nil
	}
	first := make([]int, s.Len()) // index of each image's first pair
	var captioned []int           // images
	for i := range s.Len() {
		if i > 0 {
			first[i] = first[i-1] + PairsOf(s, i-1)
		}
		if len(s.Captions(i)) > 0 {
			captioned = append(captioned, i)
		}
	}
	if len(captioned) < 2 {
		return nil, fmt.Errorf("datasets: %s: caption noise of %v with %d images that have captions; other images' captions need two",
			s.Name(), share, len(captioned))
	}
	n := noisy{Set: s, captions: make([][]string, s.Len())}
	origin := make([]int, first[s.Len()-1]+PairsOf(s, s.Len()-1))
	for p := range origin {
		origin[p] = p
	}
	for place, i := range captioned {
		n.captions[i] = make([]string, len(s.Captions(i)))
		for c := range n.captions[i] {
			from := Pair{i, c}
			if r := random.Stream(seed, "caption noise", i, c); r.Float64() < share {
				from = elsewhere(s, captioned, place, r)
			}
			n.captions[i][c] = from.Text(s)
			origin[first[i]+c] = first[from.Image] + from.Caption
		}
	}
	if related, ok := s.(Related); ok {
		return carry(n, movedRelated{related, origin}, s), nil
	}
	return carry(n, nil, s), nil
}

// elsewhere draws a pair of one of the images other than that at a place.
func elsewhere(s Set, images []int, place int, r *rand.Rand) Pair {
	other := images[(place+1+r.IntN(len(images)-1))%len(images)]
	return Pair{other, r.IntN(len(s.Captions(other)))}
}

// noisy has the images of a set with other captions.
type noisy struct {
	Set
	captions [][]string // [images][captions]
}

// Captions lists the captions of image i, some of them another image's.
func (n noisy) Captions(i int) []string { return n.captions[i] }

func (n noisy) whole() Set { return n.Set }

// Shards are the set's.
func (n noisy) Shards() []int { return shards(n.Set) }

// movedRelated is the relation of a view whose captions are those of other pairs of a set.
type movedRelated struct {
	of     Related
	origin []int // the set's pair that each pair's caption is from, [pairs]
}

// Relation is what the set's relation says of each caption where it comes from.
func (m movedRelated) Relation() Relation { return movedRelation{m.of.Relation(), m.origin} }

type movedRelation struct {
	of     Relation
	origin []int
}

// Holds implements Relation.
func (m movedRelation) Holds(i, p int) (holds, known bool) { return m.of.Holds(i, m.origin[p]) }
