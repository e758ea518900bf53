package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"slices"
	"sort"
	"strings"
)

// Joined is several collections as one: in each split the images of the collections that have it, one collection behind the other. What is
// known of images and captions of one collection stays known, and nothing is known across them; classes are known where all have the
// same. Questions and statements are not joined. A single collection is returned as it is.
func Joined(parts []Collection) (Collection, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	j := &joinedCollection{parts: parts}
	digest := sha256.New()
	for _, part := range parts {
		fmt.Fprintln(digest, part.Hash())
		j.names = append(j.names, part.Name())
		for _, split := range part.Splits() {
			if !slices.Contains(j.splits, split) {
				j.splits = append(j.splits, split)
			}
		}
	}
	j.hash = hex.EncodeToString(digest.Sum(nil)[:8])
	for _, split := range j.splits {
		if _, err := j.Split(split); err != nil {
			return nil, err
		}
	}
	return j, nil
}

type joinedCollection struct {
	parts         []Collection
	names, splits []string
	hash          string
}

// Name has the names of all.
func (j *joinedCollection) Name() string { return strings.Join(j.names, "+") }

// Hash is that of the hashes of all, in their order.
func (j *joinedCollection) Hash() string { return j.hash }

// Splits are those that one of them has.
func (j *joinedCollection) Splits() []string { return slices.Clone(j.splits) }

// Skipped tells what each left out.
func (j *joinedCollection) Skipped() (all []error) {
	for _, part := range j.parts {
		if partial, ok := part.(interface{ Skipped() []error }); ok {
			all = append(all, partial.Skipped()...)
		}
	}
	return all
}

// Split joins a split.
func (j *joinedCollection) Split(name string) (Set, error) {
	s := joined{name: j.Name() + "/" + name}
	for k, part := range j.parts {
		if !slices.Contains(part.Splits(), name) {
			continue
		}
		set, err := part.Split(name)
		if err != nil {
			return nil, err
		}
		if err := joins(s.parts, set); err != nil {
			return nil, err
		}
		s.parts, s.names = append(s.parts, set), append(s.names, j.names[k])
		s.images, s.pairs = append(s.images, s.all), append(s.pairs, s.texts)
		s.all += set.Len()
		for i := range set.Len() {
			s.texts += PairsOf(set, i)
		}
	}
	if len(s.parts) == 0 {
		return nil, UnknownSplit(j.Name(), name, j.splits)
	}
	return s.known(), nil
}

// joins is an error where a set is of another kind than those before it.
func joins(before []Set, s Set) error {
	_, questioned := s.(Questioned)
	_, stated := s.(Stated)
	if questioned || stated {
		return fmt.Errorf("datasets: %s has questions or statements, which are not joined with other data; name it alone", s.Name())
	}
	if len(before) > 0 && captioned(before[0]) != captioned(s) {
		return fmt.Errorf("datasets: of %s and %s one has captions and the other has none; join data of one kind", before[0].Name(), s.Name())
	}
	return nil
}

// captioned tells whether an image of a set has a caption.
func captioned(s Set) bool {
	for i := range s.Len() {
		if len(s.Captions(i)) > 0 {
			return true
		}
	}
	return false
}

// joined are sets as one.
type joined struct {
	name          string
	parts         []Set
	names         []string // of the collections
	images, pairs []int    // the first ones of each part
	all, texts    int      // images and pairs
}

// known is the set with what is known of its images.
func (s joined) known() Set {
	related, labelled := false, true
	var classes []string
	for k, part := range s.parts {
		_, has := part.(Related)
		related = related || has
		of, ok := part.(Labelled)
		if ok && k == 0 {
			classes = of.Classes()
		}
		labelled = labelled && ok && slices.Equal(of.Classes(), classes)
	}
	switch labels := (joinedLabels{s, classes}); {
	case related && labelled:
		return struct {
			Sharded
			relating
			labelling
		}{s, joinedRelation{s}, labels}
	case related:
		return struct {
			Sharded
			relating
		}{s, joinedRelation{s}}
	case labelled:
		return struct {
			Sharded
			labelling
		}{s, labels}
	}
	return s
}

// of is the part that the element i of all lies in, whose first ones first has, and the element's index there.
func of(first []int, i int) (part, at int) {
	part = sort.SearchInts(first, i+1) - 1
	return part, i - first[part]
}

// Name implements Set.
func (s joined) Name() string { return s.name }

// Len is the number of images of all.
func (s joined) Len() int { return s.all }

// Captions are those of the image where it comes from.
func (s joined) Captions(i int) []string {
	part, at := of(s.images, i)
	return s.parts[part].Captions(at)
}

// Key is that of the image where it comes from, with the collection's name in front.
func (s joined) Key(i int) string {
	part, at := of(s.images, i)
	return s.names[part] + "/" + s.parts[part].Key(at)
}

// Image decodes image i where it comes from.
func (s joined) Image(ctx context.Context, i int) (image.Image, error) {
	part, at := of(s.images, i)
	return s.parts[part].Image(ctx, at)
}

// Shards are those of all; a part that tells of none is one. It is nil where no part tells of any.
func (s joined) Shards() []int {
	var first []int
	told := false
	for k, part := range s.parts {
		own := shards(part)
		told = told || own != nil
		if own == nil {
			own = []int{0}
		}
		for _, i := range own {
			first = append(first, s.images[k]+i)
		}
	}
	if !told {
		return nil
	}
	return first
}

// joinedRelation knows what the parts know.
type joinedRelation struct{ joined }

// Relation is the relation of each part within it; where nothing better is known, that of its equal captions.
func (r joinedRelation) Relation() Relation {
	all := joinedHolds{joined: r.joined}
	for _, part := range r.parts {
		if related, ok := WithEqualCaptions(part).(Related); ok {
			all.within = append(all.within, related.Relation())
			continue
		}
		own := judged{}
		for _, p := range Pairs(part) {
			own.own = append(own.own, p.Image)
		}
		all.within = append(all.within, own)
	}
	return all
}

type joinedHolds struct {
	joined
	within []Relation
}

// Holds implements Relation.
func (r joinedHolds) Holds(i, p int) (holds, known bool) {
	part, image := of(r.images, i)
	other, pair := of(r.pairs, p)
	if part != other {
		return false, false
	}
	return r.within[part].Holds(image, pair)
}

// joinedLabels has the classes that all parts have.
type joinedLabels struct {
	joined
	classes []string
}

// Class is that of the image where it comes from.
func (l joinedLabels) Class(i int) int {
	part, at := of(l.images, i)
	return l.parts[part].(Labelled).Class(at)
}

// Classes are those of all parts.
func (l joinedLabels) Classes() []string { return l.classes }
