package plots

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of what journals print on: the width of a column of a page of two, and the page without its margins.
const (
	ColumnWidth = 3.5 * vg.Inch
	PageWidth   = 7.16 * vg.Inch
	PageHeight  = 9.2 * vg.Inch
)

// layout is where the parts of a figure go.
type layout struct {
	width, height vg.Length
	rows, cols    int
	title         title
	names         vg.Length // room of the names of rows, at the left of the first column
	headings      []string  // of the panels, in lines that fit
	headingHeight vg.Length
	foot          foot
}

func (f Figure) layout() layout {
	var l layout
	l.cols, l.width = f.columns()
	l.names = f.names()
	l.rows = ceil(len(f.Panels), l.cols)
	inner := l.width - 2*margin
	l.title = newTitle(f.Title, f.Typeface, inner)
	l.foot = newFoot(newLegend(f.Panels, f.Known, f.Typeface), f.Note, inner)
	for k, p := range f.Panels {
		heading := p.title()
		if len(f.Panels) > 1 {
			heading = fmt.Sprintf("(%s) %s", letter(k), heading)
		}
		style := f.Typeface.headline(labelSize)
		l.headings = append(l.headings, wrapped(heading, style, l.panel(f, k)))
		if heading != "" {
			l.headingHeight = max(l.headingHeight, style.Height(l.headings[k])+0.8*labelSize)
		}
	}
	around := l.title.height + vg.Length(l.rows)*(l.headingHeight+panelGap) + l.foot.height + 2*margin
	high, low := f.heights()
	panels := min(vg.Length(l.rows)*high, max(PageHeight-around, vg.Length(l.rows)*low))
	l.height = around + panels
	return l
}

// names is the room of the names of rows.
func (f Figure) names() vg.Length {
	var room vg.Length
	for _, p := range f.Panels {
		if d, ok := p.(Dots); ok {
			room = max(room, d.namesRoom(f.Typeface))
		}
	}
	return room
}

// heights are that of a panel with its axes, and the least of one where there are more rows than fit a page.
func (f Figure) heights() (high, low vg.Length) {
	if f.Height > 0 {
		return f.Height, f.Height
	}
	for _, p := range f.Panels {
		if d, ok := p.(Dots); ok {
			high, low = max(high, d.height(f.Typeface)), max(low, d.height(f.Typeface))
		} else {
			high, low = max(high, panelHeight), max(low, panelLow)
		}
	}
	return high, low
}

// columns is how many panels stand side by side, as many as can be read but in rows as even as can be, and the figure's width.
func (f Figure) columns() (cols int, width vg.Length) {
	var least, most vg.Length
	for _, p := range f.Panels {
		l, m := p.room(f.Typeface)
		least, most = max(least, l), max(most, m)
	}
	cols, width = f.Columns, f.Width
	if cols <= 0 {
		cols = 3
	}
	if width <= 0 {
		width = PageWidth
	}
	cols, beside := min(cols, len(f.Panels)), f.names()
	for cols > 1 && panelOf(width-beside, cols) < least {
		cols--
	}
	cols = ceil(len(f.Panels), ceil(len(f.Panels), cols))
	if f.Width <= 0 {
		names, _ := newLegend(f.Panels, f.Known, f.Typeface).size(0) // one below the other
		if cols == 1 && max(least+beside, names) <= panelOf(ColumnWidth, 1) {
			width = ColumnWidth
		}
		width = min(width, max(names, beside+vg.Length(cols)*(most+panelGap)-panelGap)+2*margin)
	}
	return cols, width
}

// ceil is how many parts of so many make up a whole.
func ceil(whole, part int) int { return (whole + part - 1) / part }

// panelOf is the width of a panel with its axes, of so many side by side.
func panelOf(width vg.Length, cols int) vg.Length {
	return (width-2*margin+panelGap)/vg.Length(cols) - panelGap
}

// panel is the width of the k-th panel without the names of rows beside it.
func (l layout) panel(f Figure, k int) vg.Length {
	width := panelOf(l.width-l.names, l.cols)
	if f.alone(k, l.cols) {
		_, most := f.Panels[k].room(f.Typeface)
		width = max(width, min(most, panelOf(l.width-l.names, 1)))
	}
	return width
}

// alone tells whether a panel is the only one of the last of several rows, which it may have to itself.
func (f Figure) alone(k, cols int) bool {
	return cols > 1 && k > 0 && k == len(f.Panels)-1 && k%cols == 0
}

// foot is what stands below a drawing: its legend and its note.
type foot struct {
	legend       legend
	legendHeight vg.Length
	note         string // in lines that fit
	height       vg.Length
}

func newFoot(l legend, note string, width vg.Length) foot {
	l.fit(width)
	f := foot{legend: l, note: wrapped(note, l.face.lettering(noteSize), width)}
	_, f.legendHeight = l.size(width)
	f.height = f.legendHeight
	if f.note != "" {
		f.height += noteGap + paragraphHeight(l.face.lettering(noteSize), f.note)
	}
	return f
}

// draw writes the foot at the bottom of c: the legend centred, below it the note, centred if it is a single line.
func (f foot) draw(c draw.Canvas) {
	c = draw.Crop(c, 0, 0, 0, f.height-(c.Max.Y-c.Min.Y))
	f.legend.draw(c)
	if f.note == "" {
		return
	}
	style, at := f.legend.face.lettering(noteSize), vg.Point{X: c.Min.X, Y: c.Max.Y - f.legendHeight - noteGap}
	if !strings.Contains(f.note, "\n") {
		style.XAlign, at.X = draw.XCenter, c.Center().X
	}
	paragraph(c, style, at, f.note)
}
