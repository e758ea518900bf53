package paper

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
)

// Sources of the values in a comparison's cells, in order.
const (
	fromPaper     = "paper"
	fromYou       = "this store"
	fromReference = "reference"
)

// Table lays the report out.
func (r *Report) Table() (plots.Table, error) { return r.artifact.Table(r) }

// Figure draws the report; nil where it has no figure, or no results to draw yet.
func (r *Report) Figure() (plots.Drawing, error) {
	if r.artifact.Figure == nil {
		return nil, nil
	}
	return r.artifact.Figure(r)
}

// Comparison has the artifact's rows and columns, with the paper's numbers, the user's and the shipped reference results side
// by side.
func Comparison(r *Report) (plots.Table, error) {
	t := plots.Table{
		Title:   fmt.Sprintf("%s: %s", r.ID, r.Title),
		Note:    r.note(),
		Heading: "method",
		Sources: []string{fromPaper, fromYou, fromReference},
	}
	columns := r.shown()
	for _, c := range columns {
		best := plots.Highest
		if c.Lower {
			best = plots.Lowest
		}
		format := "" // a digit after the point for per cent
		if c.Unit == "" {
			format = "%.2f"
		}
		t.Columns = append(t.Columns, plots.Column{Group: c.Group, Name: c.Name, Unit: c.Unit, Best: best, Format: format})
	}
	for i, row := range r.Rows {
		reference, stale, shipped := r.reference.row(r.plan, i)
		line := plots.TableRow{Name: row.Name}
		if row.Status != string(Ready) {
			line.Status = row.Status
		}
		if stale {
			line.Status = strings.TrimPrefix(line.Status+", stale reference", ", ")
		}
		for _, c := range columns {
			s := row.Metrics[c.key()]
			cell := plots.Cell{{}, {}, {}}
			if s.Paper != nil {
				cell[0] = plots.Number(*s.Paper)
			}
			if s.Mean != nil {
				cell[1] = plots.Value{Mean: *s.Mean, N: s.N}
				if s.Std != nil {
					cell[1].Std = *s.Std
				}
			}
			if v, ok := reference.Metrics[c.key()]; shipped && ok {
				cell[2] = plots.Value{Mean: v[0], Std: v[1], N: int(v[2])}
			}
			line.Cells = append(line.Cells, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t, nil
}

// shown are the columns worth showing: all but those of our own that the data cannot give.
func (r *Report) shown() []Column {
	papers := 0
	for _, row := range r.artifact.Rows {
		papers = max(papers, len(row.Paper))
	}
	var columns []Column
	for i, c := range r.artifact.Columns {
		has := slices.ContainsFunc(r.Rows, func(row RowReport) bool { return row.Metrics[c.key()].Mean != nil })
		shipped := r.reference != nil && slices.ContainsFunc(r.reference.Rows, func(row ReferenceRow) bool {
			_, ok := row.Metrics[c.key()]
			return ok
		})
		if i < papers || has || shipped {
			columns = append(columns, c)
		}
	}
	return columns
}

func (r *Report) note() string {
	note := fmt.Sprintf("Scale %s on %s, seeds %v, mean ± standard deviation over seeds. The paper's numbers are of its own data and scale.",
		r.Scale, r.Data.Name, r.Seeds)
	if r.Engine != "" {
		note += fmt.Sprintf(" Run on %s.", r.Engine)
	}
	if r.reference != nil {
		note += fmt.Sprintf(" Reference: the project's own runs, seeds a method %d, on %s, %s, commit %s.", r.reference.seeds(),
			r.reference.Engine, r.reference.Date.Format("2006-01-02"), r.reference.Commit)
	}
	return note
}

// ClaimsTable lays the claims out with differences, p-values and verdicts.
func (r *Report) ClaimsTable() plots.Table {
	t := plots.Table{
		Title:   "Claims",
		Note:    "Two-sided paired t-test over seeds: supported or contradicted at p < 0.05, undecided above it.",
		Heading: "claim",
		Columns: []plots.Column{{Name: "difference", Format: "%+.2f"}, {Name: "p", Format: "%.3f"}, {Name: "verdict"}, {Name: "source"}},
	}
	for _, f := range r.Claims {
		source := f.Source
		if source == "" {
			source = "ours"
		}
		line := plots.TableRow{Name: f.Text, Cells: []plots.Cell{{}, {}, {{Text: string(f.Verdict)}}, {{Text: source}}}}
		if f.Difference != nil {
			line.Cells[0] = plots.Cell{plots.Number(*f.Difference)}
			line.Cells[1] = plots.Cell{plots.Number(*f.P)}
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// Bars compares the rows: a panel of own-caption retrieval, one without re-ranking, one of each other group of columns.
func Bars(r *Report) (plots.Drawing, error) {
	f := plots.Figure{Title: fmt.Sprintf("%s, %s on %s", r.ID, r.Scale, r.Data.Name), Columns: 3}
	retrieval := "Zero-shot retrieval"
	if !slices.ContainsFunc(r.artifact.Rows, func(row Row) bool { return row.Tune == nil }) {
		retrieval = "Fine-tuned retrieval"
	}
	of := func(c Column) string {
		switch {
		case c.Group == "False negatives":
			return "False negatives met (%)"
		case c.Group == "Without re-ranking":
			return "Retrieval without re-ranking (%)"
		case strings.HasSuffix(c.Group, " Retrieval"):
			return retrieval + " of own captions (%)"
		}
		return c.Group
	}
	var labels []string
	panels := map[string][]Column{}
	for _, c := range r.artifact.Columns {
		if c.Metric == "" || len(r.means(c)) == 0 {
			continue
		}
		label := of(c)
		if panels[label] == nil {
			labels = append(labels, label)
		}
		panels[label] = append(panels[label], c)
	}
	for _, label := range labels {
		bars := plots.Bars{Title: strings.TrimSuffix(label, " (%)"), YLabel: panels[label][0].Unit}
		for _, c := range panels[label] {
			name := c.Name
			switch c.Group {
			case "Text Retrieval":
				name = "TR " + name
			case "Image Retrieval":
				name = "IR " + name
			}
			bars.Groups = append(bars.Groups, name)
		}
		for _, row := range r.Rows {
			if len(row.results) == 0 {
				continue
			}
			series := plots.BarSeries{Name: row.Name}
			for _, c := range panels[label] {
				mean, std := stat.MeanStdDev(c.valuesOf(row.results), nil)
				series.Mean, series.Std = append(series.Mean, mean), append(series.Std, std)
			}
			bars.Series = append(bars.Series, series)
		}
		f.Panels = append(f.Panels, bars)
	}
	return drawn(f)
}

// drawn is a figure, or nothing where it has no panel.
func drawn(f plots.Figure) (plots.Drawing, error) {
	if len(f.Panels) == 0 {
		return nil, nil
	}
	return f, nil
}

func (r *Report) means(c Column) []float64 {
	var means []float64
	for _, row := range r.Rows {
		if s := row.Metrics[c.key()]; s.Mean != nil {
			means = append(means, *s.Mean)
		}
	}
	return means
}

// Curves follows the columns over the epochs; retrieval is on the validation split, without re-ranking.
func Curves(r *Report) (plots.Drawing, error) { return r.curves(r.panels(r.artifact.Columns, r.Rows)) }

// curves are panels of the artifact's columns over the epochs as a figure.
func (r *Report) curves(panels []plots.Panel) (plots.Drawing, error) {
	f := plots.Figure{Title: fmt.Sprintf("%s, %s on %s", r.ID, r.Scale, r.Data.Name), Columns: 3, Panels: panels}
	if slices.ContainsFunc(r.artifact.Columns, func(c Column) bool { return strings.HasSuffix(c.Group, " Retrieval") }) {
		f.Title += ", validation split, no re-ranking"
	}
	return drawn(f)
}

// panels are a panel for each column that some of the rows have, over the epochs.
func (r *Report) panels(columns []Column, rows []RowReport) []plots.Panel {
	var panels []plots.Panel
	for _, c := range columns {
		lines := plots.Lines{Title: c.Group, XLabel: "epoch", YLabel: c.label()}
		for _, row := range rows {
			if len(row.results) == 0 {
				continue
			}
			series := plots.Series{Name: row.Name}
			for e := range row.results[0].Epochs {
				var values []float64
				for _, result := range row.results {
					if v, ok := epochValue(result.Epochs[e], c.Metric); ok {
						values = append(values, v)
					}
				}
				if len(values) == 0 {
					continue
				}
				mean, std := stat.MeanStdDev(values, nil)
				series.X, series.Mean, series.Std = append(series.X, float64(e+1)), append(series.Mean, mean), append(series.Std, std)
			}
			if len(series.X) > 0 {
				lines.Series = append(lines.Series, series)
			}
		}
		if len(lines.Series) > 0 {
			panels = append(panels, lines)
		}
	}
	return panels
}

// label names a column's axis, with its unit.
func (c Column) label() string {
	if c.Unit == "" {
		return c.Name
	}
	return fmt.Sprintf("%s (%s)", c.Name, c.Unit)
}
