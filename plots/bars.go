package plots

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a panel of grouped bars from zero, with error bars of one standard deviation and, where known, a mark at a
// reference value, such as the one a paper reports.
type Bars struct {
	Title     string
	YLabel    string // with units
	Groups    []string
	Series    []BarSeries
	Reference string // what the reference values are, for the legend; such as "paper"
}

// BarSeries is one bar in each group. A mean that is NaN or infinite leaves its place empty.
type BarSeries struct {
	Name      string
	Mean      []float64 // one a group
	Std       []float64 // one a group, or empty; no error bar where NaN
	Reference []float64 // one a group, or empty; no mark where NaN
}

// check reports bars that cannot be drawn.
func (b Bars) check() error {
	if len(b.Groups) == 0 || len(b.Series) == 0 {
		return fmt.Errorf("plots: bars %q: %d groups of %d series; want at least one of each", b.Title, len(b.Groups), len(b.Series))
	}
	for _, s := range b.Series {
		for _, given := range []struct {
			name   string
			values []float64
			must   bool
		}{{"Mean", s.Mean, true}, {"Std", s.Std, false}, {"Reference", s.Reference, false}} {
			if n := len(given.values); n != len(b.Groups) && (given.must || n != 0) {
				return fmt.Errorf("plots: bars %q: series %q: %d values of %s for %d groups", b.Title, s.Name, n, given.name, len(b.Groups))
			}
		}
		for g, std := range s.Std {
			if std < 0 || math.IsInf(std, 0) {
				return fmt.Errorf("plots: bars %q: series %q: Std[%d] = %v; want a finite number from zero, or NaN", b.Title,
					s.Name, g, std)
			}
		}
		if len(s.Reference) > 0 && b.Reference == "" {
			return fmt.Errorf("plots: bars %q: series %q has reference values; say in Reference what they are", b.Title, s.Name)
		}
	}
	return nil
}

func (b Bars) title() string { return b.Title }

func (b Bars) keys() []key {
	var keys []key
	reference := false
	for _, s := range b.Series {
		keys = append(keys, key{name: s.Name, sample: block})
		reference = reference || len(s.Reference) > 0
	}
	if reference {
		keys = append(keys, key{name: b.Reference, sample: tick})
	}
	return keys
}

func (b Bars) axes(face Typeface, looks map[string]look, width vg.Length) *plot.Plot {
	p := face.axes("", b.YLabel, width)
	p.Add(gridLines{}, barGroups{b, looks})
	p.X.Padding, p.Y.Padding = 0, 0
	names, fit := b.labels(face, (width-axisRoom)/vg.Length(len(b.Groups)))
	ticks := make(plot.ConstantTicks, len(names))
	for g, name := range names {
		ticks[g] = plot.Tick{Value: float64(g), Label: name}
	}
	p.X.Tick.Marker = ticks
	if !fit {
		p.X.Tick.Label.Rotation = math.Pi / 5
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	}
	return p
}

// labels are the names of the groups in lines that fit a width, or as they are where one does not. All have as many lines, of
// which gonum would set more the lower.
func (b Bars) labels(face Typeface, width vg.Length) (names []string, fit bool) {
	style, widest, longest := face.lettering(tickSize), vg.Length(0), 1
	for _, name := range b.Groups {
		widest = max(widest, style.Width(name))
	}
	if widest > width-labelGap {
		widest = b.widestWord(face)
	}
	if widest > width-labelGap {
		return b.Groups, false
	}
	for _, name := range b.Groups {
		names = append(names, wrapped(name, style, widest))
		longest = max(longest, strings.Count(names[len(names)-1], "\n")+1)
	}
	for g, name := range names {
		names[g] += strings.Repeat("\n ", longest-1-strings.Count(name, "\n"))
	}
	return names, true
}

// widestWord is the width of the widest word in the names of the groups.
func (b Bars) widestWord(face Typeface) vg.Length {
	var widest vg.Length
	for _, word := range strings.Fields(strings.Join(b.Groups, " ")) {
		widest = max(widest, face.lettering(tickSize).Width(word))
	}
	return widest
}

// room has bars that can be told apart, and names of groups that need not be turned unless the page is too narrow.
func (b Bars) room(face Typeface) (least, most vg.Length) {
	group := max(barLeast*vg.Length(len(b.Series))/barShare, b.widestWord(face)+labelGap)
	return max(panelLeast, axisRoom+group*vg.Length(len(b.Groups))), PageWidth
}

// barGroups draws the bars of a panel.
type barGroups struct {
	Bars
	looks map[string]look
}

// Plot implements plot.Plotter.
func (b barGroups) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	point := (p.X.Max - p.X.Min) / float64(c.Max.X-c.Min.X)
	width := min(barShare/float64(len(b.Series)), float64(barMost)*point)
	for k, s := range b.Series {
		look := b.looks[s.Name]
		for g := range b.Groups {
			left := float64(g) + (float64(k)-float64(len(b.Series))/2)*width
			x0, x1 := x(left), x(left+width)
			middle := (x0 + x1) / 2
			if m := s.Mean[g]; finite(m) {
				box(c, look, x0, y(0), x1, y(m))
				if len(s.Std) > 0 && s.Std[g] > 0 {
					errorBar(c, inkLine(), middle, y(m-s.Std[g]), y(m+s.Std[g]))
				}
			}
			if len(s.Reference) > 0 && finite(s.Reference[g]) {
				c.DrawGlyph(referenceMark((x1-x0)/2), vg.Point{X: middle, Y: y(s.Reference[g])})
			}
		}
	}
	c.StrokeLine2(inkLine(), c.Min.X, y(0), c.Max.X, y(0))
}

// DataRange implements plot.DataRanger.
func (b barGroups) DataRange() (xmin, xmax, ymin, ymax float64) {
	take := func(v float64) {
		if finite(v) {
			ymin, ymax = min(ymin, v), max(ymax, v)
		}
	}
	for _, s := range b.Series {
		for g, m := range s.Mean {
			take(m)
			if len(s.Std) > 0 {
				take(m + s.Std[g])
				take(m - s.Std[g])
			}
		}
		for _, r := range s.Reference {
			take(r)
		}
	}
	if ymin == 0 && ymax == 0 {
		ymax = 1
	}
	return -0.5, float64(len(b.Groups)) - 0.5, ymin * 1.03, ymax * 1.03
}

// referenceMark is the mark at a reference value, no wider than the bar it belongs to.
func referenceMark(room vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: ink, Radius: min(1.2*glyphRadius, room), Shape: rhombus{}}
}

// rhombus is a white diamond with a black edge, visible on any bar and off it.
type rhombus struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (rhombus) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius
	corners := []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r},
		{X: at.X - r, Y: at.Y}}
	var path vg.Path
	path.Move(corners[0])
	for _, p := range corners[1:] {
		path.Line(p)
	}
	path.Close()
	c.SetColor(paper)
	c.Fill(path)
	c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: 1.5 * axisWidth}, corners)
}
