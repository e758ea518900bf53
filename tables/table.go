package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Table is a table of results in which each cell stacks the values that several sources give for one quantity, such as a
// paper's number, ours and a reference result.
type Table struct {
	Title   string
	Note    string   // a line below the table; may be empty
	Heading string   // heading of the row names; "method" if empty
	Sources []string // what the values of a cell are, in order; empty for tables of one value a cell
	Columns []Column
	Rows    []Row
	// More names the columns that do not fit a page's width beside the first ones, which then opens them; empty to show them at once.
	More string
	// Facts are what a file tells of each line beside its value, such as where it is from; a table to be read leaves them out.
	Facts []string
	// Label is what a document in LaTeX refers to the table by, behind "tab:"; empty for none.
	Label string
}

// Column describes one column. Neighbours with the same Group share a heading above their names.
type Column struct {
	Group, Name string
	Unit        string // shown in the heading, such as "%"
	Format      string // fmt verb for a number; "%.1f" if empty
	Best        Best   // which value stands out
	// Breaks breaks texts between words where a terminal is too narrow for the table, in the place of folding it.
	Breaks bool
}

// Best says which value of a column is the best of its source.
type Best int

const (
	Unranked Best = iota // no value stands out
	Highest              // the largest mean is the best
	Lowest               // the smallest mean is the best
)

// Row is one row, such as a method. Cells that are missing at the end, or empty, show as "–".
type Row struct {
	Name   string
	Status string // "not yet", "2 of 3 seeds"; shown below the name
	Cells  []Cell // one a column
	// Facts has, for each source, an entry for each of Table.Facts; what is missing at the end is empty.
	Facts [][]string
}

// Cell holds one value a source, in the order of Table.Sources. Values missing at the end show as "–".
type Cell []Value

// Value is a mean over runs, or a text. The zero Value is missing, and so is one whose mean is NaN.
type Value struct {
	Mean, Std float64 // Std is shown when N is above one
	N         int     // number of runs; 0 for none
	Of        int     // runs that there are: where they are more than N, the value says of how many it is; 0 for no more than N
	Text      string  // shown instead of the number if not empty
	// Interval has the ends of an interval around the mean, which only a file tells; nil for none.
	Interval *[2]float64

	words *[]Word // of Text, where they are marked; see Words
	blank bool    // nothing is shown, below a text that goes on
}

// Number is a single value, such as one a paper reports.
func Number(v float64) Value { return Value{Mean: v, N: 1} }

// Partial tells of a number that some of the runs lack.
func (v Value) Partial() bool { return !v.missing() && v.Text == "" && v.Of > v.N }

func (v Value) missing() bool { return v.Text == "" && !v.blank && (v.N == 0 || math.IsNaN(v.Mean)) }

const absent = "–"

// text formats a value as its main part and its spread, either of which may be empty. Behind the spread is of how many runs the value is,
// where some lack it.
func (v Value) text(format string) (main, spread string) {
	if format == "" {
		format = "%.1f"
	}
	switch {
	case v.Text != "" || v.blank:
		return v.Text, ""
	case v.missing():
		return absent, ""
	}
	if v.N > 1 {
		spread = "±" + fmt.Sprintf(format, v.Std)
	}
	if v.Partial() {
		spread += fmt.Sprintf(" (n=%d)", v.N)
	}
	return fmt.Sprintf(format, v.Mean), spread
}

// line is one source of one row, ready to be printed.
type line struct {
	source string
	values []Value
	best   []bool
}

// silent tells whether a line has nothing to say in the columns from first up to past.
func (l line) silent(first, past int) bool {
	return !slices.ContainsFunc(l.values[first:past], func(v Value) bool { return !v.missing() })
}

// check reports rows and cells that hold more than the table has columns and sources.
func (t Table) check() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("plots: table %q has no columns", t.Title)
	}
	for _, r := range t.Rows {
		if len(r.Cells) > len(t.Columns) {
			return fmt.Errorf("plots: table %q: row %q has %d cells for %d columns", t.Title, r.Name, len(r.Cells), len(t.Columns))
		}
		for c, cell := range r.Cells {
			if n := max(1, len(t.Sources)); len(cell) > n {
				return fmt.Errorf("plots: table %q: row %q, column %q: %d values for %d sources", t.Title, r.Name, t.Columns[c].Name,
					len(cell), n)
			}
		}
		for _, facts := range r.Facts {
			if len(facts) > len(t.Facts) || len(r.Facts) > max(1, len(t.Sources)) {
				return fmt.Errorf("plots: table %q: row %q: %d facts of %d sources for %d of %d", t.Title, r.Name, len(facts), len(r.Facts),
					len(t.Facts),
					max(1, len(t.Sources)))
			}
		}
	}
	return nil
}

// value returns what a source says in a cell, missing if it says nothing.
func (r Row) value(column, source int) Value {
	if column >= len(r.Cells) || source >= len(r.Cells[column]) {
		return Value{}
	}
	return r.Cells[column][source]
}

// lines lays a row out, a line for each source that has a value in it; one of no source, if none has.
func (t Table) lines(r Row) []line {
	var lines []line
	for s := range max(1, len(t.Sources)) {
		l := line{values: make([]Value, len(t.Columns)), best: make([]bool, len(t.Columns))}
		for c := range t.Columns {
			l.values[c] = r.value(c, s)
			l.best[c] = t.isBest(c, s, l.values[c])
		}
		if len(t.Sources) > 0 {
			l.source = t.Sources[s] + runs(l.values)
		}
		lines = append(lines, l)
	}
	some := spoken(lines, 0, len(t.Columns))
	if some[0].silent(0, len(t.Columns)) {
		some[0].source = ""
	}
	return some
}

// spoken are the lines that say something in the columns from first up to past; the last one, if none does.
func spoken(lines []line, first, past int) []line {
	var some []line
	for _, l := range lines {
		if !l.silent(first, past) {
			some = append(some, l)
		}
	}
	if len(some) == 0 {
		return lines[len(lines)-1:]
	}
	return some
}

// wordy tells of each column whether it holds words, which begin at its left, rather than numbers, which end at its right.
func (t Table) wordy() []bool {
	wordy := make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for c, cell := range r.Cells {
			for _, v := range cell {
				wordy[c] = wordy[c] || v.Text != "" && !strings.ContainsAny(v.Text[:1], "+-.<0123456789")
			}
		}
	}
	return wordy
}

func (t Table) isBest(column, source int, v Value) bool {
	best := t.Columns[column].Best
	if best == Unranked || v.missing() || v.blank || v.Text != "" {
		return false
	}
	differs := false // where all are equal, none is best
	for _, r := range t.Rows {
		other := r.value(column, source)
		if other.missing() || other.blank || other.Text != "" {
			continue
		}
		if best == Highest && other.Mean > v.Mean || best == Lowest && other.Mean < v.Mean {
			return false
		}
		differs = differs || other.Mean != v.Mean
	}
	return differs
}

// runs tells how many runs stand behind a line of values, if more than one stands behind any.
func runs(values []Value) string {
	low, high := math.MaxInt, 0
	for _, v := range values {
		if !v.missing() {
			low, high = min(low, v.N), max(high, v.N)
		}
	}
	switch {
	case high <= 1:
		return ""
	case low == high:
		return fmt.Sprintf(" (n=%d)", low)
	default:
		return fmt.Sprintf(" (n=%d-%d)", low, high)
	}
}

// span is a run of neighbouring columns under one heading.
type span struct {
	heading     string
	first, past int
}

// spans groups neighbouring columns of the same Group. A unit that a whole group shares stands in its heading.
func (t Table) spans() []span {
	var spans []span
	for c, column := range t.Columns {
		if c > 0 && column.Group == t.Columns[c-1].Group {
			spans[len(spans)-1].past = c + 1
			continue
		}
		spans = append(spans, span{heading: column.Group, first: c, past: c + 1})
	}
	for i, s := range spans {
		if unit := t.sharedUnit(s); unit != "" {
			spans[i].heading += " (" + unit + ")"
		}
	}
	return spans
}

// sharedUnit is the unit of all columns of a named span, or empty.
func (t Table) sharedUnit(s span) string {
	if s.heading == "" {
		return ""
	}
	unit := t.Columns[s.first].Unit
	for _, c := range t.Columns[s.first:s.past] {
		if c.Unit != unit {
			return ""
		}
	}
	return unit
}

// names are the headings of the single columns, with their unit where no group heading has it.
func (t Table) names() []string {
	names := make([]string, len(t.Columns))
	for _, s := range t.spans() {
		shared := t.sharedUnit(span{heading: t.Columns[s.first].Group, first: s.first, past: s.past})
		for c := s.first; c < s.past; c++ {
			names[c] = t.Columns[c].Name
			if unit := t.Columns[c].Unit; unit != "" && shared == "" {
				names[c] += " (" + unit + ")"
			}
		}
	}
	return names
}

func (t Table) heading() string {
	if t.Heading == "" {
		return "method"
	}
	return t.Heading
}
