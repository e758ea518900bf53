package plots

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of every figure, in points as printed.
const (
	panelHeight = 2 * vg.Inch   // with its axes
	panelLow    = 1.4 * vg.Inch // of one of many rows, so that the figure fits a page
	panelLeast  = 1.9 * vg.Inch // width of a panel of curves or cells that can be read
	cellsMost   = 2.6 * vg.Inch // width of a panel of cells that are about square
	axisRoom    = vg.Length(36) // of a vertical axis with its labels
	panelGap    = vg.Length(12)
	margin      = vg.Length(6)

	titleSize = vg.Length(9)
	labelSize = vg.Length(8)
	tickSize  = vg.Length(7)
	noteSize  = vg.Length(7)
	noteGap   = vg.Length(4)
	raised    = 0.1 // of a line's size, by which gonum centres letters too low

	lineWidth   = vg.Length(1.2)
	axisWidth   = vg.Length(0.5)
	glyphRadius = vg.Length(2)
	capWidth    = vg.Length(3) // of error bars
	labelGap    = vg.Length(2) // between names of groups side by side
	headroom    = 0.04         // of the range of a curve, above and below it
	barShare    = 0.84         // of the room of a group that its bars fill at most
	barLeast    = vg.Length(3.5)
	barMost     = vg.Length(18)
	hatchPitch  = vg.Length(3)

	pictureSize   = 0.95 * vg.Inch // of the longer side of a picture
	pictureLeast  = 0.6 * vg.Inch  // of one of very many
	picturesLeast = 2.5 * vg.Inch  // of a grid of pictures, for its title
	pictureGap    = vg.Length(7)   // between pictures side by side
	rowGap        = vg.Length(9)   // between rows of pictures
	nameWidth     = 1.05 * vg.Inch // of the names of rows of pictures
	nameLines     = 10
	captionGap    = vg.Length(3) // between a picture and its caption
	captionLines  = 4
	printDPI      = 200 // of images in PDF and SVG

	frameWidth = vg.Length(1.5) // of a true pair
	signSize   = vg.Length(7)   // of the cross in its corner

	keyWidth = vg.Length(22) // of a legend's sample
	keyGap   = vg.Length(4)  // between a sample and its name
	keyPitch = vg.Length(11) // from one row of the legend to the next
)

var (
	ink   = color.NRGBA{A: 255}
	grid  = color.NRGBA{R: 228, G: 228, B: 228, A: 255}
	dim   = color.NRGBA{R: 150, G: 150, B: 150, A: 255}
	alarm = color.NRGBA{R: 0xD5, G: 0x5E, B: 0x00, A: 255} // vermillion
	paper = color.NRGBA{R: 255, G: 255, B: 255, A: 255}
)

// palette is Okabe and Ito's, which the colour-blind can tell apart, without its yellow, too pale for lines on white.
func palette() []color.NRGBA {
	return []color.NRGBA{
		{R: 0x00, G: 0x72, B: 0xB2, A: 255}, // blue
		{R: 0xD5, G: 0x5E, B: 0x00, A: 255}, // vermillion
		{R: 0x00, G: 0x9E, B: 0x73, A: 255}, // bluish green
		{R: 0xCC, G: 0x79, B: 0xA7, A: 255}, // reddish purple
		{R: 0xE6, G: 0x9F, B: 0x00, A: 255}, // orange
		{R: 0x56, G: 0xB4, B: 0xE9, A: 255}, // sky blue
		{R: 0x00, G: 0x00, B: 0x00, A: 255}, // black
	}
}

func dashes() [][]vg.Length {
	return [][]vg.Length{nil, {5, 2}, {1.5, 1.5}, {6, 2, 1.5, 2}, {8, 2, 1.5, 2, 1.5, 2}}
}

func glyphs() []draw.GlyphDrawer {
	return []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
		draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
	}
}

// look is how a series is drawn. The cycles of colours, dashes and glyphs have no common divisor, so that two series agree in
// all three only 280 apart; nor have those of colours and hatches, which bars have.
type look struct {
	color color.NRGBA
	dash  []vg.Length
	glyph draw.GlyphDrawer
	hatch hatch
}

// lookOf tells series apart.
func lookOf(series int) look {
	colors, dash, glyph := palette(), dashes(), glyphs()
	return look{colors[series%len(colors)], dash[series%len(dash)], glyph[series%len(glyph)], hatch(series % int(hatches))}
}

// ramp is part of viridis from light to dark, which keeps its order for the colour-blind and in grey. Its end in yellow is left
// out, too pale for lines on white.
func ramp() []color.NRGBA {
	return []color.NRGBA{
		{R: 0x7A, G: 0xD1, B: 0x51, A: 255},
		{R: 0x22, G: 0xA8, B: 0x84, A: 255},
		{R: 0x2A, G: 0x78, B: 0x8E, A: 255},
		{R: 0x41, G: 0x44, B: 0x87, A: 255},
		{R: 0x44, G: 0x01, B: 0x54, A: 255},
	}
}

// stageOf shows the place of a series among stages of one thing, the last the darkest.
func stageOf(stage, stages int) look {
	colors := ramp()
	at := float64(len(colors)-1) * (1 - float64(stages-1-stage)/float64(max(1, stages-1)))
	k := min(int(at), len(colors)-2)
	between := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (at-float64(k))*(float64(b)-float64(a)))) }
	a, b := colors[k], colors[k+1]
	return look{color: color.NRGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 255}, glyph: draw.CircleGlyph{}}
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: lineWidth, Dashes: l.dash}
}

func (l look) solid() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: 0.7 * lineWidth}
}

func (l look) mark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: glyphRadius, Shape: l.glyph}
}

// fill is the colour of bars, pale enough for an error bar and a hatch to show on it.
func (l look) fill() color.Color {
	const white = 1. / 3
	c := l.color
	for _, part := range []*uint8{&c.R, &c.G, &c.B} {
		*part += uint8(float64(255-*part) * white)
	}
	return c
}

// band is the colour of one band of so many, the fainter the more may lie upon each other.
func (l look) band(of int) color.Color {
	c := l.color
	c.A = uint8(min(36, 200/of))
	return c
}

// haze is the colour of the range of a dense curve.
func (l look) haze() color.Color {
	c := l.color
	c.A = 70
	return c
}

func inkLine() draw.LineStyle { return draw.LineStyle{Color: ink, Width: axisWidth} }

// axes returns an empty plot with the styles of this file, to be drawn about that wide.
func (t Typeface) axes(xLabel, yLabel string, width vg.Length) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []struct {
		axis  *plot.Axis
		label string
		room  vg.Length
	}{{&p.X, xLabel, width}, {&p.Y, yLabel, panelHeight}} {
		label, tick := t.lettering(labelSize), t.lettering(tickSize)
		label.XAlign, label.YAlign = a.axis.Label.TextStyle.XAlign, a.axis.Label.TextStyle.YAlign
		tick.XAlign, tick.YAlign = a.axis.Tick.Label.XAlign, a.axis.Tick.Label.YAlign
		a.axis.Label.TextStyle, a.axis.Label.Text, a.axis.Label.Padding = label, wrapped(a.label, label, 0.85*a.room), 3
		a.axis.Tick.Label, a.axis.Tick.Length, a.axis.Tick.Marker = tick, 3, roundTicks(6)
		a.axis.Tick.LineStyle, a.axis.LineStyle = inkLine(), inkLine()
		a.axis.Padding = 4
	}
	return p
}

// roundTicks marks about that many multiples of 1, 2 or 5 times a power of ten, two of them at least.
type roundTicks int

// Ticks implements plot.Ticker.
func (n roundTicks) Ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	step := roundUp((high - low) / float64(n))
	verb, digits := byte('f'), max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	if digits > 5 || max(math.Abs(low), math.Abs(high)) >= 1e6 {
		verb, digits = 'g', 6
	}
	var ticks []plot.Tick
	for k := int(math.Ceil(low/step - 1e-9)); float64(k)*step <= high+1e-9*step; k++ {
		v := float64(k) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, verb, digits, 64)})
	}
	if len(ticks) < 2 && n < 6 {
		return (n + 1).Ticks(low, high)
	}
	return ticks
}

// roundUp is the least of 1, 2, 5 times a power of ten that reaches v.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// gridLines draws a faint line at each tick of the vertical axis.
type gridLines struct{}

// Plot implements plot.Plotter.
func (gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(t.Value); c.ContainsY(at) {
			c.StrokeLine2(draw.LineStyle{Color: grid, Width: axisWidth}, c.Min.X, at, c.Max.X, at)
		}
	}
}
