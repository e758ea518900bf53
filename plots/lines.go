package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines is a panel of curves with bands of one standard deviation. Long curves, such as densities, have no marks. One with more
// points than can be told apart, such as a loss at every step, is drawn as its running mean over the range of its values.
type Lines struct {
	Title          string
	XLabel, YLabel string // with units, such as "R@1 (%)"
	Series         []Series
	LogX           bool // the horizontal axis is logarithmic, with the series' X as its ticks
	Ordered        bool // the series are stages of one thing, such as epochs: solid, from light to dark, first to last
}

// Series is one curve. A point whose mean is NaN or infinite is a gap in the curve; a lone point is drawn as a mark with an
// error bar. X must ascend.
type Series struct {
	Name    string
	X, Mean []float64
	Std     []float64 // none if empty; no band where NaN
}

// check reports a series that cannot be drawn.
func (l Lines) check() error {
	bad := func(s Series, format string, args ...any) error {
		return fmt.Errorf("plots: lines %q: series %q: %s", l.Title, s.Name, fmt.Sprintf(format, args...))
	}
	if len(l.Series) == 0 {
		return fmt.Errorf("plots: lines %q: no series", l.Title)
	}
	for _, s := range l.Series {
		if len(s.Mean) != len(s.X) || len(s.Std) != 0 && len(s.Std) != len(s.X) {
			return bad(s, "%d values of X, %d of Mean, %d of Std", len(s.X), len(s.Mean), len(s.Std))
		}
		if len(s.runs()) == 0 {
			return bad(s, "no point to draw among %d; leave the series out", len(s.X))
		}
		for k, x := range s.X {
			if l.LogX && x <= 0 {
				return bad(s, "X[%d] = %v; a logarithmic axis has no place for it", k, x)
			}
			if !finite(x) || k > 0 && x <= s.X[k-1] {
				return bad(s, "X[%d] = %v; X must be finite and ascend", k, x)
			}
		}
		for k, std := range s.Std {
			if std < 0 || math.IsInf(std, 0) {
				return bad(s, "Std[%d] = %v; want a finite number from zero, or NaN", k, std)
			}
		}
	}
	return nil
}

func (l Lines) title() string { return l.Title }

func (l Lines) keys() []key {
	var keys []key
	for _, s := range l.Series {
		k := key{name: s.Name, sample: stroke, stage: l.Ordered}
		if s.marks() > 0 {
			k.sample = curve
		}
		keys = append(keys, k)
	}
	return keys
}

func (l Lines) room(Typeface) (least, most vg.Length) { return panelLeast, PageWidth }

func (l Lines) axes(face Typeface, looks map[string]look, width vg.Length) *plot.Plot {
	p := face.axes(l.XLabel, l.YLabel, width)
	p.Add(gridLines{})
	for _, s := range l.Series { // bands first: no band may cover a curve
		p.Add(spread{s, looks[s.Name], len(l.Series)})
	}
	for _, s := range l.Series {
		p.Add(trace{s, looks[s.Name]})
	}
	spare := headroom * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = p.Y.Min-spare, p.Y.Max+spare
	if l.LogX {
		if p.X.Min == p.X.Max {
			p.X.Min, p.X.Max = p.X.Min/2, p.X.Max*2
		}
		p.X.Scale = plot.LogScale{}
	}
	if values := l.places(); l.LogX || len(values) <= fewPlaces {
		p.X.Tick.Marker = placeTicks(p.X, values, width-axisRoom)
	}
	return p
}

// fewPlaces is how many different X an axis names one by one.
const fewPlaces = 7

// places are the different X of the series.
func (l Lines) places() []float64 {
	var places []float64
	for _, s := range l.Series {
		places = append(places, s.X...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// placeTicks are ticks at places along an axis of a length, named as far as the names do not meet.
func placeTicks(a plot.Axis, places []float64, length vg.Length) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	past := vg.Length(math.Inf(-1))
	for _, v := range places {
		tick := plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)}
		half := a.Tick.Label.Width(tick.Label) / 2
		if at := vg.Length(a.Norm(v)) * length; at-half >= past {
			past = at + half + labelGap
		} else {
			tick.Label = "" // a shorter tick without a name
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// runs are the stretches [first, past) of points without a gap.
func (s Series) runs() [][2]int {
	var runs [][2]int
	for k, m := range s.Mean {
		switch {
		case !finite(m):
		case k > 0 && finite(s.Mean[k-1]):
			runs[len(runs)-1][1] = k + 1
		default:
			runs = append(runs, [2]int{k, k + 1})
		}
	}
	return runs
}

// marks says at which points marks stand, every so manieth: at each up to a dozen points, then at ever fewer; at none, which is
// 0, of more than thirty points if no point stands alone.
func (s Series) marks() int {
	const dozen, many = 12, 30
	alone := slices.ContainsFunc(s.runs(), func(run [2]int) bool { return run[1]-run[0] == 1 })
	if len(s.X) > many && !alone {
		return 0
	}
	return (len(s.X) + dozen - 1) / dozen
}

// std is the spread of point k, zero if unknown.
func (s Series) std(k int) float64 {
	if len(s.Std) == 0 || math.IsNaN(s.Std[k]) {
		return 0
	}
	return s.Std[k]
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// trace draws the curve of a series and its marks.
type trace struct {
	Series
	look look
}

// Plot implements plot.Plotter.
func (t trace) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	every := t.marks()
	for _, run := range t.runs() {
		var points []vg.Point
		for k := run[0]; k < run[1]; k++ {
			points = append(points, vg.Point{X: x(t.X[k]), Y: y(t.Mean[k])})
		}
		if dense(points) {
			c.FillPolygon(t.look.haze(), envelope(points))
			c.StrokeLines(t.look.line(), means(points))
		} else {
			c.StrokeLines(t.look.line(), points)
		}
		for k, at := range points {
			if lone := len(points) == 1; lone || every > 0 && (run[0]+k)%every == 0 {
				c.DrawGlyph(t.look.mark(), at)
			}
		}
		if k := run[0]; len(points) == 1 && t.std(k) > 0 {
			errorBar(c, t.look.solid(), points[0].X, y(t.Mean[k]-t.std(k)), y(t.Mean[k]+t.std(k)))
		}
	}
}

// DataRange implements plot.DataRanger.
func (t trace) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = t.X[0], t.X[len(t.X)-1], math.Inf(1), math.Inf(-1)
	for k, m := range t.Mean {
		if finite(m) {
			ymin, ymax = min(ymin, m-t.std(k)), max(ymax, m+t.std(k))
		}
	}
	return xmin, xmax, ymin, ymax
}

// spread draws the band of one standard deviation around the curve of a series.
type spread struct {
	Series
	look look
	of   int // series in the panel
}

// Plot implements plot.Plotter.
func (s spread) Plot(c draw.Canvas, p *plot.Plot) {
	if len(s.Std) == 0 {
		return
	}
	x, y := p.Transforms(&c)
	for _, run := range s.runs() {
		var upper, lower []vg.Point
		for k := run[0]; k < run[1]; k++ {
			upper = append(upper, vg.Point{X: x(s.X[k]), Y: y(s.Mean[k] + s.std(k))})
			lower = append(lower, vg.Point{X: x(s.X[k]), Y: y(s.Mean[k] - s.std(k))})
		}
		if dense(upper) {
			upper, lower = means(upper), means(lower)
		}
		slices.Reverse(lower)
		if len(lower) > 1 {
			c.FillPolygon(s.look.band(s.of), append(upper, lower...))
		}
	}
}

func errorBar(c draw.Canvas, style draw.LineStyle, x, low, high vg.Length) {
	c.StrokeLine2(style, x, low, x, high)
	for _, y := range []vg.Length{low, high} {
		c.StrokeLine2(style, x-capWidth/2, y, x+capWidth/2, y)
	}
}
