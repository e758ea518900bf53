package plots

import (
	"image"
	"math"
	"strings"

	"golang.org/x/image/draw"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// The canvases below give every image the pixels of its printed size, by Catmull and Rom's cubic. Left to the viewers, a small
// image would be blurred by one and shown in squares by another; and a large one would be stored whole.

// pixelPNG is a PNG canvas that puts images on whole pixels.
type pixelPNG struct{ *vgimg.Canvas }

// DrawImage implements vg.Canvas.
func (c pixelPNG) DrawImage(at vg.Rectangle, img image.Image) {
	pixel := func(v vg.Length) int { return int(math.Round(v.Dots(c.DPI()))) }
	page := c.Image()
	bottom := page.Bounds().Max.Y
	place := image.Rect(pixel(at.Min.X), bottom-pixel(at.Max.Y), pixel(at.Max.X), bottom-pixel(at.Min.Y))
	draw.CatmullRom.Scale(page, place, img, img.Bounds(), draw.Over, nil)
}

// DrawImage implements vg.Canvas. It hands the image over upside down: vgpdf's page grows downwards, its images do not.
func (c westernPDF) DrawImage(at vg.Rectangle, img image.Image) {
	upright := printed(img, at.Size())
	flipped := image.NewRGBA(upright.Rect)
	for y := range upright.Rect.Dy() {
		copy(flipped.Pix[(upright.Rect.Dy()-1-y)*flipped.Stride:], upright.Pix[y*upright.Stride:][:upright.Stride])
	}
	c.Canvas.DrawImage(at, flipped)
}

// printed returns an image on white paper at the resolution of print.
func printed(img image.Image, size vg.Point) *image.RGBA {
	pixels := func(v vg.Length) int { return max(1, int(math.Round(v.Dots(printDPI)))) }
	out := image.NewRGBA(image.Rect(0, 0, pixels(size.X), pixels(size.Y)))
	draw.Draw(out, out.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), draw.Over, nil)
	return out
}

// FillString implements vg.Canvas. gg leaves letters out that the font lacks; outlines have a box for each.
func (c pixelPNG) FillString(f font.Face, at vg.Point, s string) {
	if !strings.ContainsFunc(s, func(r rune) bool { return lacks(f, r) }) {
		c.Canvas.FillString(f, at, s)
		return
	}
	for _, glyph := range outlines(f, at, s) {
		c.Fill(glyph)
	}
}
