package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ranks is a panel of how series rank by one measure, at the left, and by another, at the right: a slope for each series, the best on top,
// with error bars of one standard deviation, and its name behind its end. Where two slopes cross the measures disagree.
type Ranks struct {
	Title       string
	Left, Right string // the two measures
	YLabel      string
	Series      []RankSeries
}

// RankSeries is one slope.
type RankSeries struct {
	Name string
	Mean [2]float64 // rank at the left and at the right, from 1 for the best to the number of series
	Std  [2]float64 // its error bar ends at the first and the last rank; none where it is 0 or NaN
}

// check reports ranks that cannot be drawn.
func (r Ranks) check() error {
	if len(r.Series) == 0 {
		return fmt.Errorf("plots: ranks %q: no series", r.Title)
	}
	for _, s := range r.Series {
		for end, mean := range s.Mean {
			if !(mean >= 1 && mean <= float64(len(r.Series))) {
				return fmt.Errorf("plots: ranks %q: series %q: rank %d is %v; want one from 1 to %d", r.Title, s.Name, end+1, mean,
					len(r.Series))
			}
			if std := s.Std[end]; std < 0 || math.IsInf(std, 0) {
				return fmt.Errorf("plots: ranks %q: series %q: Std[%d] = %v; want a finite number from zero, or NaN", r.Title,
					s.Name, end, std)
			}
		}
	}
	return nil
}

func (r Ranks) title() string { return r.Title }

func (r Ranks) keys() []key {
	var keys []key
	for _, s := range r.Series {
		keys = append(keys, key{name: s.Name, sample: direct})
	}
	return keys
}

// Widths of a panel of ranks.
const (
	slopeLeast = vg.Length(56) // from one measure to the other
	slopeMost  = 1.6 * vg.Inch
	slopeEdge  = vg.Length(20)  // between the axis and the left measure
	nameGap    = vg.Length(11)  // between the right measure and the names
	endPitch   = vg.Length(2.5) // between series, at most
	endSpread  = nameGap - 3    // of series to either side of a measure
)

// names is the room of the longest name.
func (r Ranks) names(face Typeface) vg.Length {
	var widest vg.Length
	for _, s := range r.Series {
		widest = max(widest, face.lettering(tickSize).Width(s.Name))
	}
	return nameGap + widest
}

func (r Ranks) room(face Typeface) (least, most vg.Length) {
	around := axisRoom + slopeEdge + r.names(face)
	return around + slopeLeast, around + slopeMost
}

func (r Ranks) axes(face Typeface, looks map[string]look, width vg.Length) *plot.Plot {
	p := face.axes("", r.YLabel, width)
	slope := max(width-axisRoom-slopeEdge-r.names(face), slopeLeast)
	p.Add(slopes{r, face, looks, float64(slopeEdge / slope), float64(r.names(face) / slope)})
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.LineStyle.Width, p.X.Tick.LineStyle.Width = 0, 0
	style, reach := face.lettering(tickSize), 0.95*min(slope, 2*r.names(face))
	p.X.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: wrapped(r.Left, style, reach)},
		{Value: 1, Label: wrapped(r.Right, style, reach)}}
	p.X.Tick.Label.YAlign = draw.YTop
	p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	ticks := make(plot.ConstantTicks, len(r.Series))
	for k := range ticks {
		ticks[k] = plot.Tick{Value: float64(k + 1), Label: strconv.Itoa(k + 1)}
	}
	p.Y.Tick.Marker = ticks
	return p
}

// slopes draws the series of a panel of ranks.
type slopes struct {
	Ranks
	face        Typeface
	looks       map[string]look
	left, right float64 // room beside the measures, in distances between them
}

// Plot implements plot.Plotter.
func (s slopes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for end := range 2 {
		c.StrokeLine2(draw.LineStyle{Color: grid, Width: lineWidth}, x(float64(end)), c.Min.Y, x(float64(end)), c.Max.Y)
	}
	var ends []vg.Length
	pitch := min(endPitch, 2*endSpread/vg.Length(max(len(s.Series)-1, 1)))
	for k, series := range s.Series {
		look := s.looks[series.Name]
		beside := pitch * vg.Length(float64(k)-float64(len(s.Series)-1)/2) // so that equal ranks are seen
		var points []vg.Point
		for end, mean := range series.Mean {
			at := vg.Point{X: x(float64(end)) + beside, Y: y(mean)}
			if std := series.Std[end]; std > 0 {
				errorBar(c, look.solid(), at.X, y(min(mean+std, float64(len(s.Series)))), y(max(mean-std, 1)))
			}
			points = append(points, at)
		}
		c.StrokeLines(look.line(), points)
		for _, at := range points {
			c.DrawGlyph(look.mark(), at)
		}
		ends = append(ends, points[1].Y)
	}
	style := s.face.lettering(tickSize)
	style.YAlign = draw.YCenter
	for k, at := range apart(ends, 1.15*tickSize, c.Min.Y, c.Max.Y) {
		c.FillText(style, vg.Point{X: x(1) + nameGap, Y: at + raised*tickSize}, s.Series[k].Name)
	}
}

// DataRange implements plot.DataRanger.
func (s slopes) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -s.left, 1 + s.right, 0.5, float64(len(s.Series)) + 0.5
}

// apart moves places as little as it takes to have them at least a pitch apart, in their order, and between low and high if there is room.
func apart(places []vg.Length, pitch, low, high vg.Length) []vg.Length {
	order := make([]int, len(places))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[b], places[a]) })
	moved := slices.Clone(places)
	for n := 1; n <= len(order); n++ { // the places so far: groups that touch stand around the mean of where they would be
		first := n - 1
		for {
			var sum vg.Length
			for k := first; k < n; k++ {
				sum += places[order[k]] + vg.Length(k-first)*pitch
			}
			top := sum / vg.Length(n-first)
			if first == 0 || moved[order[first-1]]-top >= pitch {
				for k := first; k < n; k++ {
					moved[order[k]] = top - vg.Length(k-first)*pitch
				}
				break
			}
			first--
		}
	}
	return within(moved, order, pitch, low, high)
}

// within shifts places, in descending order, that are outside of a range.
func within(places []vg.Length, order []int, pitch, low, high vg.Length) []vg.Length {
	limit := low
	for k := len(order) - 1; k >= 0; k-- {
		places[order[k]] = max(places[order[k]], limit)
		limit = places[order[k]] + pitch
	}
	limit = high
	for _, k := range order {
		places[k] = min(places[k], limit)
		limit = places[k] - pitch
	}
	return places
}
