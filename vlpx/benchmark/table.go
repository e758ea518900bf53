package benchmark

import (
	"fmt"
	"strings"

	"vlpx.internal/plots"
)

// Table lays the result out, a row a line.
func (r Result) Table() plots.Table {
	t := plots.Table{
		Title: "Speed", Heading: "what",
		Note: r.note(),
		Columns: []plots.Column{{Name: "median", Unit: "ms"}, {Name: "quartiles", Unit: "ms"}, {Name: "times"}, {Name: "pairs/s"}, {Name: "GFLOP"},
			{Name: "of peak", Unit: "%"}, {Name: "up", Unit: "KB"}, {Name: "down", Unit: "KB"}},
	}
	raced := r.PyTorch != ""
	if raced {
		t.Columns = append(t.Columns, plots.Column{Name: "PyTorch/ours"})
	}
	for _, l := range r.Lines {
		texts := []string{
			milliseconds(l.Median), milliseconds(l.Quartile1) + " to " + milliseconds(l.Quartile3), fmt.Sprint(len(l.Seconds)), some("%.0f", l.Pairs),
			some("%.3g", l.Operations/1e9), some("%.0f", 100*l.Share), some("%.0f", float64(l.Up)/1e3), some("%.1f", float64(l.Down)/1e3),
		}
		if raced {
			texts = append(texts, some("%.2f", l.Ratio))
		}
		row := plots.TableRow{Name: l.name()}
		for _, text := range texts {
			row.Cells = append(row.Cells, plots.Cell{{Text: text}})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// name tells a line from the others.
func (l Line) name() string {
	what := l.Kind + ": " + l.What
	if l.Kind == Step {
		what = l.What
	}
	if l.By != "" {
		what += ", " + l.By
	}
	return fmt.Sprintf("%s, %s, batch %d, %s: %s", l.Framework, l.Method, l.Batch, l.Scale, what)
}

// milliseconds are seconds in these, three digits of them.
func milliseconds(seconds float64) string {
	if ms := 1000 * seconds; ms < 100 {
		return fmt.Sprintf("%.3g", ms)
	} else {
		return fmt.Sprintf("%.0f", ms)
	}
}

// some is a number, or a dash where there is none.
func some(format string, x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// note tells where the times are from, and how to read them.
func (r Result) note() string {
	var peaks []string
	for _, l := range r.Lines {
		if l.Peak > 0 && l.What == parts[len(parts)-1].String() {
			peaks = append(peaks, fmt.Sprintf("%.0f", l.Peak/1e9))
		}
	}
	note := fmt.Sprintf("%s on %d cores of %s, load %.1f before and %.1f after.", r.Engine, r.Machine.Cores, r.Machine.CPU, r.Before, r.After)
	if cores := float64(r.Machine.Cores); r.Before > cores/4 {
		note += " Other programs were at work: take the times for no more than an order, and ratios of the same turns with care."
	}
	if len(peaks) > 0 {
		note += fmt.Sprintf(" GFLOP are of matrix products and convolutions; the peak is the product of two matrices of %d in the same turns, %s GFLOP/s.",
			side, strings.Join(peaks, ", "))
		note += " Up and down cross between host and engine at each step."
	}
	if r.PyTorch != "" {
		note += fmt.Sprintf(" PyTorch %s made the same steps in turn, with the same first weights and losses; its ratio is that of its fastest way.", r.PyTorch)
	}
	for _, left := range r.Left {
		note += " Left out: " + left + "."
	}
	return note
}
