package plots

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one diagram of a [Figure]: [Lines], [Bars], [Dots], [Ranks], [Heat] or [Scatter].
type Panel interface {
	title() string
	check() error
	keys() []key
	// room is the least width at which the diagram can be read, and the widest that becomes it.
	room(face Typeface) (least, most vg.Length)
	// axes returns the diagram, to be drawn about that wide.
	axes(face Typeface, looks map[string]look, width vg.Length) *plot.Plot
}

// Figure is one or several panels, lettered (a), (b), ... from the second on, over one legend and a note. A series of the same
// name looks the same in all panels. Letters have the same size in every figure, whatever its width.
type Figure struct {
	Title     string
	Note      string // below the legend: what the error bars are, how many runs stand behind them
	Panels    []Panel
	Columns   int       // panels side by side at most, fewer where they would be too narrow; 0 for up to three
	Width     vg.Length // of the whole figure; 0 for [ColumnWidth] with one panel a row that fits it, else [PageWidth]
	Height    vg.Length // of a panel with its axes; 0 for what becomes it
	SameRange bool      // the panels share one vertical range
	Typeface  Typeface  // of all letters
	// Known are series that look the same in every figure with this list, such as the methods of a paper; others get the looks
	// that these leave free.
	Known []string
}

// PNG implements [Drawing].
func (f Figure) PNG(w io.Writer, dpi int) error { return writePNG(w, f, dpi) }

// PDF implements [Drawing].
func (f Figure) PDF(w io.Writer) error { return writePDF(w, f) }

// SVG implements [Drawing].
func (f Figure) SVG(w io.Writer) error { return writeSVG(w, f) }

func (f Figure) sheet() (sheet, error) {
	if len(f.Panels) == 0 {
		return sheet{}, errors.New("plots: a figure without panels")
	}
	if err := f.Typeface.check(); err != nil {
		return sheet{}, err
	}
	for _, p := range f.Panels {
		if err := p.check(); err != nil {
			return sheet{}, err
		}
	}
	l := f.layout()
	return sheet{fmt.Sprintf("figure %q", f.Title), f.Title, l.width, l.height, func(c draw.Canvas) { f.draw(c, l) }}, nil
}

func (f Figure) draw(c draw.Canvas, l layout) {
	l.title.draw(c)
	l.foot.draw(c)

	diagrams := make([][]*plot.Plot, l.rows)
	for row := range diagrams {
		diagrams[row] = make([]*plot.Plot, l.cols)
		for col := range diagrams[row] {
			if k := row*l.cols + col; k < len(f.Panels) {
				diagrams[row][col] = f.Panels[k].axes(f.Typeface, l.foot.legend.looks, l.panel(f, k))
				if _, dots := f.Panels[k].(Dots); dots && (col == 0 || f.sameRows(k-1, k)) {
					nameless(diagrams[row][col])
				}
			}
		}
	}
	if f.SameRange {
		shareRange(slices.Concat(diagrams...)[:len(f.Panels)])
	}
	tiles := draw.Tiles{Rows: l.rows, Cols: l.cols, PadX: panelGap, PadY: panelGap + l.headingHeight}
	area := draw.Crop(c, l.names, 0, l.foot.height+panelGap/2, -l.title.height-l.headingHeight)
	heading := f.Typeface.headline(labelSize)
	heading.YAlign = draw.YBottom
	panels := plot.Align(diagrams, tiles, area)
	for row := range diagrams { // aligned without the names at their left, which may be wider than they are
		if _, dots := f.Panels[row*l.cols].(Dots); dots {
			aligned := diagrams[row][0].DataCanvas(panels[row][0]).Min.X
			diagrams[row][0].Y.Tick.Marker = f.Panels[row*l.cols].axes(f.Typeface, l.foot.legend.looks, l.panel(f, row*l.cols)).Y.Tick.Marker
			panels[row][0].Min.X += aligned - diagrams[row][0].DataCanvas(panels[row][0]).Min.X
		}
	}
	for k := range f.Panels {
		row, col := k/l.cols, k%l.cols
		panel := panels[row][col]
		if f.alone(k, l.cols) {
			panel.Max.X += l.panel(f, k) - l.panel(f, 0)
		}
		diagrams[row][col].Draw(panel)
		left, top := panel.Min.X, panel.Max.Y // of the column and the row, so that headings stand in line
		for other := range f.Panels {
			if other%l.cols == col {
				left = min(left, panels[other/l.cols][col].Min.X)
			}
			if other/l.cols == row {
				top = max(top, panels[row][other%l.cols].Max.Y)
			}
		}
		panel.FillText(heading, vg.Point{X: left, Y: top + 0.5*labelSize}, l.headings[k])
	}
}

// sameRows tells whether two panels are of dots in the same rows.
func (f Figure) sameRows(one, other int) bool {
	a, first := f.Panels[one].(Dots)
	b, second := f.Panels[other].(Dots)
	return first && second && a.sameRows(b)
}

// shareRange gives diagrams one vertical range.
func shareRange(diagrams []*plot.Plot) {
	low, high := diagrams[0].Y.Min, diagrams[0].Y.Max
	for _, d := range diagrams {
		low, high = min(low, d.Y.Min), max(high, d.Y.Max)
	}
	for _, d := range diagrams {
		d.Y.Min, d.Y.Max = low, high
	}
}

// letter counts a, b, ..., z, aa, ab, ...
func letter(k int) string {
	if k < 26 {
		return string(rune('a' + k))
	}
	return letter(k/26-1) + letter(k%26)
}
