package paper

import (
	"slices"

	"vlpx.internal/plots"
)

const (
	// mostBars are as many rows as are drawn as bars side by side.
	mostBars = 6
	// dotPanels stand side by side.
	dotPanels = 5
)

// rowsDrawn are as many rows as have results.
func (r *Report) rowsDrawn() int {
	n := 0
	for _, row := range r.Rows {
		if row.seeds() > 0 {
			n++
		}
	}
	return n
}

// drawnShipped are the rows of which the shipped results are drawn.
func (r *Report) drawnShipped() (names []string) {
	for _, row := range r.Rows {
		if len(row.Results) == 0 && row.seeds() > 0 {
			names = append(names, row.Name)
		}
	}
	return names
}

// dots compares the rows as dots, a panel a column. Intervals are one standard deviation over seeds; where all rows have but one seed,
// those over test images.
func (r *Report) dots() (plots.Drawing, error) {
	oneSeed := !slices.ContainsFunc(r.Rows, func(row RowReport) bool { return row.seeds() > 1 })
	intervals := false
	var panels []plots.Panel
	var drawn []Column
	for _, c := range r.Plan.Artifact.Columns {
		if c.Metric == "" || !r.has(c) {
			continue
		}
		panel := plots.Dots{Title: c.Heading()}
		if c.Unit != "" {
			panel.Title += " (" + c.Unit + ")"
		}
		for _, row := range r.Rows {
			if row.seeds() == 0 {
				continue
			}
			mean, std := row.spread(c)
			dot := plots.DotRow{Name: row.Name, Mean: mean, Low: mean - std, High: mean + std}
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
