package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Panel is one diagram of a [Figure]: [Lines] or [Bars].
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

// PNG writes the figure as an image of the given dots per inch, 0 for 150.
func (f Figure) PNG(w io.Writer, dpi int) error {
	if dpi < 0 || dpi > 2400 {
		return fmt.Errorf("plots: figure %q: %d dots per inch; want 1 to 2400, or 0 for 150", f.Title, dpi)
	}
	if dpi == 0 {
		dpi = 150
	}
	return f.write(w, func(width, height vg.Length) (vg.CanvasSizer, io.WriterTo) {
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
		return c, vgimg.PngCanvas{Canvas: c}
	})
}

// PDF writes the figure as one page with its fonts embedded. They hold the western alphabet; Greek letters are spelled out.
func (f Figure) PDF(w io.Writer) error {
	return f.write(w, func(width, height vg.Length) (vg.CanvasSizer, io.WriterTo) {
		c := vgpdf.New(width, height)
		return westernPDF{c}, c
	})
}

// SVG writes the figure with its text as text, in Liberation Sans or the reader's own sans-serif font.
func (f Figure) SVG(w io.Writer) error {
	var b bytes.Buffer
	if err := f.write(&b, func(width, height vg.Length) (vg.CanvasSizer, io.WriterTo) {
		c := vgsvg.New(width, height)
		return c, c
	}); err != nil {
		return err
	}
	styles := strings.NewReplacer(
		"font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;",
		"font-variant:"+strings.ToLower(boldVariant)+";font-weight:normal;", "font-variant:normal;font-weight:bold;",
	)
	_, err := styles.WriteString(w, b.String())
	return err
}

// write draws the figure on a canvas of its size and writes that out, whole or not at all.
func (f Figure) write(w io.Writer, canvas func(width, height vg.Length) (vg.CanvasSizer, io.WriterTo)) error {
	if len(f.Panels) == 0 {
		return errors.New("plots: a figure without panels")
	}
	for _, p := range f.Panels {
		if err := p.check(); err != nil {
			return err
		}
	}
	l := f.layout()
	c, out := canvas(l.width, l.height)
	f.draw(draw.New(c), l)
	var b bytes.Buffer
	if _, err := out.WriteTo(&b); err != nil {
		return fmt.Errorf("plots: figure %q: %w", f.Title, err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// layout is where the parts of a figure go.
type layout struct {
	width, height vg.Length
	rows, cols    int
	title         string   // in lines that fit
	headings      []string // of the panels, in lines that fit
	titleHeight   vg.Length
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
	if f.Title != "" {
		style := headline(titleSize)
		l.title = wrapped(f.Title, style, l.width-2*margin)
		l.titleHeight = style.Height(l.title) + 0.6*titleSize
	}
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
	l.height = l.titleHeight + vg.Length(l.rows)*(panelHeight+l.headingHeight+panelGap) + l.legendHeight + 2*margin
	return l
}

// panel is the width of a panel with its axes.
func (l layout) panel() vg.Length {
	return (l.width-2*margin+panelGap)/vg.Length(l.cols) - panelGap
}

func (f Figure) draw(c draw.Canvas, l layout) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	title := headline(titleSize)
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	c.FillText(title, vg.Point{X: c.Center().X, Y: c.Max.Y}, l.title)
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
	area := draw.Crop(c, 0, 0, l.legendHeight+panelGap/2, -l.titleHeight-l.headingHeight)
	heading := headline(labelSize)
	heading.YAlign = draw.YBottom
	panels := plot.Align(diagrams, tiles, area)
	for k := range f.Panels {
		row, col := k/l.cols, k%l.cols
		panel := panels[row][col]
		diagrams[row][col].Draw(panel)
		left := panel.Min.X // of the column, so that its headings stand below one another
		for r := range (len(f.Panels) - col + l.cols - 1) / l.cols {
			left = min(left, panels[r][col].Min.X)
		}
		panel.FillText(heading, vg.Point{X: left, Y: panel.Max.Y + 0.5*labelSize}, l.headings[k])
	}
}

// letter counts a, b, ..., z, aa, ab, ...
func letter(k int) string {
	if k < 26 {
		return string(rune('a' + k))
	}
	return letter(k/26-1) + letter(k%26)
}
