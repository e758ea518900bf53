package transform

import (
	"fmt"
	"math/rand/v2"
)

// ColourJitter changes brightness, contrast, saturation and hue by random amounts, in a random order (torchvision's ColorJitter). The zero
// value changes nothing.
type ColourJitter struct {
	Chance     float64 `json:"chance"`     // with which an image is changed
	Brightness float64 `json:"brightness"` // factors are uniform between 1 less this and 1 more, and not below 0
	Contrast   float64 `json:"contrast"`   // likewise
	Saturation float64 `json:"saturation"` // likewise
	Hue        float64 `json:"hue"`        // turns are uniform between minus this and this, at most a half
}

// Apply draws whether, in which order and how far, and changes the image. It takes as many numbers from rng whatever comes of it, and none
// where the settings are zero.
func (j ColourJitter) Apply(rng *rand.Rand, m RGB) {
	if j == (ColourJitter{}) {
		return
	}
	applied := rng.Float64() < j.Chance
	order := [4]int{0, 1, 2, 3}
	rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	factor := func(strength float64) float64 { return between(rng, max(0, 1-strength), 1+strength) }
	brightness, contrast, saturation, hue := factor(j.Brightness), factor(j.Contrast), factor(j.Saturation), between(rng, -j.Hue, j.Hue)
	if !applied {
		return
	}
	for _, change := range order {
		switch change {
		case 0:
			m.Brightness(brightness)
		case 1:
			m.Contrast(contrast)
		case 2:
			m.Saturation(saturation)
		case 3:
			m.Hue(hue)
		}
	}
}

func (j ColourJitter) validate() error {
	if !chance(j.Chance) || !(j.Brightness >= 0 && j.Contrast >= 0 && j.Saturation >= 0) || !(j.Hue >= 0 && j.Hue <= 0.5) {
		return fmt.Errorf("transform: Jitter is %+v; the chance lies in 0 to 1, hue in 0 to a half, and none is negative", j)
	}
	return nil
}

// between is a uniform draw.
func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// Contrast moves every value away from the mean grey, rounded: mean + factor*(value - mean), as PIL's ImageEnhance does. 0 is grey, 1 the
// image.
func (m RGB) Contrast(factor float64) {
	sum, pixels := 0, len(m.Pix)/3
	for i := 0; i < len(m.Pix); i += 3 {
		sum += luma(m.Pix[i : i+3])
	}
	mean := float64((2*sum + pixels) / (2 * pixels))
	for c := range 3 {
		m.lookUp(c, func(value int) float64 { return mean + float64(factor*(float64(value)-mean)) })
	}
}

// Saturation moves every pixel away from its grey: grey + factor*(value - grey). 0 is grey, 1 the image.
func (m RGB) Saturation(factor float64) {
	amount := float32(factor)
	for i := 0; i+2 < len(m.Pix); i += 3 {
		p := m.Pix[i : i+3 : i+3]
		grey := float32(luma(p))
		for c, v := range p {
			p[c] = uint8(min(max(grey+float32(amount*(float32(v)-grey)), 0), 255))
		}
	}
}

// Greyscale makes the three channels of every pixel its grey.
func (m RGB) Greyscale() {
	for i := 0; i+2 < len(m.Pix); i += 3 {
		p := m.Pix[i : i+3 : i+3]
		grey := uint8(luma(p))
		p[0], p[1], p[2] = grey, grey, grey
	}
}

// luma is a pixel's grey, 0.299 red + 0.587 green + 0.114 blue to the nearest, in PIL's whole numbers.
func luma(p []uint8) int {
	return (19595*int(p[0]) + 38470*int(p[1]) + 7471*int(p[2]) + 1<<15) >> 16
}

// Hue turns the hue of every pixel by so many turns and keeps its saturation and value (HSV). torchvision's result on PIL's images differs
// by a few levels, since hue and saturation are rounded to 8 bits there.
func (m RGB) Hue(turns float64) {
	turn := float32(6 * (turns + 1)) // in sixths, above 0
	for i := 0; i+2 < len(m.Pix); i += 3 {
		p := m.Pix[i : i+3 : i+3]
		r, g, b := float32(p[0]), float32(p[1]), float32(p[2])
		value := max(r, g, b)
		chroma := value - min(r, g, b)
		if chroma == 0 {
			continue
		}
		var hue float32 // in sixths of a turn from red, -1 to 5
		switch value {
		case r:
			hue = (g - b) / chroma
		case g:
			hue = 2 + (b-r)/chroma
		default:
			hue = 4 + (r-g)/chroma
		}
		hue += turn
		p[0], p[1], p[2] = ofHue(value, chroma, hue+5), ofHue(value, chroma, hue+3), ofHue(value, chroma, hue+1)
	}
}

// ofHue is a channel of a colour by its value, its chroma and its distance from the channel's complement in sixths of a turn, 0 to 24.
func ofHue(value, chroma, sixths float32) uint8 {
	for sixths >= 6 {
		sixths -= 6
	}
	return uint8(value - float32(chroma*max(0, min(sixths, 4-sixths, 1))) + 0.5)
}
