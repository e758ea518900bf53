package audit

import (
	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
)

// texts are the distinct captions of a set, as text.Clean prepares them: equal captions of different images, which are known to be true of
// each other's, are one.
type texts struct {
	set      datasets.Set
	captions []string          // as the first of each stands in the data
	pairs    [][]int           // of each text, those that have it, indices into datasets.Pairs
	first    []int             // of each text, the image of the first pair
	own      []map[int]bool    // of each image, its texts
	relation datasets.Relation // nil where nothing is known but by equal captions
}

func textsOf(set datasets.Set) *texts {
	t := &texts{set: set, own: make([]map[int]bool, set.Len())}
	places := map[string]int{}
	for p, pair := range datasets.Pairs(set) {
		if pair.Caption == datasets.NoCaption {
			continue
		}
		clean := text.Clean(pair.Text(set), 0)
		place, known := places[clean]
		if !known {
			place = len(t.captions)
			places[clean] = place
			t.captions, t.pairs, t.first = append(t.captions, pair.Text(set)), append(t.pairs, nil), append(t.first, pair.Image)
		}
		t.pairs[place] = append(t.pairs[place], p)
		if t.own[pair.Image] == nil {
			t.own[pair.Image] = map[int]bool{}
		}
		t.own[pair.Image][place] = true
	}
	if related, ok := set.(datasets.Related); ok && !datasets.ByEqualCaptions(related.Relation()) {
		t.relation = related.Relation()
	}
	return t
}

// holds reports whether a text is true of an image, as far as that is known of any caption that has it.
func (t *texts) holds(image, text int) (holds, known bool) {
	if t.relation == nil {
		return false, false
	}
	for _, p := range t.pairs[text] {
		h, k := t.relation.Holds(image, p)
		holds, known = holds || h && k, known || k
	}
	return holds, known
}
