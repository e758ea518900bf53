package kernels

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// logo returns a square PNG of size pixels (a multiple of 16): the similarities of four pairs, positives dark on the
// diagonal, and one false negative beside it.
func logo(size int) ([]byte, error) {
	var (
		paper    = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
		negative = color.NRGBA{R: 0xd6, G: 0xe4, B: 0xf0, A: 0xff}
		positive = color.NRGBA{R: 0x1f, G: 0x5a, B: 0x96, A: 0xff}
		hidden   = color.NRGBA{R: 0xe3, G: 0x6c, B: 0x0a, A: 0xff}
	)
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	draw.Draw(img, img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	pitch, gap := size/4, size/32
	for row := range 4 {
		for column := range 4 {
			fill := negative
			switch {
			case row == column:
				fill = positive
			case row == 1 && column == 2:
				fill = hidden
			}
			x, y := column*pitch, row*pitch
			square := image.Rect(x+gap, y+gap, x+pitch-gap, y+pitch-gap)
			draw.Draw(img, square, image.NewUniform(fill), image.Point{}, draw.Src)
		}
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, img); err != nil {
		return nil, err
	}
	return encoded.Bytes(), nil
}
