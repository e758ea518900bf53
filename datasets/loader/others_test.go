package loader

import (
	"context"
	"errors"
	"image"
	"image/color"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

// framed are toys of which no two have the same size.
type framed struct{ toys }

func (s framed) Image(ctx context.Context, i int) (image.Image, error) {
	if _, err := s.toys.Image(ctx, i); err != nil {
		return nil, err
	}
	m := image.NewRGBA(image.Rect(0, 0, 9+i, 30-2*i))
	for y := range m.Rect.Max.Y {
		for x := range m.Rect.Max.X {
			m.SetRGBA(x, y, color.RGBA{uint8(9 * x), uint8(7*y + i), uint8(40 * i), 255})
		}
	}
	return m, nil
}

// The second images come as the first, by draws of their own, whatever the sizes of the two; the rest of the batch is as without them.
func TestOthersAgainstDefinition(t *testing.T) {
	c := config(t, framed{toys{n: 4}})
	request := Request{Pairs: []int{3, 0, 6}, Epoch: 2, Step: 5}
	alone := fetch(t, c, request)[0]
	c.Others = []int{3, 2, 3, 1, 0, 2, 3, 3} // that of pair 6 is its first, too
	b := fetch(t, c, request)[0]
	if !slices.Equal(b.Pixels, alone.Pixels) || !slices.Equal(b.IDs, alone.IDs) || alone.Other != nil {
		t.Error("the first images or the ids differ from those of a batch without second images")
	}
	var pixels []float32
	for position, other := range []int{1, 3, 3} {
		img := must.Get(c.Set.Image(context.Background(), other))(t)
		out := make([]float32, 8*8*3)
		c.Transform.Apply(source(mix(mix(1)), 2, 5, position), img, out)
		pixels = append(pixels, out...)
	}
	if !slices.Equal(b.Other, pixels) {
		t.Error("second images differ from those of one after another")
	}
	if n := 8 * 8 * 3; slices.Equal(b.Other[2*n:], b.Pixels[2*n:]) {
		t.Error("an image beside itself is augmented by the same draws")
	}
}

// A pair of which either image is broken is replaced, and the broken one is told.
func TestBrokenOthersAreReplaced(t *testing.T) {
	c := config(t, toys{n: 6, broken: map[int]bool{1: true, 4: true}})
	c.Others = []int{0, 4, 2, 2, 3, 5, 0, 1, 2, 2, 0, 3}
	requests := []Request{{Pairs: []int{0, 1, 2, 5}}, {Pairs: []int{7, 8, 10}, Step: 1}}
	batches := fetch(t, c, requests...)
	// Pairs 2 and 3 are of image 1, pairs 8 and 9 of image 4; the second images of 1 and 7 are broken.
	if want := []int{0, 4, 6, 5}; !slices.Equal(batches[0].Pairs, want) {
		t.Errorf("got pairs %v, want %v", batches[0].Pairs, want)
	}
	if want := []int{11, 0, 10}; !slices.Equal(batches[1].Pairs, want) {
		t.Errorf("got pairs %v, want %v", batches[1].Pairs, want)
	}
	var told []int
	for _, b := range batches {
		for _, s := range b.Skipped {
			told = append(told, s.Image)
			if !errors.Is(s.Err, errBroken) || s.Key != c.Set.Key(s.Image) {
				t.Errorf("got %+v", s)
			}
		}
	}
	if slices.Sort(told); !slices.Equal(told, []int{1, 4}) {
		t.Errorf("told images %v, want 1 and 4, once each", told)
	}
	for _, b := range batches {
		again := fetch(t, c, Request{Pairs: b.Pairs, Step: map[bool]int{true: 1}[b.Pairs[0] == 11]})[0]
		if !slices.Equal(again.Other, b.Other) || !slices.Equal(again.Pixels, b.Pixels) {
			t.Errorf("pairs %v: a replaced pair has other images than one that was asked for", b.Pairs)
		}
	}
}

// numbered are features of images: the image's number and its square.
type numbered struct{}

func (numbered) Size() int { return 2 }

func (numbered) Features(_ context.Context, i int, out []float32) error {
	if i == 4 {
		return errBroken
	}
	out[0], out[1] = float32(i), float32(i*i)
	return nil
}

// Second images have features as the first have.
func TestOthersWithFeatures(t *testing.T) {
	c := config(t, toys{n: 5})
	c.Features, c.Others = numbered{}, []int{4, 3, 2, 1, 0, 4, 3, 2, 1, 0}
	b := fetch(t, c, Request{Pairs: []int{1, 7, 5}})[0]
	if !slices.Equal(b.Pairs, []int{1, 7, 6}) || !slices.Equal(b.Pixels, []float32{0, 0, 3, 9, 3, 9}) ||
		!slices.Equal(b.Other, []float32{3, 9, 2, 4, 3, 9}) {
		t.Errorf("got pairs %v with %v and %v", b.Pairs, b.Pixels, b.Other)
	}
}

func TestMistakenOthers(t *testing.T) {
	for says, spoil := range map[string]func(*Config){
		"2 images for 6 pairs":     func(c *Config) { c.Others = c.Others[:2] },
		"Others[1] is image 3":     func(c *Config) { c.Others[1] = 3 },
		"Others[5] is image -1":    func(c *Config) { c.Others[5] = -1 },
		"images are not opened":    func(c *Config) { c.Blind = true },
		"whose features are fixed": func(c *Config) { c.View, c.Features = true, numbered{} },
	} {
		c := config(t, toys{n: 3})
		c.Others = []int{0, 1, 2, 0, 1, 2}
		spoil(&c)
		l := New(c)
		must.Fail(t, l.Submit(Request{Pairs: []int{0}}), says)
		l.Close()
	}
}
