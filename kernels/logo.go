package kernels

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// The logo: the similarities of four pairs, positives dark on the diagonal, and one false negative beside it.
var (
	paper    = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	negative = color.NRGBA{R: 0xd6, G: 0xe4, B: 0xf0, A: 0xff}
	positive = color.NRGBA{R: 0x1f, G: 0x5a, B: 0x96, A: 0xff}
	hidden   = color.NRGBA{R: 0xe3, G: 0x6c, B: 0x0a, A: 0xff}
)

// similarity is the colour of one of the logo's 4 x 4 squares.
func similarity(row, column int) color.NRGBA {
	switch {
	case row == column:
		return positive
	case row == 1 && column == 2:
		return hidden
	}
	return negative
}

// logoPNG returns the logo as a square PNG of size pixels, a multiple of 32.
func logoPNG(size int) ([]byte, error) {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	draw.Draw(img, img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	pitch, gap := size/4, size/32
	for row := range 4 {
		for column := range 4 {
			x, y := column*pitch, row*pitch
			square := image.Rect(x+gap, y+gap, x+pitch-gap, y+pitch-gap)
			draw.Draw(img, square, image.NewUniform(similarity(row, column)), image.Point{}, draw.Src)
		}
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, img); err != nil {
		return nil, err
	}
	return encoded.Bytes(), nil
}

// logoSVG returns the logo as SVG, which newer Jupyters prefer.
func logoSVG() []byte {
	var svg bytes.Buffer
	rect := func(x, y, side int, c color.NRGBA) {
		fmt.Fprintf(&svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n", x, y, side, side, c.R, c.G, c.B)
	}
	svg.WriteString("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">\n")
	rect(0, 0, 32, paper)
	for row := range 4 {
		for column := range 4 {
			rect(8*column+1, 8*row+1, 6, similarity(row, column))
		}
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}
