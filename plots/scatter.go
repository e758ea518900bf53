package plots

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter is a panel of points in the plane, by groups. Axes without labels have no numbers, as those of t-SNE mean nothing.
type Scatter struct {
	Title          string
	XLabel, YLabel string
	Groups         []PointGroup
	// Diagonal draws the line where both coordinates are equal.
	Diagonal bool
}

// PointGroup are points that look the same.
type PointGroup struct {
	Name string
	X, Y []float64
}

// check reports points that cannot be drawn.
func (s Scatter) check() error {
	points := 0
	for _, g := range s.Groups {
		if len(g.X) != len(g.Y) {
			return fmt.Errorf("plots: scatter %q: group %q: %d values of X, %d of Y", s.Title, g.Name, len(g.X), len(g.Y))
		}
		for k := range g.X {
			if !finite(g.X[k]) || !finite(g.Y[k]) {
				return fmt.Errorf("plots: scatter %q: group %q: point %d lies at %v, %v; want finite numbers", s.Title, g.Name, k,
					g.X[k], g.Y[k])
			}
		}
		points += len(g.X)
	}
	if points == 0 {
		return fmt.Errorf("plots: scatter %q: no points", s.Title)
	}
	return nil
}

func (s Scatter) title() string { return s.Title }

func (s Scatter) keys() []key {
	var keys []key
	for _, g := range s.Groups {
		keys = append(keys, key{name: g.Name, sample: dot})
	}
	return keys
}

func (s Scatter) room(Typeface) (least, most vg.Length) { return panelLeast, cellsMost }

func (s Scatter) axes(face Typeface, looks map[string]look, width vg.Length) *plot.Plot {
	p := face.axes(s.XLabel, s.YLabel, width)
	p.Add(points{s, looks})
	if s.XLabel == "" && s.YLabel == "" {
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	}
	return p
}

// points draws the groups.
type points struct {
	Scatter
	looks map[string]look
}

// Plot implements plot.Plotter.
func (s points) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if xmin, xmax, ymin, ymax := s.DataRange(); s.Diagonal {
		if low, high := max(xmin, ymin), min(xmax, ymax); low < high {
			c.StrokeLine2(inkLine(), x(low), y(low), x(high), y(high))
		}
	}
	for _, g := range s.Groups {
		style := s.looks[g.Name].mark()
		style.Radius *= 0.6 // many points
		for i := range g.X {
			c.DrawGlyph(style, vg.Point{X: x(g.X[i]), Y: y(g.Y[i])})
		}
	}
}

// DataRange implements plot.DataRanger.
func (s points) DataRange() (xmin, xmax, ymin, ymax float64) {
	first := true
	for _, g := range s.Groups {
		for k := range g.X {
			if first {
				xmin, xmax, ymin, ymax, first = g.X[k], g.X[k], g.Y[k], g.Y[k], false
			}
			xmin, xmax, ymin, ymax = min(xmin, g.X[k]), max(xmax, g.X[k]), min(ymin, g.Y[k]), max(ymax, g.Y[k])
		}
	}
	return xmin, xmax, ymin, ymax
}
