package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
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
	// Rows are the methods it compares; none where it needs no runs of its own.
	Rows []Row
	// Columns it shows; a column without a metric is of a task that is not there yet.
	Columns []Column
	Claims  []Claim
	// Unstated are the conclusions of the paper that are not among the claims.
	Unstated []Unstated
	// Sweep are rows of which a claim may name the best as BestOfSweep: the one with the highest mean in the first column,
	// which is of the validation split.
	Sweep []string
	// Downstream are tasks that each row's model is put to besides; columns name their metrics.
	Downstream []Downstream
	// Table lays out what the runs gave, such as Comparison; nil while the artifact is not there yet.
	Table func(*Report) (tables.Table, error)
	// Figure draws it, such as Bars or Curves; nil for none. It returns nil while there are no results to draw.
	Figure func(*Report) (plots.Drawing, error)
}

// Row is one method of a comparison.
type Row struct {
	Name string
	// Method gives the method at a scale; nil while it is not there yet.
	Method func(Scale) negative.Method
	// Paper holds the numbers the paper reports, one a column of the artifact, NaN where its text has lost one or has none; none for a
	// row of our own.
	Paper []float64
	// Tune gives the method of retrieval fine-tuning after Method's pre-training, whose results are then the row's; nil for none.
	Tune func(Scale) negative.Method
	// Reference is the row whose run of the same seed is the frozen reference model of Method, at this row's scale; nil for none.
	Reference *Row
	// From is the row whose run of the same seed this one goes on from, in the place of the scale's warm start; nil for none.
	From *Row
	// Added is what the training captions of the row's second stage get besides; nothing for none.
	Added Added
	// Framework is the name of the one that the row is on, whatever the scale's; empty for the scale's. Another one that is asked for leaves the row out.
	Framework string
	// Vary changes the scale for this row and what it needs, such as its data; nil for nothing. Set are further such changes,
	// "key=value".
	Vary func(*Scale)
	Set  []string
	// Fields are what Method has set of its parts for a row that names it so, "key=value".
	Fields []string
	// Tasks are what the row's runs are measured by besides those of the framework.
	Tasks eval.Tasks
	// Ask is what the row asks once its runs are finished; nil for nothing. Such a row is named after its question.
	Ask *Ask
}

// Column is one measure of a comparison.
type Column struct {
	Group, Name string
	Metric      string // as a result names it; empty for a task that is not there yet
	Unit        string
	Lower       bool // lower is better; in a column without a better, such as that of the hardest negatives, what claims say
	Told        bool // by a part of one's own, of which nobody knows whether more is better
	// Of makes the number of a result that does not name it, such as seconds an epoch; nil to take Metric from the result.
	Of func(run.Result) (v float64, ok bool)
	// Validation takes the metric on the validation split after the last epoch, without re-ranking, instead of the test split's. A
	// fine-tuning run re-ranks there, too.
	Validation bool
}

// BestOfSweep stands for a row in a claim; see Artifact.Sweep.
const BestOfSweep = "the best of the sweep"

// Claim is what a paper concludes from an artifact: one row better than another in a column.
type Claim struct {
	Better, Than string
	// Over are the rows over which the two gain, each its own: the claim is then that one gain is above the other. Empty where the rows
	// themselves are compared.
	Over   [2]string
	In     Column
	Source string // where the paper says so; empty for a claim of our own
}

func (c Claim) String() string {
	column := c.In.Name
	if c.In.Group != "" {
		column = c.In.Group + " " + c.In.Name
	}
	comparison := "above"
	if c.In.Lower {
		comparison = "below"
	}
	better, than := c.Better, c.Than
	if c.Over != ([2]string{}) {
		better, than = fmt.Sprintf("%s over %s", better, c.Over[0]), fmt.Sprintf("%s over %s", than, c.Over[1])
	}
	return fmt.Sprintf("%s %s %s in %s", better, comparison, than, column)
}

// Rows are the names of the rows that a claim takes.
func (c Claim) Rows() []string {
	names := []string{c.Better, c.Than}
	if c.Over != [2]string{} {
		names = append(names, c.Over[:]...)
	}
	return names
}

// Paper is the part of an ID before the slash.
func (a Artifact) Paper() string { return a.ID[:strings.IndexByte(a.ID, '/')] }

// Status tells how much of the artifact there is.
func (a Artifact) Status() Status {
	if a.Table == nil {
		return NotYet
	}
	if slices.ContainsFunc(a.Rows, func(r Row) bool { return r.Method == nil }) ||
		slices.ContainsFunc(a.Columns, func(c Column) bool { return c.Metric == "" }) {
		return Partial
	}
	return Ready
}
