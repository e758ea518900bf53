package plots

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sample is what a legend shows beside a name; of several, the first in this order, which tells the most.
type sample int

const (
	curve   sample = iota // a piece of a line with its mark
	stroke                // a piece of a line
	block                 // a filled box
	dot                   // a mark
	tick                  // the mark of a reference value
	framed                // the frame of a picture
	outline               // the frame of a cell
	direct                // nothing: the panel names the series where they are
)

// key is one entry of a legend.
type key struct {
	name   string
	label  string // the name, or its beginning where there is no room
	sample sample
	stage  bool // a series of an ordered panel
	mark   Mark // of a frame
}

// legend stands below the panels, in columns, so that it hides no data.
type legend struct {
	keys  []key
	face  Typeface
	looks map[string]look
}

// newLegend collects the keys of all panels, each name once. A series looks the same throughout the figure; one that is a stage
// in any panel is one in all. Known names have the looks of their places in that list, others those that are left.
func newLegend(panels []Panel, known []string, face Typeface) legend {
	l := legend{face: face, looks: map[string]look{}}
	place := map[string]int{}
	for _, p := range panels {
		for _, k := range p.keys() {
			if at, ok := place[k.name]; ok {
				l.keys[at].sample = min(l.keys[at].sample, k.sample)
				l.keys[at].stage = l.keys[at].stage || k.stage
				continue
			}
			place[k.name], k.label = len(l.keys), k.name
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
	taken := map[int]bool{}
	for _, name := range others {
		if i := slices.Index(known, name); i >= 0 {
			l.looks[name], taken[i] = lookOf(i), true
		}
	}
	next := 0
	for _, name := range others {
		if _, ok := l.looks[name]; ok {
			continue
		}
		for taken[next] {
			next++
		}
		l.looks[name], taken[next] = lookOf(next), true
	}
	l.keys = slices.DeleteFunc(l.keys, func(k key) bool { return k.sample == direct })
	return l
}

// fit shortens names that a line of the given width has no room for.
func (l legend) fit(width vg.Length) {
	for i, k := range l.keys {
		l.keys[i].label = fitted(k.name, l.face.lettering(labelSize), width-keyWidth-4*keyGap, 1)
	}
}

// columns are the widths of the columns, as many as fit the given width but as even as their rows allow.
func (l legend) columns(width vg.Length) []vg.Length {
	style := l.face.lettering(labelSize)
	for n := len(l.keys); n > 0; n-- {
		columns := make([]vg.Length, ceil(len(l.keys), ceil(len(l.keys), n)))
		var all vg.Length
		for i, k := range l.keys {
			c := i % len(columns)
			columns[c] = max(columns[c], keyWidth+keyGap+style.Width(k.label)+3*keyGap)
		}
		for _, c := range columns {
			all += c
		}
		if all <= width || len(columns) == 1 {
			return columns
		}
	}
	return nil
}

// size is the room the legend needs below panels of the given width.
func (l legend) size(width vg.Length) (w, h vg.Length) {
	columns := l.columns(width)
	for _, c := range columns {
		w += c
	}
	if len(columns) > 0 {
		h = vg.Length(ceil(len(l.keys), len(columns))) * keyPitch
	}
	return w, h
}

// draw writes the legend row by row from the top of c, centred.
func (l legend) draw(c draw.Canvas) {
	width, _ := l.size(c.Max.X - c.Min.X)
	columns := l.columns(c.Max.X - c.Min.X)
	at := vg.Point{X: c.Center().X - width/2 + 1.5*keyGap, Y: c.Max.Y - keyPitch/2}
	style := l.face.lettering(labelSize)
	style.YAlign = draw.YCenter
	for i, k := range l.keys {
		column := i % len(columns)
		if column == 0 && i > 0 {
			at = vg.Point{X: c.Center().X - width/2 + 1.5*keyGap, Y: at.Y - keyPitch}
		}
		k.draw(c, l.looks[k.name], at)
		c.FillText(style, vg.Point{X: at.X + keyWidth + keyGap, Y: at.Y + raised*labelSize}, k.label)
		at.X += columns[column]
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
	case dot:
		c.DrawGlyph(look.mark(), vg.Point{X: at.X + 3*keyWidth/4, Y: at.Y})
	case block:
		box(c, look, at.X+keyWidth/4, at.Y-3, at.X+keyWidth, at.Y+3)
	case framed:
		low, high := vg.Point{X: at.X + keyWidth/4, Y: at.Y - 0.42*keyPitch}, vg.Point{X: at.X + keyWidth, Y: at.Y + 0.42*keyPitch}
		k.mark.draw(c, vg.Rectangle{Min: low, Max: high})
	case outline:
		c.StrokeLines(outlined(), corners(at.X+keyWidth/2, at.Y-3, at.X+keyWidth, at.Y+3))
	case tick:
		c.DrawGlyph(referenceMark(keyWidth), vg.Point{X: at.X + 5*keyWidth/8, Y: at.Y})
	}
}
