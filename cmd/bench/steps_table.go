package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/train"
)

// Read reads a result that was written as JSON, as by vlpx bench -json.
func Read(path string) (Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Result{}, fmt.Errorf("benchmark: %w", err)
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		return Result{}, fmt.Errorf("benchmark: %s is no result of vlpx bench -json: %w", path, err)
	}
	if r.Engine == "" || len(r.Lines) == 0 && len(r.Left) == 0 {
		return Result{}, fmt.Errorf("benchmark: %s has nothing that was measured; is it what vlpx bench -json printed?", path)
	}
	return r, nil
}

// together are the columns of Together but for those of which no row has anything.
var together = []struct {
	tables.Column
	of func(ours, peer Line) string
}{
	{tables.Column{Name: "precision"}, func(l, _ Line) string { return l.Precision }},
	{tables.Column{Name: "median", Unit: "ms"}, func(l, _ Line) string { return milliseconds(l.Median) }},
	{tables.Column{Name: "pairs/s"}, func(l, _ Line) string { return some("%.0f", l.Pairs) }},
	{tables.Column{Name: "of peak", Unit: "%"}, func(l, _ Line) string { return some("%.1f", 100*l.Share) }},
	{tables.Column{Name: "MFU", Unit: "%"}, func(l, _ Line) string { return some("%.1f", 100*l.MFU) }},
	{tables.Column{Name: "memory", Unit: "GB"}, func(l, _ Line) string { return some("%.3g", float64(l.Memory)/1e9) }},
	{tables.Column{Name: "times undivided"}, func(l, _ Line) string { return some("%.2f", l.Undivided) }},
	{tables.Column{Name: "PyTorch", Unit: "ms"}, func(_, peer Line) string { return some("%.3g", 1000*peer.Median) }},
	{tables.Column{Name: "its memory", Unit: "GB"}, func(_, peer Line) string { return some("%.3g", float64(peer.Memory)/1e9) }},
	{tables.Column{Name: "PyTorch/ours"}, func(l, _ Line) string { return some("%.2f", l.Ratio) }},
	{tables.Column{Name: "its fastest way"}, func(_, peer Line) string { return cmp.Or(strings.TrimPrefix(peer.By, "PyTorch "), none) }},
}

// Together lays the whole steps of several results out, a row a step of ours: beside it the fastest of PyTorch's. Rows tell of what was set
// what not all have, and of their engine where there are several.
func Together(results []Result) tables.Table {
	t := tables.Table{Title: "Whole steps", Heading: "step"}
	var engines, left []string
	shared := map[string]int{} // lines that have what was set
	lines := 0
	for _, r := range results {
		engines, left = append(engines, r.where()), append(left, r.Left...)
		for _, l := range r.wholes() {
			lines++
			for set := range strings.SplitSeq(l.Set, ", ") {
				shared[set]++
			}
		}
	}
	slices.Sort(engines)
	engines = slices.Compact(engines)
	for _, r := range results {
		for _, l := range r.wholes() {
			name := fmt.Sprintf("%s, %s, batch %d at %s", l.Framework, l.Method, l.Batch, l.Scale)
			if l.Chunk > 0 {
				name += fmt.Sprintf(" in chunks of %d", l.Chunk)
			}
			for set := range strings.SplitSeq(l.Set, ", ") {
				if set != "" && shared[set] < lines {
					name += ", " + set
				}
			}
			if len(engines) > 1 {
				name = r.where() + ": " + name
			}
			if l.Runs > 0 {
				name += fmt.Sprintf(", %d runs at once", l.Runs)
			}
			row := tables.Row{Name: name}
			for _, column := range together {
				row.Cells = append(row.Cells, tables.Cell{{Text: column.of(l, r.fastest(l))}})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	for k := len(together) - 1; k >= 0; k-- {
		if !slices.ContainsFunc(t.Rows, func(row tables.Row) bool { return row.Cells[k][0].Text != none }) {
			for i := range t.Rows {
				t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, k, k+1)
			}
			continue
		}
		t.Columns = slices.Insert(t.Columns, 0, together[k].Column)
	}
	slices.Sort(left)
	t.Note = "Measured on " + strings.Join(engines, " and ") + "."
	if left = slices.Compact(left); len(left) > 0 {
		t.Note += " Left out: " + strings.Join(left, "; ") + "."
	}
	return t
}

// wholes are the lines of our whole steps, alone and at once.
func (r Result) wholes() (all []Line) {
	for _, l := range r.Lines {
		if l.By == "" && l.Kind == Step && (l.What == train.Whole.String() || l.Runs > 0) {
			all = append(all, l)
		}
	}
	return all
}

// where tells the engine and the device of a result.
func (r Result) where() string {
	device := fmt.Sprintf("%d cores of %s", r.Machine.Cores, r.Machine.CPU)
	if onGPU(r.Engine) && len(r.Machine.GPUs) > 0 {
		device = r.Machine.GPUs[0].Name
	}
	return r.Engine + ", " + device
}

// fastest is the line of PyTorch's fastest way of a step of ours, empty where none raced.
func (r Result) fastest(ours Line) (best Line) {
	for _, l := range r.Lines {
		same := l.Framework == ours.Framework && l.Method == ours.Method && l.Scale == ours.Scale && l.Set == ours.Set &&
			l.Batch == ours.Batch
		if l.By != "" && l.What == ours.What && same && (best.By == "" || l.Median < best.Median) {
			best = l
		}
	}
	return best
}
