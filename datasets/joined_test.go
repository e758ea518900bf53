package datasets

import (
	"context"
	"image"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

// plain is a set of captions of which nothing else is known.
type plain [][]string

func (p plain) Name() string            { return "plain" }
func (p plain) Len() int                { return len(p) }
func (p plain) Captions(i int) []string { return p[i] }
func (p plain) Key(i int) string        { return string(rune('a' + i)) }
func (p plain) Image(context.Context, int) (image.Image, error) {
	return image.NewGray(image.Rect(0, 0, 1, 1)), nil
}

// inShards are two images a shard, of classes.
type inShards struct {
	plain
	classes []string
}

func (s inShards) Shards() []int     { return []int{0, 2} }
func (s inShards) Class(i int) int   { return i % 2 }
func (s inShards) Classes() []string { return s.classes }

// asking has questions.
type asking struct{ plain }

func (asking) Questions() []Question { return nil }

func collectionOf(name string, splits map[string]Set) Collection {
	f := NewFolder[Set]("test", name)
	f.Digest = name
	for _, split := range []string{"train", "test"} {
		if set := splits[split]; set != nil {
			f.Add(split, set)
		}
	}
	f.Unread = []error{UnknownSplit(name, "val", nil)}
	return &f
}

func TestJoined(t *testing.T) {
	a := collectionOf("a", map[string]Set{"train": fake{{"x", "y"}, {"z"}}, "test": fake{{"t"}}})
	b := collectionOf("b", map[string]Set{"train": plain{{"x"}, {"u"}, {"u", "v"}}})
	c := must.Get(Joined([]Collection{a, b}))(t)
	if c.Name() != "a+b" || !slices.Equal(c.Splits(), []string{"train", "test"}) || len(c.(*joinedCollection).Skipped()) != 2 {
		t.Errorf("got %s with %v", c.Name(), c.Splits())
	}
	if other := must.Get(Joined([]Collection{b, a}))(t); other.Hash() == c.Hash() || c.Hash() == a.Hash() {
		t.Errorf("the hash %s is that of other data, too", c.Hash())
	}
	if one := must.Get(Joined([]Collection{a}))(t); one != a {
		t.Error("one collection is not the same joined")
	}
	s := must.Get(c.Split("train"))(t)
	if s.Len() != 5 || s.Name() != "a+b/train" || s.Key(3) != "b/b" || ShardPairs(s) != nil {
		t.Errorf("got %d images of %s, the fourth %s", s.Len(), s.Name(), s.Key(3))
	}
	var texts []string
	for _, p := range Pairs(s) {
		texts = append(texts, p.Text(s))
	}
	if want := []string{"x", "y", "z", "x", "u", "u", "v"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
	if img := must.Get(s.Image(t.Context(), 4))(t); img.Bounds().Dx() != 1 {
		t.Errorf("got the image %v", img)
	}
	if test := must.Get(c.Split("test"))(t); test.Len() != 1 || test.Key(0) != "a/" {
		t.Errorf("got %d images of test", test.Len())
	}
	must.Fail(t, must.Err(c.Split("val")), `a+b: no split "val"; there are [train test]`)
	// By image and pair: what fake says within a, own and equal captions within b, and nothing across.
	relation := s.(Related).Relation()
	for _, w := range []struct {
		i, p         int
		holds, known bool
	}{
		{0, 0, true, true}, {0, 1, false, true}, {1, 1, true, true}, {2, 3, true, true}, {3, 4, true, true}, {3, 5, true, true},
		{4, 4, true, true}, {3, 6, false, false}, {0, 3, false, false}, {2, 0, false, false},
	} {
		if holds, known := relation.Holds(w.i, w.p); holds != w.holds || known != w.known {
			t.Errorf("image %d, pair %d: got %v, %v, want %v, %v", w.i, w.p, holds, known, w.holds, w.known)
		}
	}
}

// Shards and classes are those of all; of a set that tells of no shards all are one.
func TestJoinedShards(t *testing.T) {
	four := plain{{"a"}, {"b"}, {"c"}, {"d"}}
	cats := inShards{four, []string{"cat", "dog"}}
	c := must.Get(Joined([]Collection{collectionOf("a", map[string]Set{"train": cats}), collectionOf("b", map[string]Set{"train": cats})}))(t)
	s := must.Get(c.Split("train"))(t).(Labelled)
	if s.Class(5) != 1 || !slices.Equal(s.Classes(), cats.classes) || !slices.Equal(ShardPairs(s), []int{0, 2, 4, 6}) {
		t.Errorf("got class %d of %v, and shards from pairs %v", s.Class(5), s.Classes(), ShardPairs(s))
	}
	c = must.Get(Joined([]Collection{collectionOf("a", map[string]Set{"train": four}), collectionOf("b", map[string]Set{"train": cats})}))(t)
	rest := must.Get(c.Split("train"))(t)
	if _, labelled := rest.(Labelled); labelled || !slices.Equal(ShardPairs(rest), []int{0, 4, 6}) {
		t.Errorf("got shards from pairs %v, classes %v; want a shard and two, and no classes", ShardPairs(rest), labelled)
	}
	other := inShards{four, []string{"cat", "cow"}}
	c = must.Get(Joined([]Collection{collectionOf("a", map[string]Set{"train": other}), collectionOf("b", map[string]Set{"train": cats})}))(t)
	if _, labelled := must.Get(c.Split("train"))(t).(Labelled); labelled {
		t.Error("sets of other classes have classes together")
	}
}

func TestJoinedRefuses(t *testing.T) {
	four := plain{{"a"}, {"b"}}
	for want, other := range map[string]Set{
		"one has captions and the other has none": plain{nil, nil},
		"are not joined with other data":          asking{four},
	} {
		_, err := Joined([]Collection{collectionOf("a", map[string]Set{"train": four}), collectionOf("b", map[string]Set{"train": other})})
		must.Fail(t, err, want)
	}
}
