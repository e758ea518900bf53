package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// Variant is the row that a text names: a registered method, by its name or an alias, or one of one's own, and changes for this row alone, of the
// scale or of a field of one of the method's parts, as in "GRIT-VLP", "GRIT-VLP, searchspace=960, epochs=5" or "Mine, tauplus=.05". The method's name
// and the changes are the row's name.
func Variant(text string, own []negative.Method) (Row, error) {
	var registry []Row
	for _, m := range Methods() {
		registry = append(registry, MethodRow(m.Name))
	}
	known, err := Artifact{ID: "the list of methods", Rows: registry}.withOwn(own)
	if err != nil {
		return Row{}, err
	}
	pieces := pieces(text)
	for n := len(pieces); n > 0; n-- { // of one's own methods, a name may have a comma
		row, ok := known.row(strings.Join(pieces[:n], ","))
		if !ok {
			continue
		}
		for _, assignment := range pieces[n:] {
			if row, err = row.changed(strings.TrimSpace(assignment)); err != nil {
				return Row{}, fmt.Errorf("%s: %w", text, err)
			}
		}
		return row, nil
	}
	var names []string
	for _, r := range known.Rows {
		names = append(names, r.Name)
	}
	return Row{}, fmt.Errorf("no method %q%s There are %s", pieces[0], Suggest(pieces[0], names), strings.Join(names, "; "))
}

// pieces are what commas separate, but for those within brackets, as of a list.
func pieces(text string) (all []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case strings.ContainsRune("[{", c):
			depth++
		case strings.ContainsRune("]}", c):
			depth--
		case c == ',' && depth <= 0:
			all, begin = append(all, text[begin:i]), i+1
		}
	}
	return append(all, text[begin:])
}

// row is the artifact's row of a name, or of the registered method of that alias.
func (a Artifact) row(name string) (Row, bool) {
	called := func(name string) int {
		return slices.IndexFunc(a.Rows, func(r Row) bool { return strings.EqualFold(r.Name, name) })
	}
	i := called(strings.TrimSpace(name))
	if m, ok := named(name); ok && i < 0 {
		i = called(m.Name)
	}
	if i < 0 {
		return Row{}, false
	}
	return a.Rows[i], true
}

// Names of artifacts of one's own, of several rows and of one.
const (
	comparison = "vlpx/compare"
	single     = "vlpx/run"
)

// Compared is an artifact of one's own: these rows, each against the first. Its claims say that a row is better than the first.
func Compared(rows []Row) (Artifact, error) {
	if len(rows) == 0 {
		return Artifact{}, fmt.Errorf("nothing to compare; name methods, such as GRIT-VLP and FALCON")
	}
	a := Artifact{
		ID: comparison, Title: "Your comparison", Rows: rows, Columns: ownComparisonColumns(),
		Table: ownComparison, Figure: Bars,
	}
	if len(rows) == 1 {
		a.ID, a.Title, a.Figure = single, rows[0].Name, learning
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
		for _, c := range []Column{
			ColumnOf(eval.TR1), ColumnOf(eval.IR1), Cosine(eval.TRMAP), Cosine(eval.IRMAP),
			{Group: "False negatives", Name: "in batch", Metric: train.FalseInBatch, Unit: "%", Lower: true},
		} {
			a.Claims = append(a.Claims, Claim{Better: row.Name, Than: rows[0].Name, In: c})
		}
	}
	return a, nil
}

// ownComparison is Comparison of rows that no paper and no shipped result has numbers of.
func ownComparison(r *Report) (plots.Table, error) {
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
func (a Artifact) compared() bool { return a.ID == comparison || a.ID == single }

// ownComparisonColumns are those of every comparison of one's own; tasks that are asked for and parts that tell numbers add theirs.
func ownComparisonColumns() []Column { return slices.Concat(Retrieval(), OwnColumns()) }

// learning follows a row over the epochs, by what every comparison has and what was added to it.
func learning(r *Report) (plots.Drawing, error) {
	columns := []Column{
		ColumnOf(eval.TR1), ColumnOf(eval.IR1), ColumnOf(eval.IRMAP),
		{Group: "False negatives", Name: "in batch", Metric: train.FalseInBatch, Unit: "%", Lower: true},
	}
	added := r.Plan.Artifact.Columns[len(ownComparisonColumns()):]
	return r.CurvesOf(r.Panels(append(columns, added...), r.Rows))
}
