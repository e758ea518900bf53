package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dots is a panel of one measure of many rows: a line a row, the first at the top, with a dot and its interval, on an axis that need not
// begin at zero. The rows are named at the left; of panels side by side with the same rows the first one has the names.
type Dots struct {
	Title  string
	XLabel string // with units; may be empty where the title says it
	Rows   []DotRow
}

// DotRow is one row. One whose mean is NaN or infinite has its name and no dot.
type DotRow struct {
	Name      string
	Mean      float64
	Low, High float64 // the ends of the interval; none where they are equal or NaN
}

func (r DotRow) interval() bool { return r.Low < r.High }

// check reports dots that cannot be drawn.
func (d Dots) check() error {
	if !slices.ContainsFunc(d.Rows, func(r DotRow) bool { return finite(r.Mean) }) {
		return fmt.Errorf("plots: dots %q: no value to draw among %d rows", d.Title, len(d.Rows))
	}
	for _, r := range d.Rows {
		if r.Low > r.High || math.IsInf(r.Low, 0) || math.IsInf(r.High, 0) {
			return fmt.Errorf("plots: dots %q: row %q: the interval goes from %v to %v; want finite ends, the lower one first, or NaN",
				d.Title, r.Name, r.Low, r.High)
		}
	}
	return nil
}

func (d Dots) title() string { return d.Title }

func (d Dots) keys() []key { return nil }

// Sizes of a panel of dots.
const (
	dotsLeast   = 0.95 * vg.Inch // without the names
	dotsMost    = 2 * vg.Inch
	dotNames    = 1.5 * vg.Inch // of the names at most; longer ones are broken into lines
	dotLines    = 3
	dotPitch    = vg.Length(10.5) // from one row of one line to the next
	dotsAround  = vg.Length(26)   // of the axis below the rows
	dotHeadroom = 0.06            // of the range of the intervals, at its left and right
)

func (d Dots) room(Typeface) (least, most vg.Length) { return dotsLeast, dotsMost }

// height is that of the panel with its axis.
func (d Dots) height(face Typeface) vg.Length {
	lines := 1
	for _, name := range d.names(face) {
		lines = max(lines, lineCount(name))
	}
	pitch := max(dotPitch, vg.Length(lines)*leading*tickSize+2)
	around := dotsAround
	if d.XLabel != "" {
		around += 1.5 * labelSize
	}
	return max(vg.Length(len(d.Rows))*pitch+around, panelLow/2)
}

// names are those of the rows in lines that fit.
func (d Dots) names(face Typeface) []string {
	var names []string
	for _, r := range d.Rows {
		names = append(names, fitted(r.Name, face.lettering(tickSize), dotNames, dotLines))
	}
	return names
}

// namesRoom is the room of the rows' names at the left of the panel.
func (d Dots) namesRoom(face Typeface) vg.Length {
	var widest vg.Length
	for _, name := range d.names(face) {
		widest = max(widest, face.lettering(tickSize).Width(name))
	}
	return widest
}

// sameRows tells whether two panels name the same rows in the same order.
func (d Dots) sameRows(other Dots) bool {
	return slices.EqualFunc(d.Rows, other.Rows, func(a, b DotRow) bool { return a.Name == b.Name })
}

func (d Dots) axes(face Typeface, _ map[string]look, width vg.Length) *plot.Plot {
	p := face.axes(d.XLabel, "", width)
	p.Add(gridLines{}, dots{d})
	p.X.Tick.Marker = roundTicks(max(3, int(width/(0.24*vg.Inch))))
	p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	p.Y.Padding, p.Y.LineStyle.Width, p.Y.Tick.Length = 2, 0, 2
	p.Y.Tick.LineStyle.Width = 0
	ticks := make(plot.ConstantTicks, len(d.Rows))
	for k, name := range d.names(face) {
		ticks[k] = plot.Tick{Value: float64(k), Label: name}
	}
	p.Y.Tick.Marker = ticks
	return p
}

// nameless leaves out the names of rows that stand at the left of the panel beside this one.
func nameless(p *plot.Plot) {
	ticks := slices.Clone(p.Y.Tick.Marker.(plot.ConstantTicks))
	for k := range ticks {
		ticks[k].Label = " " // a tick without a name is a minor one, for which no line is drawn
	}
	p.Y.Tick.Marker = ticks
}

// dots draws the rows of a panel.
type dots struct{ Dots }

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	look := lookOf(0)
	for k, r := range d.Rows {
		if !finite(r.Mean) {
			continue
		}
		at := vg.Point{X: x(r.Mean), Y: y(float64(k))}
		if r.interval() {
			c.StrokeLine2(draw.LineStyle{Color: look.color, Width: lineWidth}, x(r.Low), at.Y, x(r.High), at.Y)
		}
		c.DrawGlyph(look.mark(), at)
	}
}

// DataRange implements plot.DataRanger.
func (d dots) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = math.Inf(1), math.Inf(-1)
	for _, r := range d.Rows {
		if !finite(r.Mean) {
			continue
		}
		xmin, xmax = min(xmin, r.Mean), max(xmax, r.Mean)
		if r.interval() {
			xmin, xmax = min(xmin, r.Low), max(xmax, r.High)
		}
	}
	spare := dotHeadroom * (xmax - xmin)
	if spare == 0 {
		spare = max(math.Abs(xmax)*0.05, 0.5)
	}
	return xmin - spare, xmax + spare, -0.5, float64(len(d.Rows)) - 0.5
}
