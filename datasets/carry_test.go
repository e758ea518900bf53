package datasets

import (
	"context"
	"fmt"
	"image"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

// bare is a set of which nothing else is known.
type bare struct{ captions [][]string }

func (b bare) Name() string                                    { return "bare" }
func (b bare) Len() int                                        { return len(b.captions) }
func (b bare) Captions(i int) []string                         { return b.captions[i] }
func (b bare) Key(int) string                                  { return "" }
func (b bare) Image(context.Context, int) (image.Image, error) { return nil, nil }

// parity labels images as even or odd.
type parity struct{}

func (parity) Class(i int) int   { return i % 2 }
func (parity) Classes() []string { return []string{"even", "odd"} }

// corner boxes one object of each image.
type corner struct{}

func (corner) Boxes(i int) []Box { return []Box{{Right: 1 / float64(i+1), Bottom: 1}} }

// What is known of a set is known of its views, and nothing else is.
func TestViewsCarryWhatIsKnown(t *testing.T) {
	const fewerCaptions, uncaptioned = "fewer captions", "uncaptioned" // whose pairs the relation does not count
	captions := [][]string{{"a", "b"}, nil, {"c"}, {"d"}}
	plain, related := bare{captions}, fake(captions)
	for _, c := range []struct {
		set               Set
		related, labelled bool
		boxed             bool
		shards            []int
	}{
		{plain, false, false, false, nil},
		{related, true, false, false, nil},
		{struct {
			bare
			parity
		}{bare: plain}, false, true, false, nil},
		{struct {
			bare
			corner
		}{bare: plain}, false, false, true, nil},
		{struct {
			bare
			parity
			corner
		}{bare: plain}, false, true, true, nil},
		{struct {
			fake
			corner
		}{fake: related}, true, false, true, nil},
		{struct {
			fake
			parity
			corner
		}{fake: related}, true, true, true, nil},
		{struct {
			fake
			parity
		}{fake: related}, true, true, false, nil},
		{sharded{related, []int{0, 2, 3}}, true, false, false, []int{0, 2, 3}},
		{struct {
			sharded
			parity
		}{sharded: sharded{related, []int{0, 2, 3}}}, true, true, false, []int{0, 2, 3}},
	} {
		noisy := must.Get(Noisy(c.set, 1, 1))(t)
		for what, view := range map[string]Set{
			"first": First(c.set, 3, 0), "noisy": noisy, "first of noisy": First(noisy, 3, 0), fewerCaptions: First(c.set, 0, 1),
			uncaptioned: Uncaptioned(c.set),
		} {
			name := fmt.Sprintf("%s of %T", what, c.set)
			if _, ok := view.(Related); ok != (c.related && what != fewerCaptions && what != uncaptioned) {
				t.Errorf("%s: has a relation: %v", name, ok)
			}
			labels, ok := view.(Labelled)
			if ok != c.labelled {
				t.Errorf("%s: has classes: %v, want %v", name, ok, c.labelled)
			}
			if ok && (labels.Class(1) != 1 || labels.Class(2) != 0 || labels.Classes()[1] != "odd") {
				t.Errorf("%s: images 1 and 2 have classes %d and %d of %q", name, labels.Class(1), labels.Class(2), labels.Classes())
			}
			boxes, ok := view.(Boxed)
			if ok != c.boxed {
				t.Errorf("%s: has boxes: %v, want %v", name, ok, c.boxed)
			}
			if ok && boxes.Boxes(1)[0].Right != 0.5 {
				t.Errorf("%s: image 1 has the boxes %v", name, boxes.Boxes(1))
			}
			want := c.shards
			if want != nil && view.Len() == 3 {
				want = want[:2]
			}
			if got := view.(Sharded).Shards(); !slices.Equal(got, want) {
				t.Errorf("%s: got shards from %v, want %v", name, got, want)
			}
		}
	}
}

// Noise leaves an image without captions as it is, takes captions of others from those that have some, and the relation follows.
func TestNoisyWithoutCaptions(t *testing.T) {
	clean := fake{nil, {"a", "b"}, {}, {"c"}, nil}
	got := must.Get(Noisy(clean, 1, 1))(t)
	if !slices.Equal(Pairs(got), Pairs(clean)) {
		t.Errorf("got pairs %v, want %v", Pairs(got), Pairs(clean))
	}
	if c := got.Captions(1); c[0] != "c" || c[1] != "c" {
		t.Errorf("captions of image 1: got %q, want those of image 3", c)
	}
	if c := got.Captions(3)[0]; c != "a" && c != "b" {
		t.Errorf("caption of image 3: got %q, want one of image 1", c)
	}
	// In fake image i and pair p match when they are equal: pairs 1 and 2, image 1's, are now the clean pair 4, and pair 5 is still 5.
	relation := got.(Related).Relation()
	for p, origin := range []int{0, 4, 4, 3, -1, 5} {
		for i := range clean {
			if holds, _ := relation.Holds(i, p); origin >= 0 && holds != (i == origin) {
				t.Errorf("image %d, pair %d: got %v, want it to be that of the clean pair %d", i, p, holds, origin)
			}
		}
	}
	if _, err := Noisy(fake{{"a"}, nil, nil}, 0.5, 1); err == nil {
		t.Error("one image with captions: want an error, since none can be another's")
	}
}
