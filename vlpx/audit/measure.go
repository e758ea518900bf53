package audit

import (
	"fmt"
	"slices"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/tables"
)

// Found is how good the first candidates by a score are, as far as that is known.
type Found struct {
	Listed, Known, True int
	// Precision is the share of the known ones that are true, and Recall that of all true pairs that are among them, in per cent.
	Precision, Recall float64
}

// Measure measures the first n candidates by a score; all where there are fewer.
func (r *Report) Measure(by Score, n int) Found { return measure(r.Candidates, by, n, r.Trues) }

// MeasureJudged measures the first n of the judged pairs by a score.
func (r *Report) MeasureJudged(by Score, n int) Found { return measure(r.Judged, by, n, r.Trues) }

func measure(of []Candidate, by Score, n, trues int) Found {
	of = slices.Clone(of)
	rank(of, by)
	f := Found{Listed: min(n, len(of))}
	for _, c := range of[:f.Listed] {
		if c.Known {
			f.Known++
		}
		if c.Known && c.True {
			f.True++
		}
	}
	f.Precision, f.Recall = share(f.True, f.Known), share(f.True, trues)
	return f
}

// share is a part of a whole in per cent; 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// firsts are how many candidates are measured, besides all.
var firsts = []int{100, 1000, 10_000}

// Measured is what is known of the candidates of an audit, as it is written to a file.
type Measured struct {
	Model, ConD string `json:",omitempty"` // what people call them
	Data, Split string
	// Trues and Falses count what is known of All captions with images that they were not written for.
	All, Trues, Falses int
	Rows               []MeasuredRow
}

// MeasuredRow is how good so many first pairs by a score are.
type MeasuredRow struct {
	By string // a score; empty of all candidates
	// Judged tells the first of the pairs that are known, as many as are true, from the first candidates.
	Judged bool `json:",omitempty"`
	Found
}

// Measured measures the first candidates by each score, all of them, and the first of what is known alone, where that is little. ok is
// false where nothing is known.
func (r *Report) Measured() (m Measured, ok bool) {
	m = Measured{Model: r.Model, ConD: r.ConD, Data: r.Set.Name(), Split: r.Split, All: r.All, Trues: r.Trues, Falses: r.Falses}
	if r.Trues+r.Falses == 0 {
		return m, false
	}
	for score := range scores {
		for _, n := range firsts {
			if r.Has[score] && n < len(r.Candidates) {
				m.Rows = append(m.Rows, MeasuredRow{score.String(), false, r.Measure(score, n)})
			}
		}
	}
	m.Rows = append(m.Rows, MeasuredRow{"", false, r.Measure(Cosine, len(r.Candidates))})
	if len(r.Judged) > 0 && r.Trues > 0 {
		for score := range scores {
			if r.Has[score] {
				m.Rows = append(m.Rows, MeasuredRow{score.String(), true, r.MeasureJudged(score, r.Trues)})
			}
		}
	}
	return m, true
}

// Table has a row for each score and number of first candidates: how many of them are true, and how many of all true pairs they are.
func (m Measured) Table() tables.Table {
	t := tables.Table{
		Title: fmt.Sprintf("How many candidates of %s are true", m.Data), Heading: "by",
		Columns: []tables.Column{{Name: "known", Format: "%.0f"}, {Name: "true", Format: "%.0f"}, {Name: "precision", Unit: "%"},
			{Name: "recall", Unit: "%"}},
		Note: fmt.Sprintf("Of %d captions with other images %d are known to be true and %d to be false: %.2g %% of what is known is true. "+
			"precision: of the known candidates. recall: of all that are known to be true.", m.All, m.Trues, m.Falses,
			share(m.Trues, m.Trues+m.Falses)),
	}
	for _, r := range m.Rows {
		row := tables.Row{Name: r.name(), Cells: []tables.Cell{{tables.Number(float64(r.Known))}, {tables.Number(float64(r.True))}, nil, nil}}
		if r.Known > 0 {
			row.Cells[2] = tables.Cell{tables.Number(r.Precision)}
		}
		if m.Trues > 0 {
			row.Cells[3] = tables.Cell{tables.Number(r.Recall)}
		}
		t.Rows = append(t.Rows, row)
	}
	if slices.ContainsFunc(m.Rows, func(r MeasuredRow) bool { return r.Judged }) {
		t.Note += " The last rows rank what is known alone, and take as many as are true."
	}
	return t
}

// name says which pairs a row is of.
func (r MeasuredRow) name() string {
	switch {
	case r.By == "":
		return fmt.Sprintf("all %d", r.Listed)
	case r.Judged:
		return fmt.Sprintf("%s, first %d of what is known", r.By, r.Listed)
	}
	return fmt.Sprintf("%s, first %d", r.By, r.Listed)
}

// ReadMeasured reads what an audit wrote.
func ReadMeasured(path string) (m Measured, err error) {
	text, err := content.ReadFile(path)
	if err == nil {
		err = plainjson.Unmarshal(text, &m)
	}
	if err != nil {
		return m, fmt.Errorf("audit: %s: %w", path, err)
	}
	return m, nil
}

// Together is a table of several audits: a row for each score of each, with the precision of its first candidates.
func Together(of []Measured) tables.Table {
	t := tables.Table{Heading: "data", Columns: []tables.Column{{Name: "model"}, {Name: "by"}, {Name: "true of what is known", Unit: "%"}}}
	for _, n := range firsts {
		t.Columns = append(t.Columns, tables.Column{Name: fmt.Sprintf("precision of the first %d", n), Unit: "%"})
	}
	t.Columns = append(t.Columns, tables.Column{Name: "recall of all candidates", Unit: "%"},
		tables.Column{Name: "of what is known alone", Unit: "%"})
	for _, m := range of {
		all := m.row("", false, 0)
		for score := range scores {
			row := tables.Row{Name: m.Data, Cells: []tables.Cell{{{Text: m.Model}}, {{Text: score.String()}},
				{tables.Number(share(m.Trues, m.Trues+m.Falses))}}}
			found := false
			for _, n := range firsts {
				of := m.row(score.String(), false, n)
				found = found || of != nil
				row.Cells = append(row.Cells, precision(of))
			}
			if !found {
				continue
			}
			recall := tables.Cell(nil)
			if all != nil {
				recall = tables.Cell{tables.Number(all.Recall)}
			}
			row.Cells = append(row.Cells, recall, precision(m.row(score.String(), true, m.Trues)))
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// row is the one of so many first pairs, of any number for 0; nil where there is none.
func (m Measured) row(by string, judged bool, n int) *MeasuredRow {
	k := slices.IndexFunc(m.Rows, func(r MeasuredRow) bool { return r.By == by && r.Judged == judged && (n == 0 || r.Listed == n) })
	if k < 0 {
		return nil
	}
	return &m.Rows[k]
}

// precision is that of a row; nothing where it has none.
func precision(r *MeasuredRow) tables.Cell {
	if r == nil || r.Known == 0 {
		return nil
	}
	return tables.Cell{tables.Number(r.Precision)}
}
