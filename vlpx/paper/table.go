package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/plan"
)

// Sources of the values in a comparison's cells, in order.
const (
	FromPaper     = "paper"
	FromYou       = "this store"
	FromReference = "reference"
)

// Table lays the report out. Its note ends with the rows that are left out, the artifact's remarks and the images that could not be read.
func (r *Report) Table() (tables.Table, error) {
	t, err := r.Plan.Artifact.Table(r)
	if err == nil {
		r.tell(&t)
		t.Note += r.missingNote() + r.Plan.LeftNote() + r.Plan.Artifact.Remarks() + r.Unreadable.note() + r.equalNote() +
			r.answeredNote() + r.damagedNote()
	}
	return t, err
}

// Comparison has the artifact's rows that were asked for, and columns, with the paper's numbers, the user's and the shipped reference
// results side by side.
func Comparison(r *Report) (tables.Table, error) {
	t := tables.Table{
		Title:   fmt.Sprintf("%s: %s", r.ID, r.Title),
		Note:    r.Note(),
		Heading: "method",
		Sources: []string{FromPaper, FromYou, FromReference},
	}
	columns := r.Shown()
	for _, c := range columns {
		best := tables.Highest
		switch {
		case c.Neutral:
			best = tables.Unranked
		case c.Lower:
			best = tables.Lowest
		}
		format := "" // a digit after the point for per cent
		switch {
		case c.Reported && c.Unit != field.Percent:
			format = "%.3g"
		case c.Unit == "":
			format = "%.2f"
		}
		t.Columns = append(t.Columns, tables.Column{Group: c.Group, Name: c.Name, Unit: c.Unit, Best: best, Format: format})
	}
	var rows []RowReport
	for i, row := range r.Rows {
		if r.Plan.Requested[i] {
			rows = append(rows, row)
		}
	}
	if !r.chosen && len(r.best.Results)+len(r.best.Shipped) > 0 {
		rows = append(rows, r.best.RowReport)
	}
	for _, row := range rows {
		line := tables.Row{Name: row.Name, Status: row.status()}
		for _, c := range columns {
			s := row.Metrics[c.Key()]
			cell := tables.Cell{{}, {}, {}}
			if s.Paper != nil {
				cell[0] = tables.Number(*s.Paper)
			}
			if s.Mean != nil {
				cell[1] = tables.Value{Mean: *s.Mean, N: s.N, Of: s.Of, Interval: s.Interval}
				if s.Std != nil {
					cell[1].Std = *s.Std
				}
			}
			if v, ok := row.shipped.Metrics[c.Key()]; ok {
				cell[2] = tables.Value{Mean: v[0], Std: v[1], N: int(v[2]), Of: len(row.shipped.Runs)}
				if ends, ok := row.shipped.Intervals[c.Key()]; ok {
					cell[2].Interval = &ends
				}
			}
			line.Cells = append(line.Cells, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t, nil
}

// Shown are the columns worth showing: all but those of our own that a run is not even asked for, such as retrieval of a framework that
// reads no captions. What was asked for stays, whether or not a result has it: one of an older version may lack it. Of a folder it stays
// until there are results: where none has a value, such as a share of false negatives, nobody knows it of these data. The paper's numbers
// of a task that was left out go with it.
func (r *Report) Shown() []Column {
	if r.chosen {
		return r.Plan.Artifact.Columns
	}
	papers := 0
	for _, row := range r.Plan.Artifact.Rows {
		papers = max(papers, len(row.Paper))
	}
	asked := r.Plan.Measures()
	empty := !slices.ContainsFunc(r.Plan.Artifact.Columns, r.has)
	stays := !r.Plan.Planner.Folder() || empty
	whole := len(r.Plan.Planner.Without) == 0 || empty
	var columns []Column
	for i, c := range r.Plan.Artifact.Columns {
		metric := strings.TrimSuffix(strings.TrimPrefix(c.Metric, eval.CosinePrefix), plan.OnValidation)
		_, ofTask := eval.InfoOf(eval.Metric(metric))
		if r.has(c) || i < papers && (whole || asked[metric]) || stays && (c.Of != nil || !ofTask || asked[metric]) {
			columns = append(columns, c)
		}
	}
	return columns
}

// has tells whether a row has a value in a column, of this store or of the reference.
func (r *Report) has(c Column) bool {
	return slices.ContainsFunc(r.Rows, func(row RowReport) bool {
		_, ok := row.shipped.Metrics[c.Key()]
		return ok || row.Metrics[c.Key()].Mean != nil
	})
}

func (r *Report) Note() string {
	note := r.scaleNote()
	if slices.ContainsFunc(r.Plan.Artifact.Rows, func(row plan.Row) bool { return len(row.Paper) > 0 }) {
		note += " The paper's numbers are of its own data and scale."
	}
	return note + r.ShippedNote()
}

// scaleNote tells what this store's numbers are of.
func (r *Report) scaleNote() string {
	note := r.mixedFirst() + fmt.Sprintf("Scale %s on %s, test split, ", r.Scale, r.on())
	note += r.spreadOfSeeds()
	if warmed := r.Plan.Warmed(); warmed != "" {
		note += " " + warmed
	}
	if r.Encoder != "" {
		note += " " + r.Encoder
	}
	if ran := r.origins(); ran != "" {
		note += fmt.Sprintf(" Run on %s.", ran)
	}
	return note + r.intervalNote()
}

// on names the data.
func (r *Report) on() string {
	if r.Plan.Blocks {
		return "each seed's own " + r.Data.Name
	}
	return fmt.Sprintf("%s (%s)", r.Data.Name, plan.Abbreviated(r.Data.Hash))
}

// spreadOfSeeds says over which seeds means are.
func (r *Report) spreadOfSeeds() string {
	if len(r.Seeds) == 1 {
		return fmt.Sprintf("seed %s alone, so that neither a spread over seeds is known nor a claim is tested.", r.Plan.SeedList())
	}
	return fmt.Sprintf("seeds %s, mean ± standard deviation over seeds.", r.Plan.SeedList())
}

// NewTable begins a table without rows.
func (r *Report) NewTable(note string) tables.Table {
	t := tables.Table{
		Title: r.ID + ": " + r.Title,
		Note:  r.mixedFirst() + fmt.Sprintf("Scale %s on %s, seeds %s. %s", r.Scale, r.on(), r.Plan.SeedList(), note),
	}
	if ran := r.origins(); ran != "" {
		t.Note += fmt.Sprintf(" Run on %s.", ran)
	}
	return t
}

// Unfinished is a line that says which runs of a row are there; none where all are.
func (row RowReport) Unfinished() []tables.Row {
	if row.Status == string(Ready) {
		return nil
	}
	return []tables.Row{{Name: row.Name, Status: row.Status}}
}
