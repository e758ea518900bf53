package plan

import (
	"fmt"
	"strings"

	"vlpx.internal/vlpx/framework"
)

// leftOut is a row whose method the framework cannot have.
type leftOut struct {
	row     string
	lacking *framework.Lacking
}

// named tells whether the request names a row, so that what it cannot have is a mistake: by the rows that are asked for, by a comparison,
// or as one's own.
func (p *Plan) named(row int) bool {
	return len(p.Planner.Methods) > 0 || p.Experiment.Compared() || row >= len(p.Experiment.Rows)-len(p.Planner.Own)
}

// leftNote ends a table's note with the rows that are left out; empty where none is.
func (p *Plan) LeftNote() string {
	note := ""
	for _, u := range p.undone {
		note += fmt.Sprintf(" Not measured: %s, which needs %s; %s.", u.row, u.lacking.Needs, u.lacking.Advice)
	}
	if len(p.left) == 0 {
		return note
	}
	var rows []string
	for _, l := range p.left {
		rows = append(rows, fmt.Sprintf("%s (%s)", l.row, l.lacking.Needs))
	}
	return note + fmt.Sprintf(" Left out, as they need what %s has not: %s.", p.left[0].lacking.Framework, strings.Join(rows, "; "))
}
