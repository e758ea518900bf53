package regions

import (
	"errors"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
)

// place is how many numbers of a row tell where the region is, behind its features: x1, y1, x2, y2, w, h as shares of the image's width and
// height, w*h, and 1. A row to spare is 0.
const place = 8

// Source says what the regions of images are: one of Boxes, Files and Grid. It is plain data: its JSON is part of a run's identity.
type Source struct {
	Count int // rows of an image, of regions or to spare
	Width int // features of a row
	// Boxes are what a set knows of its objects, with features by a small frozen network.
	Boxes *Boxes `json:",omitempty"`
	// Files are precomputed.
	Files *Files `json:",omitempty"`
	// Grid takes a locked encoder's tokens: the class token as the region of the whole image, and each patch.
	Grid bool `json:",omitempty"`
}

// Bounds of the rows of an image and of the features of each; see scale's for settings.
const (
	mostRows     = 1 << 12
	mostFeatures = 1 << 16
)

// Validate tells why the source is none.
func (s Source) Validate() error {
	ways := 0
	for _, there := range []bool{s.Boxes != nil, s.Files != nil, s.Grid} {
		if there {
			ways++
		}
	}
	switch {
	case ways != 1:
		return fmt.Errorf("regions: a source of %d kinds; take one of boxes, files and grid", ways)
	case s.Count < 1 || s.Width < 1:
		return fmt.Errorf("regions: %d regions of %d features; use at least one of each (settings regions.count, regions.width)", s.Count,
			s.Width)
	case s.Count > mostRows || s.Width > mostFeatures:
		return fmt.Errorf("regions: %d regions of %d features; use at most %d of %d (settings regions.count, regions.width)",
			s.Count, s.Width, mostRows, mostFeatures)
	case s.Boxes != nil:
		return s.Boxes.validate(s.Width)
	}
	return nil
}

// Open gives the regions of a set's images, [Count, Width+8] each as field.Image has them. locked are a locked encoder's tokens of the same
// set, [Count, Width], where the source is a Grid of them.
func (s Source) Open(set datasets.Set, locked loader.Features) (loader.Features, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	switch {
	case s.Boxes != nil:
		return openBoxes(s, set)
	case s.Files != nil:
		return openFiles(s, set)
	case locked == nil:
		return nil, errors.New("regions: a grid without a locked encoder; set locked.side and name one with -weights vision=NAME")
	}
	return openGrid(s, locked)
}

// Shape is that of an image, as field.Image has it.
func (s Source) Shape() []int { return []int{s.Count, s.Width + place} }

// size is how many numbers an image has.
func (s Source) size() int { return s.Count * (s.Width + place) }

// row is row k of an image's numbers.
func (s Source) row(out []float32, k int) []float32 {
	stride := s.Width + place
	return out[k*stride : (k+1)*stride]
}

// locate writes behind a row's features where its region is, by x1, y1, x2, y2, w, h.
func locate(geometry []float32, box []float64) {
	for k, x := range box {
		geometry[k] = float32(x)
	}
	geometry[6], geometry[7] = geometry[4]*geometry[5], 1
}

// sidesOf are the numbers of a box that locate takes.
func sidesOf(b datasets.Box) []float64 {
	return []float64{b.Left, b.Top, b.Right, b.Bottom, b.Right - b.Left, b.Bottom - b.Top}
}

// whole is the region of a whole image.
var whole = datasets.Box{Right: 1, Bottom: 1}
