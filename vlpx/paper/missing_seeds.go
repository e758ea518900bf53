package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
)

// partial tells of a claim that of the seeds that all its rows have finished some lack the number that it compares, and others have it.
func (r *Report) partial(c Claim) bool {
	finished := map[uint64]int{}
	for _, row := range r.pool(c) {
		if slices.Contains(c.Rows(), row.Name) {
			for _, result := range row.Results {
				finished[result.Seed]++
			}
		}
	}
	all := 0
	for _, rows := range finished {
		if rows == len(c.Rows()) {
			all++
		}
	}
	have := len(r.paired(c)[0])
	return have > 0 && have < all
}

// PartialNote says what "(n=1)" means where it stands in a table; empty where it does not.
func PartialNote(t tables.Table) string {
	for _, row := range t.Rows {
		for _, cell := range row.Cells {
			if slices.ContainsFunc(cell, tables.Value.Partial) {
				return " Behind a number, (n=1) is of how many of the row's seeds it is; the others lack it."
			}
		}
	}
	return ""
}

// partialIn tells in a figure's note which means in columns are of some of a row's seeds alone, and of how many; nil for none.
func (r *Report) partialIn(columns []Column) []string {
	var some []string
	for _, c := range columns {
		for _, row := range r.Rows {
			if n := len(c.Values(row.Results)); n > 0 && n < len(row.Results) {
				some = append(some, fmt.Sprintf("%s in %s (%d of %d)", row.Name, c.Heading(), n, len(row.Results)))
			}
		}
	}
	if len(some) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Means over some of the seeds, since the others lack the number: %s.", strings.Join(some, ", "))}
}
