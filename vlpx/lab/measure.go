package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/stat"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/source"
)

// Measure is the table of what a task measures of the plan's rows on a split, which are finished.
func (g *Grid) Measure(ctx context.Context, task eval.Task, split string) (tables.Table, error) {
	measured, results := make([][]map[string]float64, len(g.Plan.Rows)), make([][]run.Result, len(g.Plan.Rows)) // [rows][seeds]
	codes := make([]paper.OfCode, len(g.Plan.Rows))
	for i, runs := range g.Plan.Rows {
		for _, r := range runs {
			metrics, err := g.Evaluate(ctx, r, split, task)
			if err != nil {
				return tables.Table{}, err
			}
			result, err := g.Store.Result(r)
			if err != nil {
				return tables.Table{}, err
			}
			measured[i], results[i] = append(measured[i], metrics), append(results[i], result)
			other, err := g.OtherCode(r, split, task)
			if err != nil {
				return tables.Table{}, err
			}
			if other {
				codes[i].Other++
			}
		}
	}
	p := g.Plan
	t := tables.Table{
		Title: fmt.Sprintf("%T on the %s split", task, split),
		Note: fmt.Sprintf("Scale %s on %s (%s), seeds %s, mean ± standard deviation over seeds.",
			p.Scale.Name, p.Data.Name, plan.Abbreviated(p.Data.Hash), listed(p.Seeds, ", ")),
	}
	if taken := p.Taken(); taken != "" {
		t.Note += " " + taken
	}
	if changed := p.Settings(); len(changed) > 0 {
		t.Note += fmt.Sprintf(" Changed from the scale: %s.", strings.Join(changed, ", "))
	}
	var rows []string
	for i, row := range p.Artifact.Rows {
		t.Rows, rows = append(t.Rows, tables.Row{Name: row.Name}), append(rows, row.Name)
		codes[i].Row, codes[i].Runs = row.Name, len(results[i])
	}
	t.Note += fmt.Sprintf(" Trained on %s.", paper.Origins(rows, results)) + paper.UnreadableNote(slices.Concat(results...)...) +
		paper.EqualNote(slices.Concat(results...)...)
	t.Note = strings.TrimSpace(strings.Join(append(append([]string{t.Note}, p.Vague()...), source.Vague(task)), " "))
	for _, info := range task.Metrics() {
		cells := make([]tables.Cell, len(measured))
		for i, runs := range measured {
			var values []float64
			for _, metrics := range runs {
				if v, ok := metrics[string(info.Metric)]; ok {
					values = append(values, v)
				}
			}
			cells[i] = tables.Cell{summary(values, len(runs))}
		}
		column := tables.Column{Group: info.Group, Name: cmp.Or(info.Column, string(info.Metric)), Unit: info.Unit, Best: tables.Highest}
		if info.LowerIsBetter {
			column.Best = tables.Lowest
		}
		if info.Unit == "" {
			column.Format = "%.3f"
		}
		t.Columns = append(t.Columns, column)
		for i := range t.Rows {
			t.Rows[i].Cells = append(t.Rows[i].Cells, cells[i])
		}
	}
	t.Note += paper.PartialNote(t)
	paper.MarkCode(&t, codes)
	return t, nil
}

// summary is the mean of values of so many runs with their spread; missing without any.
func summary(values []float64, of int) tables.Value {
	if len(values) == 0 {
		return tables.Value{}
	}
	v := tables.Value{Mean: stat.Mean(values, nil), N: len(values), Of: of}
	if v.N > 1 {
		v.Std = stat.StdDev(values, nil)
	}
	return v
}

// OtherCode reports whether other code than this program's made a finished run, or one that it continues, or measured it by a task on a
// split.
func (g *Grid) OtherCode(r run.Run, split string, task eval.Task) (bool, error) {
	other, err := paper.OtherCode(g.Store, r)
	if err != nil || other {
		return other, err
	}
	return g.Store.AnsweredByOther(r, run.Measure{Split: split, Tasks: eval.Tasks{task}})
}

// Evaluate measures a finished run's model by a task on a split. What it measured once the store keeps.
func (g *Grid) Evaluate(ctx context.Context, r run.Run, split string, task eval.Task) (metrics map[string]float64, err error) {
	_, done, err := g.Store.Find(r)
	if err != nil {
		return nil, err
	}
	if !done {
		method := r.Train.Method.Name
		return nil, fmt.Errorf("%s, seed %d, is not trained yet; train it first with the same settings: vlpx.Run(%q, ...) in a notebook, "+
			"vlpx train %q in a shell", method, r.Train.Seed, method, method)
	}
	err = guard(func() error {
		of := run.Measure{Split: split, Tasks: eval.Tasks{task}}
		older, err := g.Store.Outdated(r, of)
		if err != nil {
			return err
		}
		var kept bool
		if metrics, kept, err = g.Store.Evaluation(r, of); err != nil || kept && !older {
			return err
		}
		return onEngine(func(backend compute.Backend, name string) error {
			executor := run.Executor{Store: g.Store, Backend: backend, Engine: name, Say: g.say}
			metrics, err = executor.EvaluateBy(ctx, r, split, task)
			return err
		})
	})
	return metrics, err
}

// EvaluateFirst measures what a run's model is before its first step by a task on a split: published weights as they come, where the run
// starts from these. The runs that it starts from are finished.
func (g *Grid) EvaluateFirst(ctx context.Context, r run.Run, split string, task eval.Task) (metrics map[string]float64, err error) {
	err = guard(func() error {
		return onEngine(func(backend compute.Backend, name string) error {
			executor := run.Executor{Store: g.Store, Backend: backend, Engine: name, Say: g.say}
			metrics, err = executor.EvaluateFirst(ctx, r, split, task)
			return err
		})
	})
	return metrics, err
}

// onEngine calls do with the engine that is there.
func onEngine(do func(backend compute.Backend, name string) error) error {
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	return do(backend, choice.Name)
}
