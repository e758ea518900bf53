package paper

import (
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/plan"
)

// Status tells how much of an artifact vlpx regenerates.
type Status string

// Statuses of an artifact or of a row.
const (
	Ready   Status = "ready"
	Partial Status = "partial" // some rows or columns are not there yet
	NotYet  Status = "not yet"
)

// Artifact is one table or figure of a paper.
type Artifact struct {
	ID    string // "falcon/table1"
	Title string // what it shows
	// Look says what to look for, in a few sentences, the first without a verb: "Whether ..." Notebooks and pages show it.
	Look string
	// Note tells what to know of the paper's numbers, such as what is left out or inferred; it ends the table's note.
	Note string
	// Data is what it is best looked at with, a folder in $VLPX_DATA; where that has none, at tiny, and
	// for an empty one it is generated scenes.
	Data string
	// Gallery is set where docs/GALLERY.md has its picture or its examples, of scenes.
	Gallery bool
	// Rows are the methods it compares; none where it needs no runs of its own.
	Rows []plan.Row
	// Columns it shows; a column without a metric is of a task that is not there yet.
	Columns []Column
	Claims  []Claim
	// Primary are the claims that verdicts are of, as their texts say, six at most; all of Claims if none are named. They are named before
	// the runs that decide them. The others are secondary.
	Primary []string
	// Unstated are the conclusions of the paper that are not among the claims.
	Unstated []Unstated
	// Sweep are rows of which a claim may name the best as BestOfSweep: for each block the one with the highest mean in the first column,
	// which is of the validation split, over the other blocks.
	Sweep []string
	// Downstream are tasks that each row's model is put to besides; columns name their metrics.
	Downstream []plan.Downstream
	// Table lays out what the runs gave, such as Comparison; nil while the artifact is not there yet.
	Table func(*Report) (tables.Table, error)
	// Figure draws it, such as Bars or Curves; nil for none. It returns nil while there are no results to draw.
	Figure func(*Report) (plots.Drawing, error)
}

// Paper is the part of an ID before the slash.
func (a Artifact) Paper() string { return a.ID[:strings.IndexByte(a.ID, '/')] }

// Status tells how much of the artifact there is.
func (a Artifact) Status() Status {
	if a.Table == nil {
		return NotYet
	}
	if slices.ContainsFunc(a.Rows, func(r plan.Row) bool { return r.Method == nil }) ||
		slices.ContainsFunc(a.Columns, func(c Column) bool { return c.Metric == "" }) {
		return Partial
	}
	return Ready
}

// Unstated is what a paper concludes from an artifact and no claim states.
type Unstated struct {
	What, Source string
	Why          string // why no claim can
}

// Reasons of an Unstated that recur.
const (
	Alike     = "a t-test can tell two rows apart, not that they are alike"
	DrawnOnly = "it compares points of one row's curve; see the figure"
)

// Remarks end the note of the artifact's table: what there is to know of the paper's numbers, and what it concludes beyond the claims.
func (a Artifact) Remarks() string {
	var b strings.Builder
	if a.Note != "" {
		b.WriteString(" " + a.Note)
	}
	for i, u := range a.Unstated {
		if i == 0 {
			b.WriteString(" The paper says more than the claims test:")
		} else {
			b.WriteString(";")
		}
		b.WriteString(" " + u.What + " (" + u.Source + "): " + u.Why)
	}
	if len(a.Unstated) > 0 {
		b.WriteString(".")
	}
	return b.String()
}
