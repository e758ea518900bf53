package scenes

import (
	"image"
	"math"
	"math/rand/v2"

	"vlpx.internal/datasets"
)

// rgb is a colour with components from 0 to 1.
type rgb [3]float64

// look is how scenes become images.
type look struct {
	*world
	size   int     // pixels a side
	ground float64 // factor on the colours of grounds
	noise  float64 // standard deviation of the noise on every component, on a scale from 0 to 1
}

const (
	dimGround    = .5  // factor on grounds by default
	brightGround = 1.  // factor on grounds with Config.Bright
	subsamples   = 4   // anti-aliasing takes subsamples x subsamples points a pixel
	stripe       = .35 // brightness of the dark stripes of striped objects
	rows         = 32  // stripes have the height of one row of an image of 32 pixels; dark are the odd rows
)

// radius holds the radius of an object as a fraction of a cell's side: 2.4 and 3.9 pixels of 8.
var radius = [...]float64{Small: 2.4 / 8, Big: 3.9 / 8}

// draw paints the scene: ground, then objects, then Gaussian noise drawn from r on every component.
func (l look) draw(s Scene, r *rand.Rand) *image.NRGBA {
	pixels := make([]rgb, l.size*l.size)
	earth, unit := l.earth[s.Ground], rows/float64(l.size)
	for k := range pixels {
		x, y := float64(k%l.size)+.5, float64(k/l.size)+.5
		pixels[k] = earth.at(x*unit, y*unit).times(l.ground)
	}
	for _, o := range s.Objects {
		l.drawObject(pixels, o)
	}
	img := image.NewNRGBA(image.Rect(0, 0, l.size, l.size))
	for k := range pixels {
		out := img.Pix[4*k : 4*k+4 : 4*k+4]
		for c := range 3 {
			v := pixels[k][c]
			if l.noise > 0 {
				v += float64(l.noise * r.NormFloat64())
			}
			out[c] = quantise(v)
		}
		out[3] = 255
	}
	return img
}

// quantise rounds a component from 0 to 1 to 8 bits, and clips it.
func quantise(v float64) uint8 {
	switch v = float64(255*v) + .5; {
	case v < 0:
		return 0
	case v > 255:
		return 255
	}
	return uint8(v)
}

// drawObject blends an object over the pixels by the share of each pixel's sample points that it covers.
func (l look) drawObject(pixels []rgb, o Object) {
	cell := float64(l.size) / Cells
	rad := radius[o.Size] * cell
	cx, cy := (float64(o.Column)+.5)*cell, (float64(o.Row)+.5)*cell
	left, right := int(cx-rad), min(l.size, int(math.Ceil(cx+rad)))
	top, bottom := int(cy-rad), min(l.size, int(math.Ceil(cy+rad)))
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			light, covered := l.sample(o, x, y, cx, cy, rad)
			if covered > 0 {
				under := &pixels[y*l.size+x]
				*under = under.times(1 - covered).plus(l.paint[o.Colour].times(light))
			}
		}
	}
}

// sample looks at the sample points of pixel (x, y): the share that the object covers, and the same with points in a dark
// stripe counted at their brightness.
func (l look) sample(o Object, x, y int, cx, cy, rad float64) (light, covered float64) {
	const step = 1. / subsamples
	for sy := range subsamples {
		py := float64(y) + (float64(sy)+.5)*step
		brightness := 1.
		if o.Texture == Striped && int(py*rows/float64(l.size))%2 == 1 {
			brightness = stripe
		}
		for sx := range subsamples {
			px := float64(x) + (float64(sx)+.5)*step
			if o.Shape.covers((px-cx)/rad, (py-cy)/rad) {
				light += brightness
				covered++
			}
		}
	}
	return light * step * step, covered * step * step
}

// covers reports whether a shape of radius one around the origin covers a point; y grows downwards.
func (s Shape) covers(x, y float64) bool {
	ax, ay := math.Abs(x), math.Abs(y)
	switch s {
	case Square:
		return ax <= squareHalf && ay <= squareHalf
	case Disc:
		return float64(x*x)+float64(y*y) <= 1
	case Triangle:
		return ay <= 1 && 2*ax <= y+1
	case Cross:
		return min(ax, ay) <= armHalf && max(ax, ay) <= 1
	case Diamond:
		return ax+ay <= 1
	case Ring:
		d := float64(x*x) + float64(y*y)
		return hole*hole <= d && d <= 1
	case Star:
		return min(ax, ay)*(1-starWaist) <= starWaist*(1-max(ax, ay))
	case Heart:
		lobe := float64((ax-.5)*(ax-.5))+float64((y+.5)*(y+.5)) <= .25
		return lobe || y >= -.5 && 1.5*ax <= 1-y
	case Frame:
		return max(ax, ay) <= squareHalf && max(ax, ay) >= gap
	}
	return false
}

// box is the smallest that holds the object's shape, which reaches as far to all four sides.
func (o Object) box() datasets.Box {
	half := radius[o.Size] / Cells
	if o.Shape == Square || o.Shape == Frame {
		half *= squareHalf
	}
	x, y := (float64(o.Column)+.5)/Cells, (float64(o.Row)+.5)/Cells
	return datasets.Box{Left: x - half, Top: y - half, Right: x + half, Bottom: y + half}
}

const (
	squareHalf = .92 // half the side of a square
	armHalf    = .3  // half the width of a cross's arms
	hole       = .55 // radius of a ring's hole
	starWaist  = .3  // where two edges of a star of four points meet, on the diagonal
	gap        = .5  // half the side of a frame's gap
)

func (c rgb) times(f float64) rgb { return rgb{c[0] * f, c[1] * f, c[2] * f} }

func (c rgb) plus(d rgb) rgb { return rgb{c[0] + d[0], c[1] + d[1], c[2] + d[2]} }
