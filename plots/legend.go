package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sample is what a legend shows beside a name; of several, the first in this order, which tells the most.
type sample int

const (
	curve   sample = iota // a piece of a line with its mark
	stroke                // a piece of a line
	block                 // a filled box
	tick                  // the mark of a reference value
	framed                // the frame of a picture
	outline               // the frame of a cell
)

// key is one entry of a legend.
type key struct {
	name   string
	sample sample
	stage  bool // a series of an ordered panel
	mark   Mark // of a frame
}

// legend stands below the panels, in columns of equal width, so that it hides no data.
type legend struct {
	keys  []key
	looks map[string]look
}

// newLegend collects the keys of all panels, each name once. A series looks the same throughout the figure; one that is a stage
// in any panel is one in all.
func newLegend(panels []Panel) legend {
	l := legend{looks: map[string]look{}}
	place := map[string]int{}
	for _, p := range panels {
		for _, k := range p.keys() {
			if at, ok := place[k.name]; ok {
				l.keys[at].sample = min(l.keys[at].sample, k.sample)
				l.keys[at].stage = l.keys[at].stage || k.stage
				continue
			}
			place[k.name] = len(l.keys)
			l.keys = append(l.keys, k)
		}
	}
	var stages, others []string
	for _, k := range l.keys {
		switch {
		case k.stage:
			stages = append(stages, k.name)
		case k.sample != tick:
			others = append(others, k.name)
		}
	}
	for i, name := range stages {
		l.looks[name] = stageOf(i, len(stages))
	}
	for i, name := range others {
		l.looks[name] = lookOf(i)
	}
	return l
}

// columns is how many entries stand side by side in the given width, and how wide each is.
func (l legend) columns(width vg.Length) (n int, pitch vg.Length) {
	if len(l.keys) == 0 {
		return 1, 0
	}
	style := lettering(labelSize)
	for _, k := range l.keys {
		pitch = max(pitch, keyWidth+keyGap+style.Width(k.name)+3*keyGap)
	}
	n = min(max(1, int(width/pitch)), len(l.keys))
	rows := (len(l.keys) + n - 1) / n
	return (len(l.keys) + rows - 1) / rows, pitch // as even as the rows allow
}

// size is the room the legend needs below panels of the given width.
func (l legend) size(width vg.Length) (w, h vg.Length) {
	n, pitch := l.columns(width)
	return vg.Length(n) * pitch, vg.Length((len(l.keys)+n-1)/n) * keyPitch
}

// draw writes the legend row by row from the top of c, centred.
func (l legend) draw(c draw.Canvas) {
	n, pitch := l.columns(c.Max.X - c.Min.X)
	left := c.Center().X - vg.Length(n)*pitch/2 + keyGap
	style := lettering(labelSize)
	style.YAlign = draw.YCenter
	for i, k := range l.keys {
		at := vg.Point{X: left + vg.Length(i%n)*pitch, Y: c.Max.Y - (vg.Length(i/n)+.5)*keyPitch}
		k.draw(c, l.looks[k.name], at)
		c.FillText(style, vg.Point{X: at.X + keyWidth + keyGap, Y: at.Y}, k.name)
	}
}

// draw shows the sample of a key from a point on its left.
func (k key) draw(c draw.Canvas, look look, at vg.Point) {
	middle := vg.Point{X: at.X + keyWidth/2, Y: at.Y}
	switch k.sample {
	case curve:
		c.StrokeLine2(look.line(), at.X, at.Y, at.X+keyWidth, at.Y)
		c.DrawGlyph(look.mark(), middle)
	case stroke:
		c.StrokeLine2(look.line(), at.X, at.Y, at.X+keyWidth, at.Y)
	case block:
		box(c, look.fill(), at.X+keyWidth/4, at.Y-3, at.X+keyWidth, at.Y+3)
	case framed:
		low, high := vg.Point{X: at.X + keyWidth/4, Y: at.Y - 0.42*keyPitch}, vg.Point{X: at.X + keyWidth, Y: at.Y + 0.42*keyPitch}
		k.mark.draw(c, vg.Rectangle{Min: low, Max: high})
	case outline:
		c.StrokeLines(outlined(), corners(at.X+keyWidth/2, at.Y-3, at.X+keyWidth, at.Y+3))
	case tick:
		c.DrawGlyph(referenceMark(keyWidth), vg.Point{X: at.X + 5*keyWidth/8, Y: at.Y})
	}
}

// box is a filled rectangle with an edge.
func box(c draw.Canvas, fill color.Color, x0, y0, x1, y1 vg.Length) {
	edge := corners(x0, y0, x1, y1)
	c.FillPolygon(fill, edge)
	c.StrokeLines(inkLine(), edge)
}
