package datasets_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
)

// Of any set: an image's own captions, then those of the pairs that it was given; every pair that is added is there once.
func TestAddedStandsBehindTheOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newAlbum(rapid.SliceOfN(rapid.IntRange(1, 4), 1, 8).Draw(t, "captions")...)
		all := texts(s)
		further, want := make([][]int, len(s)), []string(nil)
		for i := range s {
			further[i] = rapid.SliceOfN(rapid.IntRange(0, len(all)-1), 0, 5).Draw(t, "further")
			want = append(want, s[i]...)
			for _, p := range further[i] {
				want = append(want, all[p])
			}
		}
		got, err := datasets.Added(s, further)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(texts(got), want) {
			t.Fatalf("got %q, want %q", texts(got), want)
		}
		if !slices.Equal(texts(s), all) {
			t.Fatal("the set itself was changed")
		}
	})
}

// The relation of an added pair is that of its text, whatever noise or omission lies below; classes and boxes stay.
func TestAddedRelationOnScenes(t *testing.T) {
	collection := must.Get(scenes.New(scenes.Config{Train: 40, Captions: 2}))(t)
	set := must.Get(collection.Split("train"))(t)
	scene := set.(*scenes.Split)
	graphs := map[string]scenes.Graph{}
	for p, pair := range datasets.Pairs(scene) {
		graphs[pair.Text(scene)] = scene.Graph(p)
	}
	whole := noisy(t, datasets.First(scene, 30, 0), 0.3, 1)
	further := make([][]int, 30)
	for i := range further {
		for k := range i % 4 {
			further[i] = append(further[i], (7*i+k)%len(datasets.Pairs(whole)))
		}
	}
	got := must.Get(datasets.Added(whole, further))(t)
	relation := got.(datasets.Related).Relation()
	if pairs := datasets.Pairs(got); len(pairs) != 60+30/4*6+1 {
		t.Errorf("got %d pairs", len(pairs))
	}
	for p, pair := range datasets.Pairs(got) {
		for i := range got.Len() {
			want := graphs[pair.Text(got)].TrueOf(scene.Scene(i))
			if holds, known := relation.Holds(i, p); holds != want || !known {
				t.Fatalf("%q of image %d: got %v, known %v; want %v", pair.Text(got), i, holds, known, want)
			}
		}
	}
	if boxed, ok := got.(datasets.Boxed); !ok || !reflect.DeepEqual(boxed.Boxes(3), whole.(datasets.Boxed).Boxes(3)) {
		t.Error("the boxes are lost")
	}
}

// half is a set of which some images have no caption, related as pairs of equal index.
type half struct{ album }

func (h half) Relation() datasets.Relation              { return h }
func (half) Holds(i, p int) (holds, known bool)         { return i == p, true }
func pairOf(t *testing.T, s datasets.Set, p int) string { return datasets.Pairs(s)[p].Text(s) }

// An image without a caption is a pair until it gets one.
func TestAddedToImagesWithoutCaptions(t *testing.T) {
	s := half{newAlbum(1, 0, 0, 2)} // pairs: 0, none, none, 3, 4
	got := must.Get(datasets.Added(s, [][]int{nil, {4, 0}, nil, {3}}))(t)
	if want := []string{"0/0", "3/1", "0/0", "", "3/0", "3/1", "3/0"}; !slices.Equal(texts(got), want) {
		t.Fatalf("got %q, want %q", texts(got), want)
	}
	relation := got.(datasets.Related).Relation()
	for p, want := range []int{0, 4, 0, 2, 3, 4, 3} {
		for i := range 5 {
			if holds, _ := relation.Holds(i, p); holds != (i == want) {
				t.Errorf("pair %d (%q) of image %d: got %v, want what pair %d says", p, pairOf(t, got, p), i, holds, want)
			}
		}
	}
	if _, related := must.Get(datasets.Added(newAlbum(1), [][]int{{0}}))(t).(datasets.Related); related {
		t.Error("a set without a relation has one with more captions")
	}
}

func TestAddedMistakes(t *testing.T) {
	for _, c := range []struct {
		further [][]int
		want    string
	}{
		{[][]int{nil}, "further captions of 1 images, but there are 2"},
		{[][]int{nil, {3}}, "image 1: the caption of pair 3 of 3"},
		{[][]int{{-1}, nil}, "image 0: the caption of pair -1 of 3"},
		{[][]int{{2}, nil}, "image 0: the caption of pair 2 of 3"},
	} {
		must.Fail(t, must.Err(datasets.Added(newAlbum(2, 0), c.further)), c.want, "%v", c.further)
	}
}
