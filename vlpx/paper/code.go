package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/run"
)

// codes tells of a store's runs whether other code than this program's made them, or a run that they go on from.
type codes struct {
	store *run.Store
	known map[string]bool
}

// other tells it of a run. Of one that is not finished, or of a version that did not say by which code, it is not known.
func (c codes) other(x run.Run) (bool, error) {
	id := x.ID()
	if other, known := c.known[id]; known {
		return other, nil
	}
	result, done, err := c.store.Find(x)
	if err != nil {
		return false, err
	}
	other := done && x.OtherCode(result)
	for _, needed := range x.Needs() {
		before, err := c.other(*needed)
		if err != nil {
			return false, err
		}
		other = other || before
	}
	c.known[id] = other
	return other, nil
}

// any tells it of a row's run and of those that downstream tasks go on with.
func (c codes) any(x run.Run, outcomes []Outcome) (bool, error) {
	other, err := c.other(x)
	for _, o := range outcomes {
		if err == nil && !other && o.Task == nil {
			other, err = c.other(o.Run)
		}
	}
	return other, err
}

// codeNote says what the mark of such rows means.
const codeNote = "Of other code: another version made these runs, whose code of training or evaluation is not this program's, so that the same " +
	"settings may give other numbers today."

// markCode marks in a table the rows of which other code made runs, and says what the mark means.
func (r *Report) markCode(t *plots.Table) {
	marked := false
	for k := range t.Rows {
		i := slices.IndexFunc(r.Rows, func(row RowReport) bool { return row.Name == t.Rows[k].Name })
		if i < 0 || r.Rows[i].OtherCode == 0 {
			continue
		}
		mark := "of other code"
		if all := len(r.Rows[i].Results); r.Rows[i].OtherCode < all {
			mark = fmt.Sprintf("%d of %d runs of other code", r.Rows[i].OtherCode, all)
		}
		t.Rows[k].Status = strings.TrimPrefix(t.Rows[k].Status+", "+mark, ", ")
		marked = true
	}
	if marked {
		t.Note = strings.TrimSpace(t.Note + " " + codeNote)
	}
}
