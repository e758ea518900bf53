package explore

import (
	"fmt"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
)

// isTruePair says a verdict; what nobody knows stays empty.
var isTruePair = map[plots.Mark]string{plots.TruePair: "yes", plots.FalsePair: "no"}

// Table has a row for the anchor's own pair and one for each negative, and a group of columns for each method.
func (v View) Table() tables.Table {
	t := tables.Table{
		Title:   v.title(),
		Note:    v.note(),
		Heading: "rank",
		Columns: []tables.Column{{Name: v.candidates()}, {Name: "cosine", Format: "%.3f"}, {Name: "quantile", Format: "%.4f"},
			{Name: "true pair"}},
	}
	for m, name := range v.Methods {
		t.Columns = append(t.Columns, tables.Column{Group: name, Name: "meet", Unit: "%", Format: "%.0f"},
			tables.Column{Group: name, Name: "push", Unit: "%", Format: "%.1f"})
		if v.Matches {
			t.Columns = append(t.Columns, tables.Column{Group: name, Name: "ITM", Unit: "%", Format: "%.0f"})
		}
		if v.judges(m) {
			t.Columns = append(t.Columns, tables.Column{Group: name, Name: "judge", Format: "%.2f"},
				tables.Column{Group: name, Name: "becomes"})
		}
	}
	t.Rows = append(t.Rows, v.row("own", v.Anchor))
	for _, n := range v.Nearest {
		t.Rows = append(t.Rows, v.row(fmt.Sprint(n.Rank), n))
	}
	return t
}

// row of the anchor's own pair, rank 0, has nothing that only negatives have.
func (v View) row(name string, n Neighbour) tables.Row {
	number := func(x float64) tables.Cell { return tables.Cell{tables.Number(x)} }
	row := tables.Row{Name: name, Cells: []tables.Cell{{{Text: n.Caption}}, number(n.Cosine), nil, {{Text: isTruePair[n.Verdict]}}}}
	if n.Rank > 0 {
		row.Cells[2] = number(n.Quantile)
	}
	for m, t := range n.Treatments {
		cells := []tables.Cell{nil, number(100 * t.Push), nil}
		if n.Rank > 0 {
			cells[0], cells[2] = number(100*t.Meet), number(100*t.Picked)
		}
		if !v.Matches {
			cells = cells[:2]
		}
		if v.judges(m) {
			judged := []tables.Cell{nil, nil}
			if n.Rank > 0 {
				judged = []tables.Cell{number(t.Score), {{Text: string(t.Decision)}}}
			}
			cells = append(cells, judged...)
		}
		row.Cells = append(row.Cells, cells...)
	}
	return row
}

// judges reports whether a method has Positives.
func (v View) judges(method int) bool { return v.Anchor.Treatments[method].Decision != Unjudged }

func (v View) candidates() string {
	if v.Side == OfText {
		return "image, by its first caption"
	}
	return "caption"
}

func (v View) title() string {
	if v.Side == OfText {
		return fmt.Sprintf("The images nearest to the caption %q; %s, %s", v.Anchor.Caption, v.Run, v.Set)
	}
	return fmt.Sprintf("The captions nearest to image %s; %s, %s", v.Anchor.Key, v.Run, v.Set)
}

// note says what the numbers are.
func (v View) note() string {
	note := fmt.Sprintf("In a mini-batch of the anchor and its %d nearest negatives, after %.4g epochs. meet: the chance to share a "+
		"mini-batch in an epoch. push: the share of ITC's push on the anchor; below 0 it is pulled.",
		v.Batch-1, v.Progress)
	if v.Matches {
		note += " ITM: the chance to be the anchor's negative in matching."
	}
	for m := range v.Methods {
		if v.judges(m) {
			note += " becomes: what the judge makes of it if ITM picks it."
			break
		}
	}
	if v.Explored < v.Whole {
		note += fmt.Sprintf(" Of the split's %d pairs the first %d are explored.", v.Whole, v.Explored)
	}
	if len(v.Unreadable) > 0 {
		note += fmt.Sprintf(" Images that cannot be read and take part as the mean colour: %d (%s).", len(v.Unreadable),
			run.Some(v.Unreadable))
	}
	return note
}
