package plots

import (
	"fmt"
	"image"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// printedSVG is an SVG canvas that holds images at the resolution of print and knows how wide its texts are.
type printedSVG struct {
	*vgsvg.Canvas
	widths []vg.Length // of the texts, in order
}

// DrawImage implements vg.Canvas.
func (c *printedSVG) DrawImage(at vg.Rectangle, img image.Image) {
	c.Canvas.DrawImage(at, printed(img, at.Size()))
}

// FillString implements vg.Canvas.
func (c *printedSVG) FillString(f font.Face, at vg.Point, s string) {
	c.widths = append(c.widths, f.Width(s))
	c.Canvas.FillString(f, at, s)
}

// fixed gives each text of the page the width that it was laid out with. A reader whose machine lacks the font would else see
// texts that run into each other or out of the page.
func (c *printedSVG) fixed(page string) string {
	parts := strings.Split(page, "<text ")
	for k, width := range c.widths {
		if width > 0 {
			parts[k+1] = fmt.Sprintf(`textLength="%.2f" lengthAdjust="spacingAndGlyphs" %s`, width.Points(), parts[k+1])
		}
	}
	return strings.Join(parts, "<text ")
}
