package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mark says what is known of a picture that was picked for its row's anchor, or of what a model wrote of a picture.
type Mark int

const (
	Unmarked  Mark = iota // nothing; no frame
	TruePair              // the picture truly belongs to the anchor: a dashed vermillion frame with a cross in its corner
	FalsePair             // it does not: a thin grey frame
	Wrong                 // what is written below it is false of it: framed as a true pair is
	Right                 // that is true of it: framed as no true pair is
)

// inLegend are the marks that a legend explains, in its order.
var inLegend = []Mark{TruePair, FalsePair, Wrong, Right}

// String is the mark's name in the legend.
func (m Mark) String() string {
	return [...]string{"unmarked", "true pair", "no true pair", "wrong", "right"}[m]
}

// draw puts the mark around what stands at a place.
func (m Mark) draw(c draw.Canvas, at vg.Rectangle) {
	corners := []vg.Point{at.Min, {X: at.Max.X, Y: at.Min.Y}, at.Max, {X: at.Min.X, Y: at.Max.Y}, at.Min}
	frame := func(color color.Color, width vg.Length, dashes ...vg.Length) {
		c.StrokeLines(draw.LineStyle{Color: color, Width: width, Dashes: dashes}, corners)
	}
	switch m {
	case FalsePair, Right:
		frame(dim, axisWidth)
	case TruePair, Wrong:
		frame(paper, frameWidth)
		frame(alarm, frameWidth, 4, 2)
		cross(c, vg.Rectangle{Min: vg.Point{X: at.Max.X - signSize, Y: at.Max.Y - signSize}, Max: at.Max})
	}
}

// cross is a white cross on a vermillion square.
func cross(c draw.Canvas, at vg.Rectangle) {
	c.SetColor(alarm)
	c.Fill(at.Path())
	const inset = signSize / 4
	style := draw.LineStyle{Color: paper, Width: lineWidth}
	c.StrokeLine2(style, at.Min.X+inset, at.Min.Y+inset, at.Max.X-inset, at.Max.Y-inset)
	c.StrokeLine2(style, at.Min.X+inset, at.Max.Y-inset, at.Max.X-inset, at.Min.Y+inset)
}
