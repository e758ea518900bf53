package karpathy

import (
	"fmt"
	"io"
	"slices"
)

// ids finds what COCO's ids name: images of a split, and the pairs of its captions.
type ids struct{ images, captions map[int]int }

// identify finds the images of the split by their "cocoid" and its captions by their "annid", COCO's ids of annotations. Karpathy's own
// file has no "annid"; where an image lacks it, the ids that ownFile has of the image, in ascending order, are those of its first
// sentences, as everywhere in COCO's test split.
func (c *Collection) identify(folder string, set *Set, entries []entry, digest io.Writer) (ids, error) {
	listed, err := readAnswers(folder, ownFile, digest)
	if err != nil {
		return ids{}, err
	}
	own := map[int][]int{}
	for _, q := range listed {
		own[q.id] = slices.Sorted(slices.Values(q.hits))
	}
	found := ids{map[int]int{}, map[int]int{}}
	for i, p := range set.photos {
		e := entries[p.entry]
		what := fmt.Sprintf("image %d (%q)", p.entry, e.Filename)
		if e.CocoID == 0 {
			return ids{},
				fmt.Errorf(`%s of the dataset file has no "cocoid", by which images are named here; add it, or take the folder away`, what)
		}
		if _, twice := found.images[e.CocoID]; twice {
			return ids{}, fmt.Errorf(`%s of the dataset file has the "cocoid" %d of another image; mend it`, what, e.CocoID)
		}
		found.images[e.CocoID] = i
		for k, s := range p.positions {
			id := e.Sentences[s].AnnID
			if sorted := own[e.CocoID]; id == 0 && len(sorted) > 0 && len(sorted) <= len(e.Sentences) {
				if s >= len(sorted) {
					continue // a sixth caption, which no benchmark has
				}
				id = sorted[s]
			}
			if id == 0 {
				return ids{},
					fmt.Errorf(
						`%s of the dataset file: sentence %d has no "annid", by which captions are named here; add it, or put %s there`,
						what, s, ownFile)
			}
			if _, twice := found.captions[id]; twice {
				return ids{}, fmt.Errorf(`%s of the dataset file: sentence %d has the "annid" %d of another; mend it`, what, s, id)
			}
			found.captions[id] = set.first[i] + k
		}
	}
	return found, nil
}
