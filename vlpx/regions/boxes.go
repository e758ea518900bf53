package regions

import (
	"context"
	"fmt"
	"image"
	"math"
	"sync/atomic"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/vlpx/random"
)

// Boxes are those of a set's objects (datasets.Boxed), as a perfect detector would find them, behind the region of the whole image. Their
// features are a small frozen network's of their crops.
type Boxes struct {
	// Noise moves each side of a box by a normal draw of this deviation, as a share of the box's width or height: a detector's error, the
	// same in every epoch and run.
	Noise float64 `json:",omitempty"`
}

func (b Boxes) validate(width int) error {
	if !(b.Noise >= 0 && b.Noise <= 1) {
		return fmt.Errorf("regions: noise of %v in boxes; use a share of their sides from 0 to 1", b.Noise)
	}
	return widthFits(width)
}

// boxes are the regions of a set by its boxes, made when they are first asked for and kept in memory: 10,000 scenes take a few seconds.
type boxes struct {
	Source
	set  datasets.Boxed
	net  *network
	kept []atomic.Pointer[[]float32] // of each image
}

func openBoxes(s Source, set datasets.Set) (*boxes, error) {
	boxed, ok := set.(datasets.Boxed)
	if !ok {
		return nil, fmt.Errorf("regions: %s does not tell where its objects are, as generated scenes do; give a folder of precomputed "+
			"regions with -regions, "+
			"or lock an image encoder and set regions.source=grid", set.Name())
	}
	net, err := standardNetwork(s.Width)
	if err != nil {
		return nil, err
	}
	return &boxes{s, boxed, net, make([]atomic.Pointer[[]float32], set.Len())}, nil
}

// references is how many scenes the network's features are standardised by, whatever the data.
const references = 64

// standardNetwork is the network by the statistics of the regions of default scenes.
func standardNetwork(width int) (*network, error) {
	collection, err := scenes.New(scenes.Config{Train: references, Val: 1, Test: 1})
	if err != nil {
		return nil, fmt.Errorf("regions: %w", err)
	}
	set, err := collection.Split("train")
	if err != nil {
		return nil, fmt.Errorf("regions: %w", err)
	}
	n := newNetwork(width)
	var reference [][]float32
	for i := range set.Len() {
		img, err := set.Image(context.Background(), i)
		if err != nil {
			return nil, fmt.Errorf("regions: %w", err)
		}
		for _, b := range append([]datasets.Box{whole}, set.(datasets.Boxed).Boxes(i)...) {
			x := make([]float32, width)
			n.features(img, pixels(b, img.Bounds()), x)
			reference = append(reference, x)
		}
	}
	n.standardise(reference)
	return n, nil
}

// Size is how many numbers an image has.
func (b *boxes) Size() int { return b.size() }

// Features writes the regions of image i; see loader.Features. Of an image that cannot be decoded there are none.
func (b *boxes) Features(ctx context.Context, i int, out []float32) error {
	if kept := b.kept[i].Load(); kept != nil {
		copy(out, *kept)
		return nil
	}
	clear(out[:b.size()])
	img, err := b.set.Image(ctx, i)
	if err != nil {
		return err
	}
	for k, box := range b.boxes(i) {
		row := b.row(out, k)
		b.net.features(img, pixels(box, img.Bounds()), row[:b.Width])
		locate(row[b.Width:], sidesOf(box))
	}
	kept := append([]float32(nil), out[:b.size()]...)
	b.kept[i].Store(&kept)
	return nil
}

// boxes are the whole image and what is found of the objects of image i, as many as there are rows.
func (b *boxes) boxes(i int) []datasets.Box {
	all := []datasets.Box{whole}
	draw := random.Stream(1, "noise in boxes", b.set.Name(), i)
	move := func(side, length float64) float64 {
		return min(max(side+float64(b.Boxes.Noise*length*draw.NormFloat64()), 0), 1)
	}
	for _, box := range b.set.Boxes(i)[:min(b.Count-1, len(b.set.Boxes(i)))] {
		w, h := box.Right-box.Left, box.Bottom-box.Top
		left, right := move(box.Left, w), move(box.Right, w)
		top, bottom := move(box.Top, h), move(box.Bottom, h)
		all = append(all, datasets.Box{Left: min(left, right), Top: min(top, bottom), Right: max(left, right), Bottom: max(top, bottom)})
	}
	return all
}

// pixels are those of an image that a box touches, at least one.
func pixels(b datasets.Box, bounds image.Rectangle) image.Rectangle {
	span := func(from, to float64, low, length int) (int, int) {
		first := min(int(math.Floor(float64(from*float64(length)))), length-1)
		last := max(int(math.Ceil(float64(to*float64(length)))), first+1)
		return low + first, low + last
	}
	var r image.Rectangle
	r.Min.X, r.Max.X = span(b.Left, b.Right, bounds.Min.X, bounds.Dx())
	r.Min.Y, r.Max.Y = span(b.Top, b.Bottom, bounds.Min.Y, bounds.Dy())
	return r
}
