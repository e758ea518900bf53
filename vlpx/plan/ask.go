package plan

import (
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Ask is what a row asks once runs are finished: one run's model is measured, on the test split, by a task that reads the sentences which
// another one wrote (see eval.Sentence). The answer joins the metrics of the row's result of that seed, so that columns, claims and shipped
// results have it like any other.
type Ask struct {
	// Model is the row whose run is asked, and Of the one whose run wrote, of the same seed; nil for the row itself. One on another
	// framework than the row takes no weights, vocabulary and tasks of a request, which are for the row's.
	Model, Of *Row
	// Crossed takes the run of Of with the next seed of the plan, and for the last one with the first; where the plan has one seed, or each
	// has scenes of its own, with the one above.
	Crossed bool
	// Task is that of the asked run; of is the identity of the run that wrote.
	Task func(of string) eval.Task
}

// asks are what a row with its runs asks, one a seed; none where it asks nothing.
func (w planner) asks(row Row, own []run.Run, scale scale.Scale, data run.Data) ([]Job, error) {
	if row.Ask == nil {
		return nil, nil
	}
	asked, of := own, own
	var err error
	if other := row.Ask.Model; other != nil {
		of, model, err := w.beside(row, *other)
		if err != nil {
			return nil, err
		}
		if asked, err = of.runs(model, scale, data); err != nil {
			return nil, err
		}
	}
	other := row
	if row.Ask.Of != nil {
		other = *row.Ask.Of
	}
	if w, other, err = w.beside(row, other); err != nil {
		return nil, err
	}
	if row.Ask.Crossed {
		w.seeds = crossed(w.seeds)
	}
	if row.Ask.Of != nil || row.Ask.Crossed {
		if of, err = w.runs(other, scale, data); err != nil {
			return nil, err
		}
	}
	var all []Job
	for k := range own {
		all = append(all, Job{Run: asked[k], Task: row.Ask.Task(of[k].ID()), Of: &of[k]})
	}
	return all, nil
}

// beside is the planner of a row that another one asks.
func (w planner) beside(row, other Row) (planner, Row, error) {
	if other.Framework != row.Framework {
		return w.speaking(other)
	}
	return w, other, nil
}

// crossed is the seed after each one.
func crossed(seeds []uint64) []uint64 {
	if len(seeds) == 1 {
		return []uint64{seeds[0] + 1}
	}
	return append(append([]uint64{}, seeds[1:]...), seeds[0])
}
