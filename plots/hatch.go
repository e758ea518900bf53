package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hatch is how a bar is filled besides its colour, so that bars can be told apart in grey.
type hatch int

const (
	solid   hatch = iota
	rising        // lines from the lower left to the upper right
	falling       // lines from the upper left to the lower right
	hatches
)

// box is a filled rectangle with an edge.
func box(c draw.Canvas, l look, x0, y0, x1, y1 vg.Length) {
	edge := corners(x0, y0, x1, y1)
	c.FillPolygon(l.fill(), edge)
	l.hatch.draw(c, hatchColor(l.color), x0, min(y0, y1), x1, max(y0, y1))
	c.StrokeLines(inkLine(), edge)
}

// draw rules the rectangle by lines at 45 degrees that begin at its left edge's level zero, so that bars side by side agree.
func (h hatch) draw(c draw.Canvas, colour color.Color, x0, y0, x1, y1 vg.Length) {
	if h == solid {
		return
	}
	style := draw.LineStyle{Color: colour, Width: axisWidth}
	width := x1 - x0
	for low := y0 - width + hatchPitch/2; low < y1; low += hatchPitch {
		// The line rises from (x0, low) to (x1, low+width); only what is between y0 and y1 is drawn.
		from, to := max(0, y0-low), min(width, y1-low)
		if from >= to {
			continue
		}
		if h == rising {
			c.StrokeLine2(style, x0+from, low+from, x0+to, low+to)
		} else {
			c.StrokeLine2(style, x1-from, low+from, x1-to, low+to)
		}
	}
}

// hatchColor stands out from the fill of a bar: dark on light ones, white on the black one.
func hatchColor(c color.NRGBA) color.Color {
	if int(c.R)+int(c.G)+int(c.B) == 0 {
		return paper
	}
	return color.NRGBA{R: c.R / 3, G: c.G / 3, B: c.B / 3, A: 255}
}
