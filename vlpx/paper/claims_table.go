package paper

import (
	"fmt"
	"slices"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/plan"
)

// requested tells whether the row of a claim was asked for.
func (r *Report) requested(name string) bool {
	i := slices.IndexFunc(r.Plan.Artifact.Rows, func(row plan.Row) bool { return row.Name == name })
	return i < 0 || r.Plan.Requested[i] // BestOfSweep is none
}

// ClaimsTable lays the claims out with differences, p-values and verdicts, and what the seeds and the test images could show: those of
// rows that were asked for.
func (r *Report) ClaimsTable() tables.Table {
	t := tables.Table{
		Title: "Claims", Label: r.ID + "-claims", Heading: "claim", More: "What the seeds and the test images could show, other tests, " +
			"and how to read this",
		Columns: []tables.Column{
			{Name: "difference", Format: "%+.2f"}, {Name: "95 % interval"}, {Name: "p", Format: "%.3f"}, {Name: "Holm", Format: "%.3f"},
			{Name: "verdict"}, {Name: "seeds"}, {Name: "could show", Format: "%.2f"}, {Name: "over images"},
			{Name: "moderated p", Format: "%.3f"}, {Name: "paired p", Format: "%.3f"}, {Name: "source"},
		},
	}
	for _, k := range r.primaryFirst() {
		f := r.Claims[k]
		if slices.ContainsFunc(r.claims[k].Rows(), func(name string) bool { return !r.requested(name) }) {
			continue
		}
		source := f.Source
		if source == "" {
			source = "ours"
		}
		line := tables.Row{Name: f.Text, Cells: []tables.Cell{
			{}, between(f.Blocks), probability(f.P), probability(f.Holm), {{Text: f.Conclusion()}}, {{Text: f.SeedsNote()}}, {},
			between(f.Interval), probability(f.Moderated), probability(f.Paired), {{Text: source}},
		}}
		if f.Difference != nil {
			line.Cells[0] = tables.Cell{tables.Number(*f.Difference)}
		}
		if f.Detectable != nil {
			line.Cells[6] = tables.Cell{tables.Number(*f.Detectable)}
		}
		t.Rows = append(t.Rows, line)
	}
	if !slices.ContainsFunc(r.Claims, func(f Finding) bool { return f.Difference != nil }) {
		t.Columns = []tables.Column{t.Columns[4], t.Columns[10]}
		for k, line := range t.Rows {
			t.Rows[k].Cells = []tables.Cell{line.Cells[4], line.Cells[10]}
		}
		t.Note = fmt.Sprintf("Nothing is tested yet: a verdict takes %d seeds of both rows of a claim.", fewestBlocks)
		return t
	}
	t.Columns, t.Rows = withValues(t)
	t.Note = r.testNote() + " Could show: the smallest difference that so many seeds show with a power of .8, corrected; seeds: those " +
		"that there are of those that show one point." + r.chosenNote() + r.otherTests() + r.shippedClaims()
	return t
}

// primaryFirst is the order of the claims in the table.
func (r *Report) primaryFirst() (order []int) {
	for _, primary := range []bool{true, false} {
		for k, f := range r.Claims {
			if f.Primary == primary {
				order = append(order, k)
			}
		}
	}
	return order
}

// withValues are the columns in which some row has a value, and the rows with these.
func withValues(t tables.Table) (columns []tables.Column, rows []tables.Row) {
	rows = slices.Clone(t.Rows)
	for k := range rows {
		rows[k].Cells = nil
	}
	for c, column := range t.Columns {
		if !slices.ContainsFunc(t.Rows, func(row tables.Row) bool { return len(row.Cells[c]) > 0 && row.Cells[c][0] != tables.Value{} }) {
			continue
		}
		columns = append(columns, column)
		for k, row := range t.Rows {
			rows[k].Cells = append(rows[k].Cells, row.Cells[c])
		}
	}
	return columns, rows
}

// otherTests tells of the tests that stand beside the pooled one.
func (r *Report) otherTests() string {
	note := ""
	if slices.ContainsFunc(r.Claims, func(f Finding) bool { return f.Paired != nil }) {
		note = " Paired: of the two rows alone. Moderated: Smyth's test, between the two."
	}
	if slices.ContainsFunc(r.Claims, func(f Finding) bool { return f.Interval != nil }) {
		note += fmt.Sprintf(" Over images: 95 %% of %d paired bootstrap resamples of the test images, of the same seeds.", evidence.Resamples)
	}
	return note
}

// shippedClaims tells of claims that are tested on shipped seeds.
func (r *Report) shippedClaims() string {
	shipped := func(f Finding) bool { return f.From != "" }
	means := func(f Finding) bool { return shipped(f) && f.P != nil && f.Paired == nil }
	note := ""
	if slices.ContainsFunc(r.Claims, shipped) {
		note = " Shipped: seeds of the project's own runs, where this store has none."
	}
	if slices.ContainsFunc(r.Claims, means) {
		note += " Where they have no paired p, means and standard deviations alone are shipped: the test takes no seed as shared, which " +
			"errs on the safe side."
	}
	return note
}

// testNote says how claims are tested.
func (r *Report) testNote() string {
	block := "each seed is a block that all rows share"
	if r.Plan.Blocks {
		block = "each seed, with its scenes and warm start, is a block that all rows share"
	}
	note := fmt.Sprintf("Randomised blocks: %s, and the error is pooled over the rows of a column; what is counted of mini-batches is paired "+
		"instead.", block)
	if named := r.Plan.Artifact.Primary; len(named) > 0 {
		note += fmt.Sprintf(" The %d primary claims, named before their runs, come first; the others are secondary and get no verdict: their "+
			"interval is for the claim, against it, or open.", len(named))
	}
	if r.tested == 0 {
		return note + fmt.Sprintf(" A verdict takes %d seeds; fewer are exploratory: a difference with its 95 %% interval.", fewestBlocks)
	}
	return note + fmt.Sprintf(" Holm: p, corrected for the %d primary claims that are tested; below 0.05 it decides, if the "+
		"paired p is, too, since rows may differ in variance. Equivalent: by two one-sided tests the rows differ by less than a point. Fewer "+
		"than %d seeds are exploratory.", r.tested, fewestBlocks)
}

// between is a cell of an interval; empty without one.
func between(ends *[2]float64) tables.Cell {
	if ends == nil {
		return tables.Cell{}
	}
	return tables.Cell{{Text: fmt.Sprintf("%+.2f to %+.2f", ends[0], ends[1])}}
}

// ClaimsInShort are the claims as a paper prints them: differences, corrected p-values and verdicts.
func (r *Report) ClaimsInShort() tables.Table {
	t := r.ClaimsTable()
	keep := []string{"difference", "95 % interval", "Holm", "verdict"}
	for k, line := range t.Rows {
		t.Rows[k].Cells = nil
		for c, column := range t.Columns {
			if slices.Contains(keep, column.Name) || column.Name == "source" && len(t.Columns) == 2 {
				t.Rows[k].Cells = append(t.Rows[k].Cells, line.Cells[c])
			}
		}
	}
	if len(t.Columns) == 2 {
		return t // nothing is tested
	}
	t.Columns = slices.DeleteFunc(t.Columns, func(c tables.Column) bool { return !slices.Contains(keep, c.Name) })
	t.Note = fmt.Sprintf("Seeds %s. %s", r.Plan.SeedList(), r.testNote())
	return t
}

// probability is a cell of a p; empty without one.
func probability(p *float64) tables.Cell {
	switch {
	case p == nil:
		return tables.Cell{}
	case *p < 0.001:
		return tables.Cell{{Text: "< 0.001"}}
	}
	return tables.Cell{tables.Number(*p)}
}

// Conclusion is the verdict, with the reason of one that is undecided or not there.
func (f Finding) Conclusion() string {
	if f.Reason == "" {
		return string(f.Verdict)
	}
	return fmt.Sprintf("%s: %s", f.Verdict, f.Reason)
}

// SeedsNote is the number of seeds, and of those that would show one point: "5 of 14", or "3 shipped of 14" where they are the project's
// own; empty for a claim that is not tested.
func (f Finding) SeedsNote() string {
	seeds := fmt.Sprint(f.Seeds)
	if f.From != "" {
		seeds += " shipped"
	}
	switch {
	case f.Difference == nil:
		return ""
	case f.Detectable == nil || f.Worth == nil || f.SeedsNeeded > 0 && f.SeedsNeeded <= f.Seeds:
		return seeds
	case f.SeedsNeeded == 0:
		return fmt.Sprintf("%s of > %d", seeds, evidence.MostBlocks)
	}
	return fmt.Sprintf("%s of %d", seeds, f.SeedsNeeded)
}
