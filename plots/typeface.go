package plots

import (
	"fmt"
	"strings"
	"sync"

	"codeberg.org/go-fonts/latin-modern/lmmath"
	"codeberg.org/go-fonts/latin-modern/lmroman8bold"
	"codeberg.org/go-fonts/latin-modern/lmroman8regular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Typeface is what the letters of a drawing look like.
type Typeface int

// Typefaces.
const (
	Sans           Typeface = iota // Liberation Sans, as wide as Arial and Helvetica
	Times                          // Liberation Serif, as wide as Times New Roman
	ComputerModern                 // Latin Modern Roman, TeX's letters
	typefaces
)

// String is the name that [TypefaceNamed] takes.
func (t Typeface) String() string {
	switch t {
	case Sans:
		return "sans"
	case Times:
		return "times"
	case ComputerModern:
		return "computermodern"
	}
	return fmt.Sprintf("Typeface(%d)", int(t))
}

// TypefaceNames are the names of all typefaces.
func TypefaceNames() (names []string) {
	for t := range typefaces {
		names = append(names, t.String())
	}
	return names
}

// TypefaceNamed is the typeface of a name; false where there is none.
func TypefaceNamed(name string) (Typeface, bool) {
	for t := range typefaces {
		if t.String() == name {
			return t, true
		}
	}
	return Sans, false
}

// check reports a typeface that there is not.
func (t Typeface) check() error {
	if t < 0 || t >= typefaces {
		return fmt.Errorf("plots: %v is none of the typefaces from Sans to ComputerModern", t)
	}
	return nil
}

// Names of the fonts. A bold font is a variant of its own: vgpdf cannot find a font whose weight is bold.
const (
	liberationFonts = "Liberation"
	latinModern     = "Latin Modern"
	bold            = "Bold"
)

var (
	sans      = font.Font{Typeface: liberationFonts, Variant: "Sans"}
	serif     = font.Font{Typeface: liberationFonts, Variant: "Serif"}
	roman     = font.Font{Typeface: latinModern, Variant: "Roman"}
	romanMath = font.Font{Typeface: latinModern, Variant: "Math"}
)

// font is that of labels.
func (t Typeface) font() font.Font {
	switch t {
	case Times:
		return serif
	case ComputerModern:
		return roman
	}
	return sans
}

// lettering is the style of labels.
func (t Typeface) lettering(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: font.From(t.font(), size), Handler: typesetter()}
}

// headline is the style of titles.
func (t Typeface) headline(size vg.Length) text.Style {
	style := t.lettering(size)
	style.Font.Variant += bold
	return style
}

// typesetter knows the fonts of all drawings.
var typesetter = sync.OnceValue(func() text.Handler {
	fonts := liberation.Collection()
	for _, f := range fonts {
		if f.Font.Weight == xfont.WeightBold && f.Font.Style == xfont.StyleNormal {
			f.Font.Variant, f.Font.Weight = f.Font.Variant+bold, xfont.WeightNormal
			fonts = append(fonts, f)
		}
	}
	for _, own := range []struct {
		font font.Font
		data []byte
	}{
		{roman, lmroman8regular.TTF},
		{font.Font{Typeface: latinModern, Variant: roman.Variant + bold}, lmroman8bold.TTF},
		{romanMath, lmmath.TTF},
	} {
		parsed, err := opentype.Parse(own.data)
		if err != nil {
			panic(fmt.Errorf("plots: font %s: %w", own.font.Name(), err))
		}
		fonts = append(fonts, font.Face{Font: own.font, Face: parsed})
	}
	return mixed{text.Plain{Fonts: font.NewCache(fonts)}}
})

// mixed is a text handler that takes a letter which its font lacks from another one, and gives lines of all fonts the height of those of
// Liberation Sans, for which the sizes of a drawing are made.
type mixed struct{ text.Plain }

// Extents implements text.Handler.
func (h mixed) Extents(f font.Font) font.Extents { return h.Plain.Extents(font.From(sans, f.Size)) }

// Box implements text.Handler.
func (h mixed) Box(line string, f font.Font) (width, height, depth vg.Length) {
	for _, s := range h.stretches(line, f) {
		width += s.width
	}
	e := h.Extents(f)
	return width, e.Ascent, e.Descent
}

// Draw implements text.Handler.
func (h mixed) Draw(c vg.Canvas, lines string, style text.Style, at vg.Point) {
	h.Plain.Draw(mixedCanvas{c, h, style.XAlign}, lines, style, at)
}

// mixedCanvas writes the stretches of a line where text.Plain would write the line in one font.
type mixedCanvas struct {
	vg.Canvas
	mixed
	align text.XAlignment
}

// FillString implements vg.Canvas.
func (c mixedCanvas) FillString(f font.Face, at vg.Point, line string) {
	width, _, _ := c.Box(line, f.Font)
	at.X += vg.Length(c.align) * (width - f.Width(line))
	at.Y += f.Extents().Ascent - c.Extents(f.Font).Ascent
	for _, s := range c.stretches(line, f.Font) {
		c.Canvas.FillString(s.face, at, s.text)
		at.X += s.width
	}
}

// stretch is a part of a line that one font has.
type stretch struct {
	face  font.Face
	text  string
	width vg.Length
}

// stretches are the parts of a line, each in the first font that has its letters.
func (h mixed) stretches(line string, f font.Font) []stretch {
	faces := []font.Face{h.Fonts.Lookup(f, f.Size)}
	for _, other := range standIns(f) {
		faces = append(faces, h.Fonts.Lookup(other, f.Size))
	}
	if len(faces) == 1 {
		return []stretch{{faces[0], line, faces[0].Width(line)}}
	}
	var all []stretch
	last := -1
	for _, r := range line {
		k := firstWith(r, faces)
		if k != last {
			all = append(all, stretch{face: faces[k]})
		}
		all[len(all)-1].text += string(r)
		last = k
	}
	for k, s := range all {
		all[k].width = s.face.Width(s.text)
	}
	return all
}

// standIns are the fonts from which letters come that a font lacks. Liberation Sans is the last, which shows a box for those that all lack.
func standIns(f font.Font) []font.Font {
	switch {
	case strings.HasPrefix(string(f.Variant), string(sans.Variant)):
		return nil
	case f.Typeface == latinModern:
		return []font.Font{romanMath, sans}
	}
	return []font.Font{sans}
}

// firstWith is the index of the first face that has a letter, or else of the last.
func firstWith(r rune, faces []font.Face) int {
	for k, f := range faces {
		if !lacks(f, r) {
			return k
		}
	}
	return len(faces) - 1
}

// lacks reports whether a font has no letter for a character.
func lacks(f font.Face, r rune) bool {
	glyph, err := f.Face.GlyphIndex(nil, r)
	return err != nil || glyph == 0
}
