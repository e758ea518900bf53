package transform

import (
	"image"

	"golang.org/x/image/draw"
)

// RGB is an image of packed 8-bit red, green and blue, row by row: Pix has 3*Width*Height values. The operations on it
// work in place.
type RGB struct {
	Width, Height int
	Pix           []uint8
}

// Resize squashes a region of an image to size x size with the bicubic kernel (Catmull-Rom, widened when it shrinks), which
// is what PIL calls BICUBIC. The aspect ratio is not kept. Transparent pixels become black.
func Resize(img image.Image, region image.Rectangle, size int) RGB {
	if photo, ok := img.(*image.YCbCr); ok {
		// As PIL does: colours first. The scaler would convert a pixel anew for every tap of the kernel.
		rgba := image.NewRGBA(region)
		draw.Draw(rgba, region, photo, region.Min, draw.Src)
		img = rgba
	}
	canvas := image.NewRGBA(image.Rect(0, 0, size, size))
	draw.CatmullRom.Scale(canvas, canvas.Bounds(), img, region, draw.Src, nil)
	m := RGB{Width: size, Height: size, Pix: make([]uint8, 3*size*size)}
	for from, to := 0, 0; to < len(m.Pix); from, to = from+4, to+3 {
		copy(m.Pix[to:to+3], canvas.Pix[from:from+3])
	}
	return m
}

// FlipHorizontal mirrors the image left to right.
func (m RGB) FlipHorizontal() {
	for y := range m.Height {
		row := m.row(y)
		for left, right := 0, len(row)-3; left < right; left, right = left+3, right-3 {
			for c := range 3 {
				row[left+c], row[right+c] = row[right+c], row[left+c]
			}
		}
	}
}

// row is the slice of Pix that holds row y.
func (m RGB) row(y int) []uint8 { return m.Pix[3*m.Width*y : 3*m.Width*(y+1)] }

// clone copies the pixels, for operations that read neighbours.
func (m RGB) clone() RGB {
	return RGB{Width: m.Width, Height: m.Height, Pix: append([]uint8(nil), m.Pix...)}
}
