package plots

import (
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one diagram of a [Figure]: [Lines], [Bars] or [Heat].
type Panel interface {
	title() string
	check() error
	keys() []key
	// axes returns the diagram, to be drawn about that wide.
	axes(looks map[string]look, width vg.Length) *plot.Plot
}

// Figure is one or several panels, lettered (a), (b), ... from the second on, over one legend. A series of the same name
// looks the same in all panels.
type Figure struct {
	Title   string
	Panels  []Panel
	Columns int       // panels side by side; 0 for up to three
	Width   vg.Length // of the whole figure; 0 for the usual width of its panels
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
	for _, p := range f.Panels {
		if err := p.check(); err != nil {
			return sheet{}, err
		}
	}
	l := f.layout()
	return sheet{fmt.Sprintf("figure %q", f.Title), l.width, l.height, func(c draw.Canvas) { f.draw(c, l) }}, nil
}

// layout is where the parts of a figure go.
type layout struct {
	width, height vg.Length
	rows, cols    int
	title         title
	headings      []string // of the panels, in lines that fit
	headingHeight vg.Length
	legend        legend
	legendHeight  vg.Length
}

func (f Figure) layout() layout {
	l := layout{cols: f.Columns, legend: newLegend(f.Panels), width: f.Width}
	if l.cols <= 0 {
		l.cols = 3
	}
	l.cols = min(l.cols, len(f.Panels))
	l.rows = (len(f.Panels) + l.cols - 1) / l.cols
	legendWidth, _ := l.legend.size(vg.Length(l.cols) * panelWidth)
	if l.width <= 0 {
		l.width = max(vg.Length(l.cols)*(panelWidth+panelGap)-panelGap, legendWidth) + 2*margin
	}
	l.title = newTitle(f.Title, l.width-2*margin)
	for k, p := range f.Panels {
		heading := p.title()
		if len(f.Panels) > 1 {
			heading = fmt.Sprintf("(%s) %s", letter(k), heading)
		}
		style := headline(labelSize)
		l.headings = append(l.headings, wrapped(heading, style, l.panel()))
		if heading != "" {
			l.headingHeight = max(l.headingHeight, style.Height(l.headings[k])+0.8*labelSize)
		}
	}
	_, l.legendHeight = l.legend.size(l.width - 2*margin)
	l.height = l.title.height + vg.Length(l.rows)*(panelHeight+l.headingHeight+panelGap) + l.legendHeight + 2*margin
	return l
}

// panel is the width of a panel with its axes.
func (l layout) panel() vg.Length {
	return (l.width-2*margin+panelGap)/vg.Length(l.cols) - panelGap
}

func (f Figure) draw(c draw.Canvas, l layout) {
	l.title.draw(c)
	l.legend.draw(draw.Crop(c, 0, 0, 0, l.legendHeight-(c.Max.Y-c.Min.Y)))

	diagrams := make([][]*plot.Plot, l.rows)
	for row := range diagrams {
		diagrams[row] = make([]*plot.Plot, l.cols)
		for col := range diagrams[row] {
			if k := row*l.cols + col; k < len(f.Panels) {
				diagrams[row][col] = f.Panels[k].axes(l.legend.looks, l.panel())
			}
		}
	}
	tiles := draw.Tiles{Rows: l.rows, Cols: l.cols, PadX: panelGap, PadY: panelGap + l.headingHeight}
	area := draw.Crop(c, 0, 0, l.legendHeight+panelGap/2, -l.title.height-l.headingHeight)
	heading := headline(labelSize)
	heading.YAlign = draw.YBottom
	panels := plot.Align(diagrams, tiles, area)
	for k := range f.Panels {
		row, col := k/l.cols, k%l.cols
		panel := panels[row][col]
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

// letter counts a, b, ..., z, aa, ab, ...
func letter(k int) string {
	if k < 26 {
		return string(rune('a' + k))
	}
	return letter(k/26-1) + letter(k%26)
}
