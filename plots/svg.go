package plots

import (
	"encoding/xml"
	"fmt"
	"image"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// printedSVG is an SVG canvas that holds images at the resolution of print and knows how wide its texts are. It keeps the texts
// themselves to the end, so that none is taken for a part of the page.
type printedSVG struct {
	*vgsvg.Canvas
	texts []printedText // in order
}

type printedText struct {
	text  string
	width vg.Length
}

// place stands for a text on the canvas.
const place = "text"

// DrawImage implements vg.Canvas.
func (c *printedSVG) DrawImage(at vg.Rectangle, img image.Image) {
	c.Canvas.DrawImage(at, printed(img, at.Size()))
}

// FillString implements vg.Canvas. The letters of TeX are drawn as outlines, as few readers' machines have the font.
func (c *printedSVG) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Typeface == latinModern {
		for _, glyph := range outlines(f, at, s) {
			c.Fill(glyph)
		}
		return
	}
	c.texts = append(c.texts, printedText{s, f.Width(s)})
	c.Canvas.FillString(f, at, place)
}

// fixed puts the texts into the page, and gives each the width that it was laid out with: a reader whose machine lacks the font would
// else see texts that run into each other or out of the page. It mends what vgsvg says of fonts, which it names after their files,
// and of PNG data, which it calls JPEG.
func (c *printedSVG) fixed(page string) (string, error) {
	page = strings.NewReplacer(
		"font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;",
		"font-family:Liberation Serif;", "font-family:'Liberation Serif','Times New Roman',Times,serif;",
		"font-variant:sansbold;font-weight:normal;", "font-variant:normal;font-weight:bold;",
		"font-variant:serifbold;font-weight:normal;", "font-variant:normal;font-weight:bold;",
		"data:image/jpg;", "data:image/png;",
	).Replace(page)
	parts := strings.Split(page, "<text ")
	if len(parts) != len(c.texts)+1 {
		return "", fmt.Errorf("the SVG canvas wrote %d texts of %d", len(parts)-1, len(c.texts))
	}
	b := strings.Builder{}
	b.WriteString(parts[0])
	for k, t := range c.texts {
		before, after, found := strings.Cut(parts[k+1], ">"+place+"</text>")
		if !found {
			return "", fmt.Errorf("the SVG canvas wrote no text %d of %d", k+1, len(c.texts))
		}
		b.WriteString("<text ")
		if t.width > 0 {
			fmt.Fprintf(&b, `textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, t.width.Points())
		}
		b.WriteString(before + ">")
		if err := xml.EscapeText(&b, []byte(t.text)); err != nil {
			return "", err
		}
		b.WriteString("</text>" + after)
	}
	return b.String(), nil
}
