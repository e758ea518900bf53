package paper

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// codes tells of a store's runs whether other code than this program's made them, or a run that they go on from, or measured them.
type codes struct {
	store  *run.Store
	around func(error) bool // reports whether an error is of a damaged file, which is stepped around
	known  map[string]bool
}

// other tells it of a run. Of one that is not finished, or is damaged, or of a version that did not say by which code, it is not known.
func (c codes) other(x run.Run) (bool, error) {
	id := x.ID()
	if other, known := c.known[id]; known {
		return other, nil
	}
	result, done, err := c.store.Find(x)
	if err != nil && !c.around(err) {
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

// any tells it of a row's run and of what further jobs made or measured.
func (c codes) any(x run.Run, further []plan.Job) (bool, error) {
	other, err := c.other(x)
	for _, j := range further {
		if err == nil && !other {
			other, err = c.otherJob(j)
		}
	}
	return other, err
}

// otherJob tells it of a job that is done: of the run that is made or measured, of one whose sentences are read, and of who measured it.
func (c codes) otherJob(j plan.Job) (bool, error) {
	other, err := c.other(j.Run)
	if err == nil && !other && j.Of != nil {
		other, err = c.other(*j.Of)
	}
	if err != nil || other || j.Task == nil {
		return other, err
	}
	if other, err = c.store.AnsweredByOther(j.Run, j.Measure()); err != nil && c.around(err) {
		return false, nil
	}
	return other, err
}

// OtherCode tells whether other code than this program's made a run of the store, or one that it goes on from.
func OtherCode(store *run.Store, x run.Run) (bool, error) {
	around := func(err error) bool { return errors.As(err, new(*run.Damaged)) }
	return codes{store, around, map[string]bool{}}.other(x)
}

// OfCode tells of a row how many of its finished runs are of other code than this program's.
type OfCode struct {
	Row         string
	Other, Runs int
}

// Mark says it in words; empty where none is.
func (o OfCode) Mark() string {
	switch {
	case o.Other == 0:
		return ""
	case o.Other < o.Runs:
		return fmt.Sprintf("%d of %d runs of other code", o.Other, o.Runs)
	}
	return "of other code"
}

// CodeMeaning says what the mark of such rows means.
const CodeMeaning = "Of other code: another version made these runs, whose code of training or evaluation is not this program's, so that " +
	"the same settings may give other numbers today."

// MarkCode marks in a table the rows of which other code made runs, and says what the mark means. Its note names those that are no rows of
// it.
func MarkCode(t *tables.Table, rows []OfCode) {
	marked := false
	var others []OfCode
	for _, of := range rows {
		k := slices.IndexFunc(t.Rows, func(row tables.Row) bool { return row.Name == of.Row })
		switch {
		case of.Other == 0:
		case k < 0:
			others = append(others, of)
		default:
			t.Rows[k].Status = strings.TrimPrefix(t.Rows[k].Status+", "+of.Mark(), ", ")
			marked = true
		}
	}
	if marked {
		t.Note = strings.TrimSpace(t.Note + " " + CodeMeaning)
	}
	t.Note = strings.TrimSpace(t.Note + " " + codeNote(others))
}

// codeNote names the rows of which other code made runs; empty without any.
func codeNote(rows []OfCode) string {
	var names []string
	for _, of := range rows {
		switch {
		case of.Other == 0:
		case of.Other < of.Runs:
			names = append(names, fmt.Sprintf("%s (%d of %d runs)", of.Row, of.Other, of.Runs))
		default:
			names = append(names, of.Row)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Of other code, so that the same settings may give other numbers today: %s.", strings.Join(names, ", "))
}

// ofCode tells it of the report's rows.
func (r *Report) ofCode() []OfCode {
	var rows []OfCode
	for _, row := range r.Rows {
		rows = append(rows, OfCode{row.Name, row.OtherCode, len(row.Results)})
	}
	return rows
}
