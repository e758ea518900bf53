package transform

import (
	"image"
	"math"
	"math/rand/v2"
)

// Bounds of the aspect ratio (width over height) of a random crop, and the tries before it gives up (torchvision's
// RandomResizedCrop, which ALBEF uses with its defaults).
const (
	narrowest = 3.0 / 4
	widest    = 4.0 / 3
	cropTries = 10
)

// RandomCrop draws the region of a random resized crop: its area is uniform between scale[0] and scale[1] of the image's, its
// aspect ratio log-uniform between 3:4 and 4:3, its place uniform. When ten draws do not fit, it is the largest central
// region with an aspect ratio in those bounds.
func RandomCrop(rng *rand.Rand, bounds image.Rectangle, scale [2]float64) image.Rectangle {
	width, height := bounds.Dx(), bounds.Dy()
	for range cropTries {
		area := float64(width*height) * (scale[0] + (scale[1]-scale[0])*rng.Float64())
		ratio := math.Exp(math.Log(narrowest) + (math.Log(widest)-math.Log(narrowest))*rng.Float64())
		w := int(math.RoundToEven(math.Sqrt(area * ratio)))
		h := int(math.RoundToEven(math.Sqrt(area / ratio)))
		if 0 < w && w <= width && 0 < h && h <= height {
			return region(bounds, rng.IntN(width-w+1), rng.IntN(height-h+1), w, h)
		}
	}
	w, h := width, height
	switch ratio := float64(width) / float64(height); {
	case ratio < narrowest:
		h = int(math.RoundToEven(float64(width) / narrowest))
	case ratio > widest:
		w = int(math.RoundToEven(float64(height) * widest))
	}
	return region(bounds, (width-w)/2, (height-h)/2, w, h)
}

// region is the rectangle of w x h at an offset from the corner of bounds.
func region(bounds image.Rectangle, left, top, w, h int) image.Rectangle {
	corner := bounds.Min.Add(image.Pt(left, top))
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(w, h))}
}
