package datasets

// Pair is one training item: an image with one of its captions. As in the papers every caption is an item of its own, and an image
// without captions is one item.
type Pair struct {
	Image   int // index into the set
	Caption int // index into the image's captions, or NoCaption
}

// NoCaption is the caption of the one pair of an image that has none.
const NoCaption = -1

// Pairs lists all items of a set, image by image.
func Pairs(s Set) []Pair {
	_, onlyTexts := s.(interface{ onlyTexts() })
	var pairs []Pair
	for i := range s.Len() {
		captions := len(s.Captions(i))
		if captions == 0 && !onlyTexts {
			pairs = append(pairs, Pair{i, NoCaption})
		}
		for c := range captions {
			pairs = append(pairs, Pair{i, c})
		}
	}
	return pairs
}

// PairsOf is the number of pairs of image i: one a caption, and one where there is none, but for a view of questions or statements.
func PairsOf(s Set, i int) int {
	if _, onlyTexts := s.(interface{ onlyTexts() }); onlyTexts {
		return len(s.Captions(i))
	}
	return max(1, len(s.Captions(i)))
}

// Text returns the caption of a pair, "" of one without.
func (p Pair) Text(s Set) string {
	if p.Caption == NoCaption {
		return ""
	}
	return s.Captions(p.Image)[p.Caption]
}

// ShardPairs lists the first pair of each shard of a set, in ascending order from 0; nil where all are in one.
func ShardPairs(s Set) []int {
	sharded, ok := s.(Sharded)
	if !ok {
		return nil
	}
	var first []int
	pair, image := 0, 0
	for _, start := range sharded.Shards() {
		for ; image < start; image++ {
			pair += PairsOf(s, image)
		}
		first = append(first, pair)
	}
	return first
}
