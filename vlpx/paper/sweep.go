package paper

import (
	"fmt"
	"math"
	"slices"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Point is a row of a sweep: a method at one setting of what is swept.
type Point struct {
	plan.Row
	Curve string                    // the points of a curve share it
	At    func(scale.Scale) float64 // the setting, above zero; those of a curve do not fall
}

// RowsOf are the rows of points.
func RowsOf(points []Point) []plan.Row {
	var rows []plan.Row
	for _, p := range points {
		rows = append(rows, p.Row)
	}
	return rows
}

// Over draws a panel for each of the columns: its mean over seeds against the setting, on a logarithmic axis, a line a curve. A setting
// that a scale makes the same as the one before it is left out: it is the same run.
func Over(setting string, points []Point, columns ...Column) func(*Report) (plots.Drawing, error) {
	return over(setting, true, points, columns)
}

// OverShares is Over on an axis that is not logarithmic.
func OverShares(setting string, points []Point, columns ...Column) func(*Report) (plots.Drawing, error) {
	return over(setting, false, points, columns)
}

func over(setting string, logarithmic bool, points []Point, columns []Column) func(*Report) (plots.Drawing, error) {
	return func(r *Report) (plots.Drawing, error) {
		places := make([]place, len(points))
		for i, p := range points {
			places[i] = place{r.Rows[i], p.Curve, p.At(r.Plan.Scale.Resolved())}
		}
		return r.linesOver(setting, logarithmic, places, columns)
	}
}

// place is a row at its place along an axis.
type place struct {
	row   RowReport
	curve string
	at    float64
}

// linesOver draws a panel for each of the columns, of places whose curves do not fall.
func (r *Report) linesOver(setting string, logarithmic bool, places []place, columns []Column, about ...string) (plots.Drawing, error) {
	var panels []plots.Panel
	spread := "bands"
	for _, c := range columns {
		panel := plots.Lines{Title: c.Heading(), XLabel: setting, YLabel: c.Label(), LogX: logarithmic}
		for _, p := range places {
			mean, std := p.row.spread(c)
			if math.IsNaN(mean) {
				continue
			}
			k := slices.IndexFunc(panel.Series, func(s plots.Series) bool { return s.Name == p.curve })
			if k < 0 {
				k, panel.Series = len(panel.Series), append(panel.Series, plots.Series{Name: p.curve})
			}
			if s := &panel.Series[k]; len(s.X) == 0 || p.at > s.X[len(s.X)-1] {
				s.X, s.Mean, s.Std = append(s.X, p.at), append(s.Mean, mean), append(s.Std, std)
			}
		}
		if slices.ContainsFunc(panel.Series, func(s plots.Series) bool { return len(s.X) == 1 }) {
			spread = "bands and error bars"
		}
		if len(panel.Series) > 0 {
			panels = append(panels, panel)
		}
	}
	f := r.NewFigure(slices.Concat([]string{r.SpreadNote(spread)}, about, r.partialIn(columns))...)
	f.Panels = panels
	return Drawn(f)
}

// portions are the shares of the training images of a sweep over the amount of data.
var portions = []struct {
	name  string
	parts int
}{{"1/4", 4}, {"1/2", 2}, {"all", 1}}

// PortionPoints are a row on portions of the data, and so is what it needs.
func PortionPoints(row plan.Row) []Point {
	var points []Point
	for _, p := range portions {
		one, share := row.As(fmt.Sprintf("%s (%s)", row.Name, p.name)), 1/float64(p.parts)
		if p.parts > 1 {
			one = one.Varying(func(s *scale.Scale) { s.Portion = share })
		}
		points = append(points, Point{Row: one, Curve: row.Name, At: func(scale.Scale) float64 { return share }})
	}
	return points
}
