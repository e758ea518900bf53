package bench

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/engine/fusion"
)

// tables are the budget by kinds of work, and its slowest operations.
func (b Budget) tables(of Result) []tables.Table {
	name := fmt.Sprintf("%s, %s, batch %d at %s", b.Framework, b.Method, b.Batch, b.Scale)
	if b.Set != "" {
		name += ", " + b.Set
	}
	t := tables.Table{
		Title: "A step of " + name, Heading: "kind of work",
		Note: b.note() + " " + of.note(),
		Columns: []tables.Column{{Name: "operations"}, {Name: "ms"}, {Name: "of the step", Unit: "%"}, {Name: "limit", Unit: "ms"},
			{Name: "times as long"}},
	}
	whole := Share{What: "whole step", Seconds: b.Median}
	for _, share := range b.Shares {
		t.Rows = append(t.Rows, b.row(share))
		whole.Operations += share.Operations
		whole.Limit += share.Limit
	}
	t.Rows = append(t.Rows, b.row(whole))
	for _, share := range b.Beside {
		share.What += ", beside it"
		t.Rows = append(t.Rows, b.row(share))
	}
	slow := tables.Table{
		Title: "The slowest operations of " + name, Heading: "operation",
		Note:    "Elementwise are operations that were joined. Where there are several tensors their number stands there, and the largest.",
		Columns: []tables.Column{{Name: "ms"}, {Name: "limit", Unit: "ms"}, {Name: "times as long"}, {Name: "kind of work", Breaks: true}},
	}
	for _, o := range b.Slowest {
		row := tables.Row{Name: o.name()}
		for _, text := range []string{milliseconds(o.Seconds), some("%.3g", 1000*o.Limit), o.times(), o.Work} {
			row.Cells = append(row.Cells, tables.Cell{{Text: text}})
		}
		slow.Rows = append(slow.Rows, row)
	}
	return []tables.Table{t, slow}
}

// row is a line of the budget.
func (b Budget) row(s Share) tables.Row {
	row := tables.Row{Name: s.What}
	for _, text := range []string{some("%.0f", float64(s.Operations)), fmt.Sprintf("%.2f", 1000*s.Seconds),
		fmt.Sprintf("%.1f", 100*s.Seconds/b.Median), some("%.2f", 1000*s.Limit), s.times()} {
		row.Cells = append(row.Cells, tables.Cell{{Text: text}})
	}
	return row
}

// times is how many times as long as at its limit a share takes.
func (s Share) times() string {
	const least = 1e-6 // seconds; below it operations are calls
	if s.Limit < least {
		return none
	}
	return fmt.Sprintf("%.1f", s.Seconds/s.Limit)
}

// name tells an operation by its shapes: all of them where it reads two and gives one, else their number and the largest.
func (o Slow) name() string {
	return fmt.Sprintf("%s of %s to %s", o.What, listed(o.Inputs, 2), listed(o.Outputs, 1))
}

// listed are the shapes of up to most tensors, or of more their number and the largest shape.
func listed(all []engine.ProfiledTensor, most int) string {
	if len(all) == 0 {
		return "nothing"
	}
	if len(all) > most {
		largest := slices.MaxFunc(all, func(x, y engine.ProfiledTensor) int { return x.Size() - y.Size() })
		return fmt.Sprintf("%d (%s)", len(all), shape(largest))
	}
	var shapes []string
	for _, t := range all {
		shapes = append(shapes, shape(t))
	}
	return strings.Join(shapes, ", ")
}

// shape is a tensor's, such as 64x96.
func shape(t engine.ProfiledTensor) string {
	if len(t.Dims) == 0 {
		return "a number"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(t.Dims), "[]"), " ", "x")
}

// farthest is the factor, or its inverse, from which on a budget is told to be worth little. It is our choice.
const farthest = 1.5

// note tells how the budget was made and is to be read.
func (b Budget) note() string {
	var rates []string
	for _, r := range b.Memory {
		rates = append(rates, fmt.Sprintf("%d KB: %.0f", r.Bytes>>10, r.PerSecond/1e9))
	}
	far := ""
	if b.Factor > farthest || b.Factor < 1/farthest {
		far = ", which is so far from 1 that shares are worth little: other programs were at work, or the step is short beside what the " +
			"profiler adds"
	}
	return fmt.Sprintf("Limits are, in the same turns, the engine's product of two matrices of %d, %.0f GFLOP/s, and for all but products "+
		"the copy that moves as many bytes or the next more (GB/s of %s). Times are of ONNX Runtime's profiler, with which the step takes "+
		"%s ms: less what it takes to write the shapes, and, with what is around the run, times %.2f to add up%s. Between operations are "+
		"%.2f µs for each, as for one that computes next to nothing. Operations that are joined count as the first of %s.", side, b.Peak/1e9, strings.Join(rates, ", "),
		milliseconds(b.Profiled), b.Factor, far, 1e6*b.Call, strings.Join([]string{string(fusion.Update), string(fusion.Activation),
			string(fusion.Softmax), string(fusion.Dropout), string(fusion.Normalisation)}, ", "))
}
