package plots

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outlines are the paths of a text's letters, its baseline from a point to the right. For one that the font lacks it has a sign.
func outlines(f font.Face, at vg.Point, s string) []vg.Path {
	var (
		buffer   sfnt.Buffer
		em       = fixed.I(int(f.Face.UnitsPerEm())) // so that nothing is rounded
		scale    = f.Font.Size / vg.Length(em)
		glyphs   []vg.Path
		previous sfnt.GlyphIndex
	)
	for k, r := range []rune(s) {
		glyph, err := f.Face.GlyphIndex(&buffer, r)
		if err != nil {
			continue
		}
		if kern, err := f.Face.Kern(&buffer, previous, glyph, em, 0); err == nil && k > 0 {
			at.X += scale * vg.Length(kern)
		}
		if segments, err := f.Face.LoadGlyph(&buffer, glyph, em, nil); err == nil && len(segments) > 0 {
			glyphs = append(glyphs, letterPath(segments, at, scale))
		}
		if advance, err := f.Face.GlyphAdvance(&buffer, glyph, em, 0); err == nil {
			at.X += scale * vg.Length(advance)
		}
		previous = glyph
	}
	return glyphs
}

// letterPath is the path of a letter whose segments grow downwards.
func letterPath(segments sfnt.Segments, at vg.Point, scale vg.Length) vg.Path {
	var path vg.Path
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + scale*vg.Length(p.X), Y: at.Y - scale*vg.Length(p.Y)}
	}
	for k, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if k > 0 {
				path.Close()
			}
			path.Move(point(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
	path.Close()
	return path
}
