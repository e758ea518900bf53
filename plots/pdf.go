package plots

import (
	"image/color"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// westernPDF is a PDF canvas that takes Go strings: vgpdf's fonts are encoded in Windows-1252 and would show UTF-8 as garbage.
type westernPDF struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas. vgpdf embeds one TrueType font a page, that of the labels, with the letters of Windows-1252. Others are
// drawn as outlines.
func (c westernPDF) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Typeface != liberationFonts || strings.HasSuffix(string(f.Font.Variant), bold) {
		c.outline(f, at, s)
		return
	}
	for s != "" {
		part, encoded := westernPart(s)
		if encoded != "" {
			c.Canvas.FillString(f, at, encoded)
		} else {
			c.outline(f, at, part)
		}
		at.X += f.Width(part)
		s = s[len(part):]
	}
}

func (c westernPDF) outline(f font.Face, at vg.Point, s string) {
	for _, glyph := range outlines(f, at, s) {
		c.Fill(glyph)
	}
}

// SetColor implements vg.Canvas. vgpdf takes the components that a colour multiplies by its opacity for those of full opacity,
// which makes every transparent colour nearly black.
func (c westernPDF) SetColor(clr color.Color) {
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(clr).(color.NRGBA)))
}

// straight is a colour whose components are not multiplied by its opacity.
type straight color.NRGBA

// RGBA implements color.Color.
func (c straight) RGBA() (r, g, b, a uint32) {
	return 0x101 * uint32(c.R), 0x101 * uint32(c.G), 0x101 * uint32(c.B), 0x101 * uint32(c.A)
}

// westernPart is the longest beginning of a text that Windows-1252 has, and that in this encoding; or that it lacks, and "".
func westernPart(s string) (part, encoded string) {
	var code []byte
	for k, r := range s {
		c, western := charmap.Windows1252.EncodeRune(r)
		if western != (len(code) > 0) && k > 0 {
			return s[:k], string(code)
		}
		if western {
			code = append(code, c)
		}
	}
	return s, string(code)
}
