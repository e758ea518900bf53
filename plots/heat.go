package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a panel of a matrix as coloured cells, the darker the higher, with a scale at its right.
type Heat struct {
	Title          string
	XLabel, YLabel string
	ZLabel         string      // what the colours show, beside the scale; with its unit
	Values         [][]float64 // rows of equal length, the first at the top; a cell that is NaN or infinite is grey
	Marked         [][]bool    // cells of true pairs, which get a frame; shaped as Values, or none if empty
}

// check reports a matrix that cannot be drawn.
func (h Heat) check() error {
	if low, high := h.span(); !(low <= high) {
		return fmt.Errorf("plots: heat %q: no value to draw", h.Title)
	}
	if len(h.Marked) != 0 && len(h.Marked) != len(h.Values) {
		return fmt.Errorf("plots: heat %q: %d rows of Values, %d of Marked", h.Title, len(h.Values), len(h.Marked))
	}
	for r, row := range h.Values {
		if len(row) != len(h.Values[0]) || len(h.Marked) != 0 && len(h.Marked[r]) != len(row) {
			return fmt.Errorf("plots: heat %q: row %d is not of %d cells, as the first", h.Title, r+1, len(h.Values[0]))
		}
	}
	return nil
}

func (h Heat) title() string { return h.Title }

func (h Heat) keys() []key {
	if len(h.Marked) == 0 {
		return nil
	}
	return []key{{name: TruePair.String(), sample: outline}}
}

func (h Heat) room(Typeface) (least, most vg.Length) { return panelLeast, cellsMost }

func (h Heat) axes(face Typeface, _ map[string]look, width vg.Length) *plot.Plot {
	p := face.axes(h.XLabel, h.YLabel, width)
	p.Add(cells{h, face})
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0 // the cells are edge enough
	p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	p.X.Tick.Marker, p.Y.Tick.Marker = countTicks(len(h.Values[0])), countTicks(len(h.Values))
	return p
}

// span is the range of the values; low is above high if there is none.
func (h Heat) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range h.Values {
		for _, v := range row {
			if finite(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	return low, high
}

// countTicks numbers cells from 1, each in its middle, about six of so many.
type countTicks int

// Ticks implements plot.Ticker.
func (n countTicks) Ticks(_, _ float64) []plot.Tick {
	step := max(1, int(roundUp(float64(n)/6)))
	var ticks []plot.Tick
	for k := step; k <= int(n); k += step {
		ticks = append(ticks, plot.Tick{Value: float64(k) - 0.5, Label: fmt.Sprint(k)})
	}
	return ticks
}

// Room of the scale of a Heat, in widths of its matrix: where the strip of colours begins and ends, and where the room of its numbers and
// name ends.
const (
	scaleFrom = 1.05
	scaleTo   = 1.10
	scaleEnd  = 1.34
	shades    = 64 // of the strip
)

// seam is how far a cell reaches below the next, so that no paper shines through between them.
const seam = vg.Length(0.4)

// cells draws a matrix and its scale.
type cells struct {
	Heat
	face Typeface
}

// Plot implements plot.Plotter.
func (h cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	low, high := h.span()
	whole := max(high-low, math.SmallestNonzeroFloat64)
	columns, rows := float64(len(h.Values[0])), float64(len(h.Values))
	cell := func(r, k int, more vg.Length) []vg.Point {
		return corners(x(float64(k)), y(float64(r)), min(x(float64(k+1))+more, x(columns)), max(y(float64(r+1))-more, y(rows)))
	}
	for r, row := range h.Values {
		for k, v := range row {
			colour := color.Color(dim)
			if finite(v) {
				colour = shade((v - low) / whole)
			}
			c.FillPolygon(colour, cell(r, k, seam))
		}
	}
	for r, row := range h.Marked {
		for k, marked := range row {
			if marked {
				c.StrokeLines(outlined(), cell(r, k, 0))
			}
		}
	}

	left, right := x(scaleFrom*columns), x(scaleTo*columns)
	for k := range shades {
		from, to := rows*(1-float64(k)/shades), rows*(1-float64(k+1)/shades)
		c.FillPolygon(shade((float64(k)+0.5)/shades), corners(left, y(from), right, min(y(to)+seam, y(0))))
	}
	style := h.face.lettering(tickSize)
	style.YAlign = draw.YCenter
	for _, t := range roundTicks(5).Ticks(low, high) {
		at := y(rows * (1 - (t.Value-low)/whole))
		c.StrokeLine2(inkLine(), right, at, right+2, at)
		c.FillText(style, vg.Point{X: right + 4, Y: at + raised*tickSize}, t.Label)
	}
	name := h.face.lettering(labelSize)
	name.XAlign, name.Rotation = draw.XCenter, math.Pi/2
	c.FillText(name, vg.Point{X: c.Max.X, Y: y(rows / 2)}, h.ZLabel)
}

// DataRange implements plot.DataRanger.
func (h cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return 0, scaleEnd * float64(len(h.Values[0])), 0, float64(len(h.Values))
}

// shade is the colour of a value from 0, near white, to 1.
func shade(at float64) color.Color {
	const pale = 0.12 // of the way from white to the ramp's light end that 0 is at
	if at < 0.25 {
		light := stageOf(0, 2).color
		part := pale + (1-pale)*at/0.25
		towards := func(v uint8) uint8 { return uint8(math.Round(255 - part*(255-float64(v)))) }
		return color.NRGBA{towards(light.R), towards(light.G), towards(light.B), 255}
	}
	return stageOf(int(math.Round(1000*(at-0.25)/0.75)), 1001).color
}

// outlined is the frame of a cell of a true pair.
func outlined() draw.LineStyle { return draw.LineStyle{Color: alarm, Width: 0.8} }

func corners(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}}
}
