package transform

import "math"

// fill is the value of pixels that a warp brings in from outside the image.
const fill = 128

// ShearX moves row y by factor*y pixels to the right; what comes in is grey.
func (m RGB) ShearX(factor float64) { m.warp([6]float64{1, -factor, 0, 0, 1, 0}) }

// ShearY moves column x by factor*x pixels down; what comes in is grey.
func (m RGB) ShearY(factor float64) { m.warp([6]float64{1, 0, 0, -factor, 1, 0}) }

// TranslateX moves the image by a number of pixels to the left; what comes in is grey.
func (m RGB) TranslateX(pixels float64) { m.warp([6]float64{1, 0, pixels, 0, 1, 0}) }

// TranslateY moves the image by a number of pixels up; what comes in is grey.
func (m RGB) TranslateY(pixels float64) { m.warp([6]float64{1, 0, 0, 0, 1, pixels}) }

// Rotate turns the image counter-clockwise about (Width/2, Height/2); what comes in is grey.
func (m RGB) Rotate(degrees float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	x, y := float64(m.Width)/2, float64(m.Height)/2
	m.warp([6]float64{cos, -sin, x - cos*x + sin*y, sin, cos, y - sin*x - cos*y})
}

// warp reads the pixel at (x, y) from (a[0] x + a[1] y + a[2], a[3] x + a[4] y + a[5]), bilinearly between pixel corners, as
// OpenCV's warpAffine does with a constant border.
func (m RGB) warp(a [6]float64) {
	source := m.clone()
	for y := range m.Height {
		out := m.row(y)
		for x := range m.Width {
			fromX := a[0]*float64(x) + a[1]*float64(y) + a[2]
			fromY := a[3]*float64(x) + a[4]*float64(y) + a[5]
			left, top := math.Floor(fromX), math.Floor(fromY)
			source.blend(int(left), int(top), float32(fromX-left), float32(fromY-top), out[3*x:3*x+3])
		}
	}
}

// blend writes the bilinear mixture of the four pixels whose upper left one is (x, y), at the fractions right and down.
func (m RGB) blend(x, y int, right, down float32, out []uint8) {
	upperLeft, upperRight := (1-right)*(1-down), right*(1-down)
	lowerLeft, lowerRight := (1-right)*down, right*down
	if x >= 0 && y >= 0 && x+1 < m.Width && y+1 < m.Height {
		upper := 3 * (y*m.Width + x)
		p, q := m.Pix[upper:upper+6], m.Pix[upper+3*m.Width:upper+3*m.Width+6]
		for c := range 3 {
			out[c] = uint8(upperLeft*float32(p[c]) + upperRight*float32(p[c+3]) +
				lowerLeft*float32(q[c]) + lowerRight*float32(q[c+3]) + 0.5)
		}
		return
	}
	for c := range 3 {
		out[c] = uint8(upperLeft*m.at(x, y, c) + upperRight*m.at(x+1, y, c) +
			lowerLeft*m.at(x, y+1, c) + lowerRight*m.at(x+1, y+1, c) + 0.5)
	}
}

// at is a channel of the pixel at (x, y), grey outside the image.
func (m RGB) at(x, y, channel int) float32 {
	if x < 0 || y < 0 || x >= m.Width || y >= m.Height {
		return fill
	}
	return float32(m.Pix[3*(y*m.Width+x)+channel])
}
