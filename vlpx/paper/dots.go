package paper

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
)

const (
	// mostBars are as many rows as are drawn as bars side by side.
	mostBars = 6
	// dotPanels stand side by side.
	dotPanels = 5
)

// rowsDrawn are the rows with results.
func (r *Report) rowsDrawn() int {
	n := 0
	for _, row := range r.Rows {
		if len(row.Results) > 0 {
			n++
		}
	}
	return n
}

// dots compares the rows as dots, a panel a column. Intervals are one standard deviation over seeds; where all rows have but one seed,
// those over test images.
func (r *Report) dots() (plots.Drawing, error) {
	oneSeed := !slices.ContainsFunc(r.Rows, func(row RowReport) bool { return len(row.Results) > 1 })
	intervals := false
	var panels []plots.Panel
	var drawn []Column
	for _, c := range r.Plan.Artifact.Columns {
		if c.Metric == "" || len(r.means(c)) == 0 {
			continue
		}
		panel := plots.Dots{Title: c.Heading()}
		if c.Unit != "" {
			panel.Title += " (" + c.Unit + ")"
		}
		for _, row := range r.Rows {
			if len(row.Results) == 0 {
				continue
			}
			values := c.Values(row.Results)
			mean, std := stat.MeanStdDev(values, nil)
			dot := plots.DotRow{Name: row.Name, Mean: mean, Low: mean - std, High: mean + std}
			if len(values) < 2 {
				dot.Low, dot.High = math.NaN(), math.NaN()
			}
			if interval := row.Metrics[c.Key()].Interval; oneSeed && interval != nil {
				dot.Low, dot.High, intervals = interval[0], interval[1], true
			}
			panel.Rows = append(panel.Rows, dot)
		}
		panels, drawn = append(panels, panel), append(drawn, c)
	}
	note := r.SpreadNote("bars")
	if intervals {
		note += " Bars are 95 % bootstrap intervals over test images."
	}
	f := r.NewFigure(append([]string{note}, r.partialIn(drawn)...)...)
	f.Panels, f.Columns = panels, dotPanels
	return Drawn(f)
}
