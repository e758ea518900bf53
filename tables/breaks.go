package tables

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// broken is the table with the words of columns that break in lines of their own, so that it is no wider than so many characters, unless a
// word is too long for that; the table itself where it fits, or where nothing breaks. A table of several sources stays as it is.
func (t Table) broken(width int) Table {
	if width <= 0 || len(t.Sources) > 0 || !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Breaks }) {
		return t
	}
	p := t.print(Terminal{})
	if p.left()+len(gap)+p.columns(span{past: len(t.Columns)}) <= width {
		return t
	}
	widths := t.breaks(width-p.left(), p)
	rows := t.Rows
	t.Rows = nil
	for _, r := range rows {
		pieces, most := make([][]string, len(t.Columns)), 1
		for c := range t.Columns {
			if v := r.value(c, 0); t.Columns[c].Breaks && v.Text != "" {
				pieces[c] = broken(v.Text, widths[c])
				most = max(most, len(pieces[c]))
			}
		}
		for k := range most {
			next := Row{Cells: make([]Cell, len(t.Columns))}
			if k == 0 {
				next.Name, next.Status = r.Name, r.Status
			}
			for c := range t.Columns {
				v := r.value(c, 0)
				switch {
				case k < len(pieces[c]):
					v = Value{Text: pieces[c][k]}
				case k > 0:
					v = Value{blank: true}
				}
				next.Cells[c] = Cell{v}
			}
			t.Rows = append(t.Rows, next)
		}
	}
	return t
}

// namesBroken is the table with the names of rows, and what stands beside them, in lines of their own where they are longer than half of so
// many characters. A table of several sources stays as it is.
func (t Table) namesBroken(width int) Table {
	most := width / 2
	if width <= 0 || len(t.Sources) > 0 {
		return t
	}
	rows := t.Rows
	t.Rows = nil
	for _, r := range rows {
		name, _ := t.label(r)
		if utf8.RuneCountInString(name) <= most {
			t.Rows = append(t.Rows, r)
			continue
		}
		for k, piece := range broken(name, most-2) { // behind the first line two characters in
			next := Row{Name: piece, Cells: r.Cells}
			if k > 0 {
				next.Name, next.Cells = "  "+piece, nil
				for range t.Columns {
					next.Cells = append(next.Cells, Cell{{blank: true}})
				}
			}
			t.Rows = append(t.Rows, next)
		}
	}
	return t
}

// breaks are the widths of the columns that break, 0 of the others: all have room for their longest word, and share the rest by how much
// they say.
func (t Table) breaks(room int, p *printer) []int {
	widths, says, all := make([]int, len(t.Columns)), make([]int, len(t.Columns)), 0
	for c, column := range t.Columns {
		room -= len(gap)
		if !column.Breaks {
			room -= p.main[c] + p.spread[c]
			continue
		}
		widths[c] = utf8.RuneCountInString(p.names[c])
		for _, r := range t.Rows {
			for _, word := range strings.Fields(r.value(c, 0).Text) {
				widths[c] = max(widths[c], utf8.RuneCountInString(word))
				says[c] += utf8.RuneCountInString(word) + 1
			}
		}
		room -= widths[c]
		all += says[c]
	}
	for c := range widths {
		if t.Columns[c].Breaks && room > 0 {
			widths[c] += room * says[c] / max(all, 1)
		}
	}
	return widths
}
