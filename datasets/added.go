package datasets

import "fmt"

// Added returns a set in which images have further captions behind their own: those of other pairs of the set, as new positive pairs that a
// model has mined, or pairs that are seen once more (MAFA, appendix G.8). The relation says of a further caption what it says of it where
// it comes from; what else is known of the images is carried over.
//
//   - further: of each image the pairs, as [Pairs] of the set counts them, whose captions it gets, in their order.
func Added(s Set, further [][]int) (Set, error) {
	if len(further) != s.Len() {
		return nil, fmt.Errorf("datasets: %s: further captions of %d images, but there are %d", s.Name(), len(further), s.Len())
	}
	a, pairs, next := added{s, make([][]string, s.Len())}, Pairs(s), 0
	var origin []int
	for i, more := range further {
		own := PairsOf(s, i)
		if len(s.Captions(i)) > 0 || len(more) == 0 { // else the pair without a caption gives its place to those with one
			for p := range own {
				origin = append(origin, next+p)
			}
		}
		next += own
		a.captions[i] = s.Captions(i)
		for k, p := range more {
			if p < 0 || p >= len(pairs) || pairs[p].Caption == NoCaption {
				return nil, fmt.Errorf("datasets: %s: image %d: the caption of pair %d of %d; there is no such", s.Name(), i, p, len(pairs))
			}
			if k == 0 {
				a.captions[i] = append([]string(nil), a.captions[i]...)
			}
			a.captions[i] = append(a.captions[i], pairs[p].Text(s))
		}
		origin = append(origin, more...)
	}
	if related, ok := s.(Related); ok {
		return carry(a, movedRelated{related, origin}, s), nil
	}
	return carry(a, nil, s), nil
}

// added has the images of a set with more captions.
type added struct {
	Set
	captions [][]string // [images][captions]
}

// Captions lists the captions of image i, its own first.
func (a added) Captions(i int) []string { return a.captions[i] }

func (a added) whole() Set { return a.Set }

// Shards are the set's.
func (a added) Shards() []int { return shards(a.Set) }
