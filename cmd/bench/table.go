package bench

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
)

// Table lays the result out, a row a line or a cost.
func (r Result) Table() tables.Table {
	if r.Apart {
		t := Together([]Result{r})
		t.Note = r.note()
		return t
	}
	if r.Costs != nil {
		return r.costs()
	}
	common, apart := r.common()
	t := tables.Table{
		Title: "Speed of " + common, Heading: "what",
		Note: r.note(),
		Columns: []tables.Column{{Name: "median", Unit: "ms"}, {Name: "quartiles", Unit: "ms"}, {Name: "pairs/s"}, {Name: "GFLOP"},
			{Name: "of peak", Unit: "%"}},
	}
	measured := slices.ContainsFunc(r.Lines, func(l Line) bool { return l.Memory > 0 })
	if r.Nominal > 0 {
		t.Columns = append(t.Columns, tables.Column{Name: "MFU", Unit: "%"})
	}
	if measured {
		t.Columns = append(t.Columns, tables.Column{Name: "memory", Unit: "GB"})
	}
	t.Columns = append(t.Columns, tables.Column{Name: "up and down", Unit: "KB"})
	raced := r.PyTorch != ""
	if raced {
		t.Columns = append(t.Columns, tables.Column{Name: "PyTorch/ours"})
	}
	for _, l := range r.Lines {
		texts := []string{
			milliseconds(l.Median), milliseconds(l.Quartile1) + " to " + milliseconds(l.Quartile3), some("%.0f", l.Pairs),
			some("%.3g", l.Operations/1e9), some("%.0f", 100*l.Share),
		}
		if r.Nominal > 0 {
			texts = append(texts, some("%.1f", 100*l.MFU))
		}
		if measured {
			texts = append(texts, some("%.3g", float64(l.Memory)/1e9))
		}
		texts = append(texts, l.crossing())
		if raced {
			texts = append(texts, some("%.2f", l.Ratio))
		}
		row := tables.Row{Name: l.name()}
		if own := apart(l); own != "" {
			row.Name = own + ": " + row.Name
		}
		for _, text := range texts {
			row.Cells = append(row.Cells, tables.Cell{{Text: text}})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Tables are the result's: [Result.Table], and behind costs what more training pairs would take; or two a budget.
func (r Result) Tables() []tables.Table {
	if r.Budgets != nil {
		var all []tables.Table
		for _, b := range r.Budgets {
			all = append(all, b.tables(r)...)
		}
		return all
	}
	tables := []tables.Table{r.Table()}
	if len(r.Outlooks) > 0 {
		tables = append(tables, r.outlook())
	}
	return tables
}

// costs has a row a cost.
func (r Result) costs() tables.Table {
	t := tables.Table{
		Title: "How costs grow", Heading: "what",
		Note: r.note() + " An exponent is that of the power law that fits the points best.",
		Columns: []tables.Column{{Name: "with"}, {Name: "measured", Breaks: true}, {Name: "exponent"}, {Name: "at most"},
			{Name: "since", Breaks: true}},
	}
	for _, c := range r.Costs {
		var points []string
		for _, p := range c.Points {
			points = append(points, fmt.Sprintf("%.0f: %s", p.At, c.value(p.Value)))
		}
		row := tables.Row{Name: c.What}
		for _, text := range []string{c.Against, strings.Join(points, ", "), fmt.Sprintf("%.2f", c.Exponent),
			fmt.Sprintf("%.0f", c.Expected), c.Why} {
			row.Cells = append(row.Cells, tables.Cell{{Text: text}})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// value tells a value with its unit.
func (c Cost) value(v float64) string {
	switch c.Unit {
	case "s":
		return milliseconds(v) + " ms"
	case "bytes":
		return fmt.Sprintf("%.3g MB", v/1e6)
	}
	return fmt.Sprintf("%.3g G%s", v/1e9, c.Unit)
}

// common is what all lines are of, and apart tells of a line what others are not of.
func (r Result) common() (common string, apart func(Line) string) {
	traits := []func(Line) string{
		func(l Line) string { return l.Framework },
		func(l Line) string { return l.Method },
		func(l Line) string { return fmt.Sprintf("batch %d", l.Batch) },
		func(l Line) string { return "scale " + l.Scale },
	}
	var shared []string
	var differing []func(Line) string
	for _, of := range traits {
		switch {
		case len(r.Lines) == 0:
		case slices.ContainsFunc(r.Lines, func(l Line) bool { return of(l) != of(r.Lines[0]) }):
			differing = append(differing, of)
		default:
			shared = append(shared, of(r.Lines[0]))
		}
	}
	return strings.Join(shared, ", "), func(l Line) string {
		var own []string
		for _, of := range differing {
			own = append(own, of(l))
		}
		return strings.Join(own, ", ")
	}
}

// name is what a line tells of.
func (l Line) name() string {
	switch {
	case l.By != "":
		return l.What + ", " + l.By
	case l.Kind == Step:
		return l.What
	}
	return l.Kind + ", " + l.What
}

// crossing are the bytes that go up to the engine at a step, and those that come down.
func (l Line) crossing() string {
	if l.Up == 0 {
		return some("", 0)
	}
	return fmt.Sprintf("%.3g, %.3g", float64(l.Up)/1e3, float64(l.Down)/1e3)
}

// milliseconds are seconds in these, three digits of them.
func milliseconds(seconds float64) string {
	if ms := 1000 * seconds; ms < 100 {
		return fmt.Sprintf("%.3g", ms)
	} else {
		return fmt.Sprintf("%.0f", ms)
	}
}

// none stands where there is no number.
const none = "–"

// some is a number, or a dash where there is none.
func some(format string, x float64) string {
	if x == 0 {
		return none
	}
	return fmt.Sprintf(format, x)
}

// note tells where the times are from, and how to read them.
func (r Result) note() string {
	note := fmt.Sprintf("%s, threads: %d, on %d cores of %s, load %.1f before and %.1f after.", r.Engine, r.Threads, r.Machine.Cores,
		r.Machine.CPU, r.Before, r.After)
	if cores := float64(r.Machine.Cores); r.Before > cores/4 {
		note += " Other programs were at work: take the times for no more than an order, and ratios of the same turns with care."
	}
	if i := slices.IndexFunc(r.Lines, func(l Line) bool { return l.Peak > 0 }); i >= 0 {
		size := side
		if onGPU(r.Engine) {
			size = wide
		}
		note += fmt.Sprintf(" GFLOP are of matrix products and convolutions; the peak is the product of two matrices of %d in the same "+
			"turns, %s.", size, r.peaks())
		note += " Up go the mini-batch and what the engine does not keep of the model, down comes what a step tells."
	}
	if r.Nominal > 0 {
		note += fmt.Sprintf(" MFU is the share of %g TFLOP/s.", r.Nominal/1e12)
	}
	switch measured := slices.ContainsFunc(r.Lines, func(l Line) bool { return l.Memory > 0 }); {
	case measured && !onGPU(r.Engine):
		note += " Memory is the most that the process of each step took, with its data."
	case measured:
		note += " Memory is what our process has of the GPU, and what the tensors of PyTorch have had of it at most."
	}
	if r.PyTorch != "" {
		note += fmt.Sprintf(" PyTorch %s made the same steps in turn, with the same first weights and losses; its ratio is that of its "+
			"fastest way.", r.PyTorch)
	}
	if len(r.Left) > 0 {
		note += " Left out: " + strings.Join(r.Left, "; ") + "."
	}
	return note
}

// peaks are the rates of the engine's product, one a precision.
func (r Result) peaks() string {
	var all []string
	for _, l := range r.Lines {
		if l.Peak > 0 {
			all = append(all, fmt.Sprintf("%.0f GFLOP/s in %s", l.Peak/1e9, l.Precision))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}
