package paper

import (
	"cmp"
	"fmt"
	"slices"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/train"
)

// withReported is the plan with a column for each number that the parts of some row reported in an epoch of its runs, in the
// order in which they did. It is known only once the runs are there. An artifact that shows no columns stays as it is.
func (p *Planned) withReported(rows []RowReport) *Planned {
	if len(p.Artifact.Columns) == 0 {
		return p
	}
	with := *p
	with.Artifact.Columns = slices.Clone(p.Artifact.Columns)
	for _, row := range rows {
		for _, result := range row.Results {
			for _, record := range result.Epochs {
				for _, n := range record.Numbers {
					with.Artifact.show(n)
				}
			}
		}
	}
	return &with
}

// show adds the column of a number, unless it is there. A name that rows report in several units has a column of each.
func (a *Artifact) show(n field.Number) {
	metric := n.Name
	for _, c := range a.Columns {
		if c.shows(n) {
			return
		}
		if c.Metric == metric {
			metric = fmt.Sprintf("%s (%s)", n.Name, cmp.Or(n.Unit, "no unit"))
		}
	}
	a.Columns = append(a.Columns, Column{Group: "Reported by parts", Name: n.Name, Metric: metric, Unit: n.Unit, Reported: true, Neutral: true,
		Alone: n.Name})
}

// shows tells whether a column is that of a number that a part reported.
func (c Column) shows(n field.Number) bool { return c.Reported && c.Name == n.Name && c.Unit == n.Unit }

// in is the column's number of an epoch.
func (c Column) in(record train.Record) (v float64, ok bool) {
	if !c.Reported {
		return EpochValue(record, c.Metric)
	}
	for _, n := range record.Numbers {
		if c.shows(n) {
			return n.Value()
		}
	}
	return 0, false
}
