package transform

import (
	"fmt"
	"image"
	"math/rand/v2"
)

// Pipeline is the way from an image to pixels. It is plain data, since it is part of a run's identity. With Size alone it
// resizes and normalises, which is what evaluation does.
type Pipeline struct {
	Size        int         `json:"size"`                 // side of the result in pixels
	Crop        [2]float64  `json:"crop,omitzero"`        // area of the random crop, least and most, as shares; zero: whole image
	Flip        bool        `json:"flip,omitzero"`        // mirror with a chance of one half; captions are not changed
	RandAugment RandAugment `json:"randaugment,omitzero"` // after the flip

	// After RandAugment, in this order.
	Jitter    ColourJitter `json:"jitter,omitzero"`
	Greyscale float64      `json:"greyscale,omitzero"` // chance with which the colours go
	Blur      GaussianBlur `json:"blur,omitzero"`
}

// ALBEF is the augmentation of ALBEF's pre-training at a size (METHODS.md 1.1).
func ALBEF(size int) Pipeline {
	return Pipeline{Size: size, Crop: [2]float64{0.2, 1}, Flip: true, RandAugment: RandAugment{Ops: 2, Magnitude: 7}}
}

// SogCLR is the augmentation of SimCLR and SogCLR at a size, two views of which are contrasted (METHODS.md 7.1). Without its Blur it is
// SimCLR's for images of 32 pixels (Chen et al., 2020, B.9).
func SogCLR(size int) Pipeline {
	return Pipeline{Size: size, Crop: [2]float64{0.08, 1}, Flip: true, Greyscale: 0.2,
		Jitter: ColourJitter{Chance: 0.8, Brightness: 0.4, Contrast: 0.4, Saturation: 0.2, Hue: 0.1},
		Blur:   GaussianBlur{Chance: 1, Sigma: [2]float64{0.1, 2}}}
}

// Validate says what is wrong with the settings.
func (p Pipeline) Validate() error {
	switch {
	case p.Size < 1:
		return fmt.Errorf("transform: Size is %d; it must be at least 1 pixel", p.Size)
	case p.Crop != [2]float64{} && !(0 < p.Crop[0] && p.Crop[0] <= p.Crop[1] && p.Crop[1] <= 1):
		return fmt.Errorf("transform: Crop is %v; it must be two shares of the area, 0 < least <= most <= 1, or left out", p.Crop)
	case p.RandAugment.Ops < 0:
		return fmt.Errorf("transform: RandAugment.Ops is %d; it must not be negative", p.RandAugment.Ops)
	case p.RandAugment.Magnitude < 0 || p.RandAugment.Magnitude > maxMagnitude:
		return fmt.Errorf("transform: RandAugment.Magnitude is %d; it must be 0 to %d", p.RandAugment.Magnitude, maxMagnitude)
	}
	if err := p.Jitter.validate(); err != nil {
		return err
	}
	if !chance(p.Greyscale) {
		return fmt.Errorf("transform: Greyscale is %g; it is a chance, 0 to 1", p.Greyscale)
	}
	return p.Blur.validate()
}

// chance tells whether p is one.
func chance(p float64) bool { return p >= 0 && p <= 1 }

// Apply writes the normalised pixels of img to out. The image is not changed. The result depends on rng's state and the
// arguments only; rng may be nil when nothing is random. The settings must be valid.
//
//   - out: [Size, Size, 3].
func (p Pipeline) Apply(rng *rand.Rand, img image.Image, out []float32) {
	region := img.Bounds()
	if p.Crop != [2]float64{} {
		region = RandomCrop(rng, region, p.Crop)
	}
	m := Resize(img, region, p.Size)
	if p.Flip && rng.Float64() < 0.5 {
		m.FlipHorizontal()
	}
	p.RandAugment.Apply(rng, m)
	p.Jitter.Apply(rng, m)
	if p.Greyscale > 0 && rng.Float64() < p.Greyscale {
		m.Greyscale()
	}
	p.Blur.Apply(rng, m)
	CLIP.Normalise(m, out)
}
