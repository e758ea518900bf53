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

// FillString implements vg.Canvas. Titles are drawn as outlines: vgpdf embeds one font file a page, and would set them in the
// letters of the labels.
func (c westernPDF) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Variant != boldVariant {
		c.Canvas.FillString(f, at, western(s))
		return
	}
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

// western encodes a text in Windows-1252 and spells out what that lacks.
func western(s string) string {
	s = strings.NewReplacer(
		"α", "alpha", "β", "beta", "γ", "gamma", "ε", "epsilon", "λ", "lambda", "μ", "µ", "ρ", "rho", "σ", "sigma", "τ", "tau",
		"≤", "<=", "≥", ">=", "→", "->", "−", "-",
	).Replace(s)
	var b strings.Builder
	for _, r := range s {
		if c, ok := charmap.Windows1252.EncodeRune(r); ok {
			b.WriteByte(c)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}
