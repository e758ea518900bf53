package datasets

import (
	"slices"
	"testing"
)

// sharded is a set whose shards begin at some images.
type sharded struct {
	fake
	starts []int
}

func (s sharded) Shards() []int { return s.starts }

// An image without captions is one pair, whose text is empty, and takes its place among the others.
func TestPairsWithoutCaption(t *testing.T) {
	s := fake{{}, {"a", "b"}, nil, {"c"}}
	want := []Pair{{0, NoCaption}, {1, 0}, {1, 1}, {2, NoCaption}, {3, 0}}
	pairs := Pairs(s)
	if !slices.Equal(pairs, want) {
		t.Fatalf("got %v, want %v", pairs, want)
	}
	var texts []string
	for _, p := range pairs {
		texts = append(texts, p.Text(s))
	}
	if want := []string{"", "a", "b", "", "c"}; !slices.Equal(texts, want) {
		t.Errorf("got texts %q, want %q", texts, want)
	}
	for i, want := range []int{1, 2, 1, 1} {
		if got := PairsOf(s, i); got != want {
			t.Errorf("pairs of image %d: got %d, want %d", i, got, want)
		}
	}
	if got := Pairs(fake{}); len(got) != 0 {
		t.Errorf("pairs of no images: got %v", got)
	}
}

func TestShardPairs(t *testing.T) {
	s := fake{{"a", "b"}, nil, {"c"}, {"d", "e", "f"}, {"g"}}
	if got := ShardPairs(s); got != nil {
		t.Errorf("a set without shards: got %v, want nil", got)
	}
	for _, c := range []struct{ images, want []int }{{nil, nil}, {[]int{0}, []int{0}}, {[]int{0, 1, 2, 3, 4}, []int{0, 2, 3, 4, 7}},
		{[]int{0, 3}, []int{0, 4}}} {
		if got := ShardPairs(sharded{s, c.images}); !slices.Equal(got, c.want) {
			t.Errorf("shards from images %v: got pairs %v, want %v", c.images, got, c.want)
		}
	}
}

// Without captions a pair is an image, also where shards are counted in pairs.
func TestPairsOfUncaptioned(t *testing.T) {
	s := Uncaptioned(sharded{fake{{"a", "b"}, nil, {"c"}}, []int{0, 2}})
	if got, want := Pairs(s), []Pair{{0, NoCaption}, {1, NoCaption}, {2, NoCaption}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := ShardPairs(s), []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("got shards from pairs %v, want %v", got, want)
	}
}
