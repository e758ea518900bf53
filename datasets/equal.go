package datasets

import (
	"maps"
	"strings"
	"unicode/utf8"

	"vlpx.internal/datasets/text"
)

// WithEqualCaptions is a set with the relation that its captions tell by themselves: a caption is true of its own image, and of each image
// that has an equal one, as [text.Clean] prepares both. Nothing is known of other pairs. A set whose relation is known is returned as it
// is, and so is one in which no caption is equal to another image's.
func WithEqualCaptions(s Set) Set {
	if _, known := s.(Related); known {
		return s
	}
	shared := sharedTexts(s)
	if len(shared) == 0 {
		return s
	}
	r := equalCaptions{images: map[int]map[int]bool{}}
	for p, pair := range Pairs(s) {
		r.own = append(r.own, pair.Image)
		if of := shared[text.Clean(pair.Text(s), 0)]; of != nil {
			r.images[p] = of
		}
	}
	return carry(equalling{s}, equalRelated{r}, s)
}

// sharedTexts are the texts of captions that different images have, with these images. Of all others only a hash is kept, since a set may
// have millions.
func sharedTexts(s Set) map[string]map[int]bool {
	first, again := map[uint64]int32{}, map[uint64]bool{} // the first image of a hash; whether another one has it
	for i := range s.Len() {
		for _, caption := range s.Captions(i) {
			hash := looseHash(caption)
			if image, seen := first[hash]; !seen {
				first[hash] = int32(i)
			} else if image != int32(i) {
				again[hash] = true
			}
		}
	}
	if len(again) == 0 {
		return nil
	}
	shared := map[string]map[int]bool{}
	for i := range s.Len() {
		for _, caption := range s.Captions(i) {
			clean := ""
			if again[looseHash(caption)] {
				clean = text.Clean(caption, 0)
			}
			if clean == "" {
				continue
			}
			if shared[clean] == nil {
				shared[clean] = map[int]bool{}
			}
			shared[clean][i] = true
		}
	}
	maps.DeleteFunc(shared, func(_ string, images map[int]bool) bool { return len(images) == 1 })
	return shared
}

// looseHash is FNV-1a of a caption's letters and digits, of ASCII alone: captions that [text.Clean] makes equal have the same.
func looseHash(caption string) uint64 {
	if strings.ContainsFunc(caption, func(r rune) bool { return r >= utf8.RuneSelf }) {
		caption = text.Clean(caption, 0) // lower case may be ASCII, as of the sign for Kelvin
	}
	hash := uint64(14695981039346656037)
	for _, c := range []byte(caption) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			hash = (hash ^ uint64(c)) * 1099511628211
		}
	}
	return hash
}

// equalling has the images and captions of a set.
type equalling struct{ Set }

func (e equalling) whole() Set { return e.Set }

// Shards are the set's.
func (e equalling) Shards() []int { return shards(e.Set) }

type equalRelated struct{ relation equalCaptions }

// Relation is what equal captions tell.
func (e equalRelated) Relation() Relation { return e.relation }

// equalCaptions is the relation by equal captions.
type equalCaptions struct {
	own    []int                // image of each pair
	images map[int]map[int]bool // those that have the caption of a pair, of pairs whose caption several have
}

// Holds implements Relation.
func (r equalCaptions) Holds(i, p int) (holds, known bool) {
	holds = r.own[p] == i || r.images[p][i]
	return holds, holds
}

// ByEqualCaptions tells whether equal captions are all that a relation is known by (see [WithEqualCaptions]).
func ByEqualCaptions(r Relation) bool {
	switch r := r.(type) {
	case equalCaptions:
		return true
	case movedRelation:
		return ByEqualCaptions(r.of)
	}
	return false
}

// Counted is the relation by which false negatives are counted and left out. By equal captions nothing is known to be false: there every
// other pair counts as false, so that a share of false negatives is the least that there are.
func Counted(r Relation) Relation {
	if ByEqualCaptions(r) {
		return closed{r}
	}
	return r
}

// closed is a relation in which what is not known is false.
type closed struct{ Relation }

// Holds implements Relation.
func (c closed) Holds(i, p int) (holds, known bool) {
	holds, known = c.Relation.Holds(i, p)
	return holds && known, true
}
