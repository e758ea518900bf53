package datasets

import (
	"context"
	"image"
	"slices"
	"testing"
)

// fake is a set of images with the given captions, in which image i and pair p match when they are equal.
type fake [][]string

func (f fake) Name() string                                    { return "fake" }
func (f fake) Len() int                                        { return len(f) }
func (f fake) Captions(i int) []string                         { return f[i] }
func (f fake) Key(int) string                                  { return "" }
func (f fake) Image(context.Context, int) (image.Image, error) { return nil, nil }
func (f fake) Relation() Relation                              { return f }
func (f fake) Holds(i, p int) (holds, known bool)              { return i == p, true }

func TestFirst(t *testing.T) {
	all := fake{{"a", "b"}, {"c"}, {"d", "e", "f"}}
	for _, c := range []struct {
		images, captions int
		want             []string
		related          bool
	}{
		{0, 0, []string{"a", "b", "c", "d", "e", "f"}, true},
		{2, 0, []string{"a", "b", "c"}, true},
		{0, 1, []string{"a", "c", "d"}, false},
		{9, 2, []string{"a", "b", "c", "d", "e"}, false},
		{1, 1, []string{"a"}, false},
	} {
		s := First(all, c.images, c.captions)
		var got []string
		for _, p := range Pairs(s) {
			got = append(got, p.Text(s))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("First(%d, %d): got %v, want %v", c.images, c.captions, got, c.want)
		}
		related, ok := s.(Related)
		if ok != c.related {
			t.Errorf("First(%d, %d): has a relation: %v, want %v", c.images, c.captions, ok, c.related)
		}
		if ok {
			if holds, known := related.Relation().Holds(0, 0); !holds || !known {
				t.Errorf("First(%d, %d): the relation is not the whole set's", c.images, c.captions)
			}
		}
	}
}
