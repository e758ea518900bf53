package plan

import (
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Measure is what a row measures of finished runs: one run's model, on the test split, by a task that reads the sentences which
// another one wrote (see eval.Sentence). The metrics join the metrics of the row's result of that seed, so that columns, claims and shipped
// results have it like any other.
type Measure struct {
	// Model is the row whose run is measured, and Of the one whose run wrote, of the same seed; nil for the row itself. One on another
	// framework than the row takes no weights, vocabulary and tasks of a request, which are for the row's.
	Model, Of *Row
	// Crossed takes the run of Of with the next seed of the plan, and for the last one with the first; where the plan has one seed, or each
	// has scenes of its own, with the one above.
	Crossed bool
	// Task measures it; of is the identity of the run that wrote.
	Task func(of string) eval.Task
}

// measures are what a row with its runs measures, one a seed; none where it measures nothing.
func (w planner) measures(row Row, own []run.Run, scale scale.Scale, data run.Data) ([]Job, error) {
	if row.Measure == nil {
		return nil, nil
	}
	measured, of := own, own
	var err error
	if other := row.Measure.Model; other != nil {
		of, model, err := w.beside(row, *other)
		if err != nil {
			return nil, err
		}
		if measured, err = of.runs(model, scale, data); err != nil {
			return nil, err
		}
	}
	other := row
	if row.Measure.Of != nil {
		other = *row.Measure.Of
	}
	if w, other, err = w.beside(row, other); err != nil {
		return nil, err
	}
	if row.Measure.Crossed {
		w.seeds = crossed(w.seeds)
	}
	if row.Measure.Of != nil || row.Measure.Crossed {
		if of, err = w.runs(other, scale, data); err != nil {
			return nil, err
		}
	}
	var all []Job
	for k := range own {
		all = append(all, Job{Run: measured[k], Task: row.Measure.Task(of[k].ID()), Of: &of[k]})
	}
	return all, nil
}

// beside is the planner of a row that another one measures.
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
