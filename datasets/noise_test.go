package datasets_test

import (
	"context"
	"fmt"
	"image"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
)

// album holds the captions of each image, "image/caption".
type album [][]string

func (a album) Name() string                                    { return "album" }
func (a album) Len() int                                        { return len(a) }
func (a album) Captions(i int) []string                         { return a[i] }
func (a album) Key(int) string                                  { return "" }
func (a album) Image(context.Context, int) (image.Image, error) { return nil, nil }

// newAlbum gives each image so many captions.
func newAlbum(captions ...int) album {
	a := make(album, len(captions))
	for i, n := range captions {
		for c := range n {
			a[i] = append(a[i], fmt.Sprintf("%d/%d", i, c))
		}
	}
	return a
}

func noisy(t interface{ Fatal(...any) }, s datasets.Set, share float64, seed uint64) datasets.Set {
	n, err := datasets.Noisy(s, share, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func texts(s datasets.Set) []string {
	var all []string
	for _, p := range datasets.Pairs(s) {
		all = append(all, p.Text(s))
	}
	return all
}

// At any share: the same images with as many captions, each its own or one of another image, and a larger share keeps what a
// smaller one replaced.
func TestNoisyReplacesByOtherImages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clean := newAlbum(rapid.SliceOfN(rapid.IntRange(1, 4), 2, 12).Draw(t, "captions")...)
		share, seed := rapid.Float64Range(0, 1).Draw(t, "share"), rapid.Uint64().Draw(t, "seed")
		more := rapid.Float64Range(share, 1).Draw(t, "more")
		got, larger := noisy(t, clean, share, seed), texts(noisy(t, clean, more, seed))
		if !slices.Equal(datasets.Pairs(got), datasets.Pairs(clean)) {
			t.Fatalf("got pairs %v, want %v", datasets.Pairs(got), datasets.Pairs(clean))
		}
		for p, pair := range datasets.Pairs(clean) {
			text, own := pair.Text(got), pair.Text(clean)
			if text != own && (strings.HasPrefix(text, fmt.Sprintf("%d/", pair.Image)) || !slices.Contains(texts(clean), text)) {
				t.Errorf("pair %v: got %q, want its own or a caption of another image", pair, text)
			}
			if text != own && larger[p] != text {
				t.Errorf("pair %v: a share of %v gives %q, one of %v %q", pair, share, text, more, larger[p])
			}
		}
		if again := noisy(t, clean, share, seed); !slices.Equal(texts(again), texts(got)) {
			t.Error("the same seed gives other captions")
		}
	})
}

// The number of replaced captions is binomial, and where they come from is uniform: both within five standard deviations.
func TestNoisyShare(t *testing.T) {
	const n, share = 100, 0.3 // images, and captions of each
	clean := newAlbum(slices.Repeat([]int{n}, n)...)
	var replaced float64
	var images, captions [n]float64 // replacements from each image and of each place among an image's captions
	for p, text := range texts(noisy(t, clean, share, 1)) {
		var i, c int
		must.Get(fmt.Sscanf(text, "%d/%d", &i, &c))(t)
		if p != i*n+c {
			replaced++
			images[i]++
			captions[c]++
		}
	}
	if want := share * n * n; math.Abs(replaced-want) > 5*math.Sqrt(want*(1-share)) {
		t.Errorf("got %v replaced captions, want about %v", replaced, want)
	}
	for i := range n {
		if want := replaced / n; max(math.Abs(images[i]-want), math.Abs(captions[i]-want)) > 5*math.Sqrt(want) {
			t.Errorf("got %v replacements from image %d and %v of caption %d, want about %v", images[i], i, captions[i], i, want)
		}
	}
	if got, want := texts(noisy(t, newAlbum(1, 1), 1, 1)), []string{"1/0", "0/0"}; !slices.Equal(got, want) {
		t.Errorf("two images at a share of 1: got %q, want %q", got, want)
	}
	if slices.Equal(texts(noisy(t, clean, share, 1)), texts(noisy(t, clean, share, 2))) {
		t.Error("two seeds replace the same captions")
	}
}

// What the relation says of a noisy pair is what the scene says of its text, as with the generator's own caption noise.
func TestNoisyRelationOnScenes(t *testing.T) {
	const share = 0.4
	collection := must.Get(scenes.New(scenes.Config{Train: 120, Captions: 3}))(t)
	set := must.Get(collection.Split("train"))(t)
	clean := set.(*scenes.Split)
	graphs := map[string]scenes.Graph{}
	for p, pair := range datasets.Pairs(clean) {
		graphs[pair.Text(clean)] = clean.Graph(p)
	}
	for name, whole := range map[string]datasets.Set{"whole": clean, "first": datasets.First(clean, 90, 0)} {
		got := noisy(t, whole, share, 1)
		relation := got.(datasets.Related).Relation()
		pairs, wrong := datasets.Pairs(got), 0
		for p, pair := range pairs {
			for i := range got.Len() {
				want := graphs[pair.Text(got)].TrueOf(clean.Scene(i))
				if holds, known := relation.Holds(i, p); holds != want || !known {
					t.Fatalf("%s: %q of image %d: got %v, known %v; want %v", name, pair.Text(got), i, holds, known, want)
				}
				if i == pair.Image && !want {
					wrong++
				}
			}
		}
		if got := float64(wrong) / float64(len(pairs)); got < 0.3 || got > share+0.05 {
			t.Errorf("%s: got %.2f of the captions false of their own image, want somewhat below %v", name, got, share)
		}
	}
}

func TestNoisyEdges(t *testing.T) {
	for _, s := range []datasets.Set{newAlbum(2, 3), newAlbum(1), newAlbum()} {
		if got := noisy(t, s, 0, 1); !reflect.DeepEqual(got, s) {
			t.Errorf("a share of 0: got %v, want %v itself", got, s)
		}
	}
	if _, related := noisy(t, newAlbum(2, 3), 0.5, 1).(datasets.Related); related {
		t.Error("a set without a relation has one when it is noisy")
	}
	for _, c := range []struct {
		set   album
		share float64
		want  string
	}{
		{newAlbum(1, 1), -0.1, "use a share from 0 to 1"},
		{newAlbum(1, 1), 1.5, "use a share from 0 to 1"},
		{newAlbum(1, 1), math.NaN(), "use a share from 0 to 1"},
		{newAlbum(5), 0.1, "0.1 with 1 images that have captions; other images' captions need two"},
		{newAlbum(), 0.1, "with 0 images"},
	} {
		must.Fail(t, must.Err(datasets.Noisy(c.set, c.share, 1)), c.want, "%v at %v", c.set, c.share)
	}
}

// The images are the clean set's, and many may read at once.
func TestNoisyReadAtOnce(t *testing.T) {
	collection := must.Get(scenes.New(scenes.Config{Train: 8, Size: 16}))(t)
	clean := must.Get(collection.Split("train"))(t)
	s := noisy(t, clean, 0.5, 1)
	var wait sync.WaitGroup
	for i := range s.Len() {
		wait.Go(func() {
			got, err := s.Image(t.Context(), i)
			want, cleanErr := clean.Image(t.Context(), i)
			if err != nil || cleanErr != nil || !slices.Equal(got.(*image.NRGBA).Pix, want.(*image.NRGBA).Pix) {
				t.Errorf("image %d: not that of the clean set (%v, %v)", i, err, cleanErr)
			}
			s.(datasets.Related).Relation().Holds(i, len(s.Captions(i)))
		})
	}
	wait.Wait()
}
