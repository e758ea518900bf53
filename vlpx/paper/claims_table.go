package paper

import (
	"fmt"
	"slices"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/plan"
)

// asked tells whether the row of a claim was asked for.
func (r *Report) asked(name string) bool {
	i := slices.IndexFunc(r.Plan.Artifact.Rows, func(row plan.Row) bool { return row.Name == name })
	return i < 0 || r.Plan.Asked[i] // BestOfSweep is none
}

// ClaimsTable lays the claims out with differences, p-values and verdicts, and what the seeds and the test images could show: those of
// rows that were asked for.
func (r *Report) ClaimsTable() tables.Table {
	t := tables.Table{
		Title: "Claims", Label: r.ID + "-claims", Heading: "claim", More: "What the seeds and the test images could show, and how to " +
			"read this",
		Columns: []tables.Column{
			{Name: "difference", Format: "%+.2f"}, {Name: "p", Format: "%.3f"}, {Name: "Holm", Format: "%.3f"}, {Name: "verdict"},
			{Name: "over images"}, {Name: "could show", Format: "%.2f"}, {Name: "seeds"}, {Name: "source"},
		},
	}
	for k, f := range r.Claims {
		if slices.ContainsFunc(r.claims[k].Rows(), func(name string) bool { return !r.asked(name) }) {
			continue
		}
		source := f.Source
		if source == "" {
			source = "ours"
		}
		line := tables.Row{Name: f.Text, Cells: []tables.Cell{
			{}, probability(f.P), probability(f.Holm), {{Text: f.Conclusion()}}, {}, {}, {{Text: f.SeedsNote()}}, {{Text: source}},
		}}
		if f.Difference != nil {
			line.Cells[0] = tables.Cell{tables.Number(*f.Difference)}
		}
		if f.Interval != nil {
			line.Cells[4] = tables.Cell{{Text: fmt.Sprintf("%+.2f to %+.2f", f.Interval[0], f.Interval[1])}}
		}
		if f.Detectable != nil {
			line.Cells[5] = tables.Cell{tables.Number(*f.Detectable)}
		}
		t.Rows = append(t.Rows, line)
	}
	if !slices.ContainsFunc(r.Claims, func(f Finding) bool { return f.Difference != nil }) {
		t.Columns = []tables.Column{t.Columns[3], t.Columns[7]}
		for k, line := range t.Rows {
			t.Rows[k].Cells = []tables.Cell{line.Cells[3], line.Cells[7]}
		}
		t.Note = "Nothing is tested yet: a verdict takes three seeds of both rows of a claim in this store."
		return t
	}
	t.Note = fmt.Sprintf("Two-sided paired t-test over seeds. Holm: p, corrected for the %d claims that are tested here; below 0.05 it "+
		"decides, from "+
		"three seeds on. Could show: the smallest difference that these seeds show with a power of .8 (p < 0.05, uncorrected). Undecided "+
		"is no effect where that is at "+
		"most what is worth telling, one point (5 %% of the second row in a column that is not in %%), and too few seeds where it is "+
		"more. Seeds: "+
		"those that there are of those needed to show the difference seen, corrected. Over images: 95 %% of %d paired bootstrap "+
		"resamples of the "+
		"test images, of the same seeds; a dash where a column is not of test queries, or a result does not tell them.", r.tested,
		evidence.Resamples)
	return t
}

// ClaimsInShort are the claims as a paper prints them: differences, corrected p-values and verdicts.
func (r *Report) ClaimsInShort() tables.Table {
	t := r.ClaimsTable()
	if !slices.ContainsFunc(t.Columns, func(c tables.Column) bool { return c.Name == "Holm" }) {
		return t // nothing is tested
	}
	t.Columns = []tables.Column{t.Columns[0], {Name: "p", Format: t.Columns[2].Format}, t.Columns[3]}
	for k, line := range t.Rows {
		t.Rows[k].Cells = []tables.Cell{line.Cells[0], line.Cells[2], line.Cells[3]}
	}
	t.Note = fmt.Sprintf("Two-sided paired t-test over the seeds %s; p is corrected for the %d claims that are tested (Holm), and "+
		"decides below 0.05.",
		r.Plan.SeedList(), r.tested)
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

// SeedsNote is the number of seeds, and of those that an undecided claim needs: "3 of 14"; empty for a claim that is not tested.
func (f Finding) SeedsNote() string {
	switch {
	case f.Difference == nil:
		return ""
	case f.Verdict != Undecided || f.P == nil:
		return fmt.Sprint(f.Seeds)
	case f.SeedsNeeded == 0:
		return fmt.Sprintf("%d of > %d", f.Seeds, evidence.MostBlocks)
	}
	return fmt.Sprintf("%d of %d", f.Seeds, f.SeedsNeeded)
}
