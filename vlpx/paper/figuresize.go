package paper

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/scale"
)

// Lengths that a figure and a panel may have.
const (
	narrowest, widest = vg.Inch, 30 * vg.Inch
	lowest, highest   = 0.8 * vg.Inch, 30 * vg.Inch
)

// length reads a length between two others; 0 for none.
func length(what, text string, least, most vg.Length) (vg.Length, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "":
		return 0, nil
	case "column":
		return plots.ColumnWidth, nil
	case "page":
		return plots.PageWidth, nil
	}
	l, err := vg.ParseLength(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		return 0, fmt.Errorf("%s %s: no length; write column, page, or a number with its unit, such as 89mm, 3.5in or 250pt", what, text)
	}
	if !(l >= least && l <= most) {
		return 0, fmt.Errorf("%s %s: want from %.3gin to %.3gin", what, text, least.Points()/72, most.Points()/72)
	}
	return l, nil
}

// typeface is that of a name, in any case; Sans for none.
func typeface(name string) (plots.Typeface, error) {
	face, known := plots.TypefaceNamed(strings.ToLower(strings.TrimSpace(name)))
	if !known && name != "" {
		return face, scale.Unknown("typeface", name, plots.TypefaceNames())
	}
	return face, nil
}

// dressed is a drawing with the view's title, sizes and typeface.
func (v View) dressed(d plots.Drawing) (plots.Drawing, error) {
	width, err := length("width", v.Width, narrowest, widest)
	if err != nil {
		return nil, err
	}
	height, err := length("height", v.Height, lowest, highest)
	if err != nil {
		return nil, err
	}
	face, err := typeface(v.Typeface)
	if err != nil {
		return nil, err
	}
	switch f := d.(type) {
	case plots.Figure:
		f.Typeface = face
		if v.Title != "" {
			f.Title = v.Title
		}
		if v.Panels > 0 {
			f.Columns = v.Panels
		}
		if width > 0 {
			f.Width = width
		}
		if height > 0 {
			f.Height = height
		}
		return f, nil
	case plots.Pictures:
		if width > 0 || height > 0 || v.Panels > 0 {
			return nil, fmt.Errorf("%q is of pictures, which have sizes of their own; leave width, height and panels out", f.Title)
		}
		f.Typeface = face
		if v.Title != "" {
			f.Title = v.Title
		}
		return f, nil
	}
	return d, nil
}
