package paper

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Compared is an artifact of one's own: these rows, each against the first. Its claims say that a row is better than the first in what the
// two do not share: false negatives in the mini-batch are compared where the mini-batches are drawn in different ways.
func Compared(rows []plan.Row) (Artifact, error) {
	if len(rows) == 0 {
		return Artifact{}, fmt.Errorf("nothing to compare; name methods, such as GRIT-VLP and FALCON")
	}
	a := Artifact{
		ID: plan.Comparison, Title: "Your comparison", Rows: rows, Columns: ownComparisonColumns(),
		Table: ownComparison, Figure: comparisonFigure,
	}
	if len(rows) == 1 {
		a.ID, a.Title, a.Figure = plan.Single, rows[0].Name, learning
	}
	seen := map[string]bool{}
	for i, row := range rows {
		if seen[strings.ToLower(row.Name)] {
			return Artifact{}, fmt.Errorf("%s is there twice; every row once", row.Name)
		}
		seen[strings.ToLower(row.Name)] = true
		if i == 0 {
			continue
		}
		differ := []Column{ColumnOf(eval.TR1), ColumnOf(eval.IR1), Cosine(eval.TRMAP), Cosine(eval.IRMAP)}
		shared, err := draws(row, rows[0])
		if err != nil {
			return Artifact{}, err
		}
		if !shared {
			differ = append(differ, FalseInBatch())
		}
		for _, c := range differ {
			a.Claims = append(a.Claims, Claim{Better: row.Name, Than: rows[0].Name, In: c})
		}
	}
	return a, nil
}

// draws tells whether two rows draw their mini-batches alike, of the same data and as large, as the default scale has it but for the rows'
// own settings.
func draws(row, other plan.Row) (alike bool, err error) {
	var batches [2]any
	var sizes [2][]any
	for k, r := range []plan.Row{row, other} {
		s, err := scale.Preset(defaultScale, false)
		if err != nil {
			return false, err
		}
		if s, err = r.Changing(s); err != nil {
			return false, err
		}
		s = s.Resolved()
		batches[k] = r.Method(s).WithDefaults().Batches
		sizes[k] = []any{s.BatchSize, s.Scenes, s.Images, s.Captions, s.Portion, s.CaptionNoise}
	}
	return reflect.DeepEqual(batches[0], batches[1]) && reflect.DeepEqual(sizes[0], sizes[1]), nil
}

// measurable tells whether a row has a column, or one may yet have it.
func (r *Report) measurable(c Column) bool {
	return slices.ContainsFunc(r.Rows, func(row RowReport) bool { return row.Status != string(Ready) || len(c.Values(row.Results)) > 0 })
}

// ownComparison is Comparison of rows that no paper and no shipped result has numbers of.
func ownComparison(r *Report) (tables.Table, error) {
	t, err := Comparison(r)
	t.Sources = nil
	for _, row := range t.Rows {
		for c, cell := range row.Cells {
			row.Cells[c] = cell[1:2]
		}
	}
	t.Note = r.scaleNote()
	return t, err
}

// compared tells of an artifact that Compared made.
func (a Artifact) compared() bool { return a.Experiment().Compared() }

// ownComparisonColumns are those of every comparison of one's own; tasks that are asked for and parts that tell numbers add theirs.
func ownComparisonColumns() []Column { return slices.Concat(Retrieval(), OwnColumns()) }

// learning follows a row over the epochs, by what every comparison has and what was added to it.
func learning(r *Report) (plots.Drawing, error) {
	added := r.Plan.Artifact.Columns[len(ownComparisonColumns()):]
	return r.CurvesOf(r.Panels(append([]Column{ColumnOf(eval.TR1), ColumnOf(eval.IR1), ColumnOf(eval.IRMAP), FalseInBatch()}, added...),
		r.Rows))
}
