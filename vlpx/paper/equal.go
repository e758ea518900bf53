package paper

import (
	"strings"

	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// EqualNote says of which splits false negatives are known by equal captions alone, as a sentence to go behind others; empty for none.
func EqualNote(results ...run.Result) string {
	var splits []string
	for _, result := range results {
		splits = plan.Joined(splits, result.ByEqualCaptions)
	}
	if len(splits) == 0 {
		return ""
	}
	return " Which captions are true of other images is known by equal captions alone (" + strings.Join(splits, ", ") +
		"): there are at least so many false negatives."
}

// equalNote is that of the runs that are shown.
func (r *Report) equalNote() string {
	var all []run.Result
	for _, row := range r.Rows {
		all = append(all, row.Results...)
	}
	return EqualNote(all...)
}
