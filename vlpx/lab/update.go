package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Update adds to finished runs the metrics that evaluation has today and their results lack, from the kept models. What is an artifact,
// such as "falcon/table1", or methods.
func Update(ctx context.Context, what any, o Options) (none tables.Table, err error) {
	var grid *Grid
	switch what := what.(type) {
	case string:
		grid, err = Open(what, o)
	case []string:
		grid, err = OpenComparison(what, o)
	default:
		err = fmt.Errorf("an artifact such as \"falcon/table1\", or a list of methods, can be updated, not %v", what)
	}
	if err != nil {
		return none, err
	}
	return grid.Update(ctx)
}

// Update adds to the results of the plan's finished runs, and to the answers that they gave, the metrics that these lack today, and tells
// what was added. A run whose weights are not kept is told, too; one that is not finished is passed over.
func (g *Grid) Update(ctx context.Context) (tables.Table, error) {
	p := g.Plan
	t := tables.Table{
		Title:   p.Artifact.ID + ": metrics added to finished runs",
		Heading: "run",
		Columns: []tables.Column{{Name: "added"}, {Name: "kept, though today's code gives another value"}},
		Note: fmt.Sprintf("Scale %s on %s (%s), test split. Nothing was trained.", p.Scale.Name, p.Data.Name,
			plan.Abbreviated(p.Data.Hash)),
	}
	var finished []run.Run
	unfinished := 0
	for _, r := range g.shown() {
		_, done, err := g.Store.Find(r)
		switch {
		case err != nil:
			return t, err
		case done:
			finished = append(finished, r)
		default:
			unfinished++
		}
	}
	if len(finished) == 0 {
		return t, errors.New("no run of these settings is finished, so there is nothing to update; train first with the same settings")
	}
	if unfinished > 0 {
		t.Note += fmt.Sprintf(" Not finished, and left alone: %d.", unfinished)
	}
	return t, guard(func() error {
		return onEngine(func(backend compute.Backend, name string) error {
			e := run.Executor{Store: g.Store, Backend: backend, Engine: name, Say: g.say}
			for _, r := range finished {
				row := tables.Row{Name: fmt.Sprintf("%s, seed %d", r.Train.Method.Name, r.Train.Seed)}
				updated, err := e.Update(ctx, r)
				switch {
				case run.Weightless(err):
					row.Status = "its weights are not kept"
				case err != nil:
					return err
				default:
					row.Cells = []tables.Cell{{named(updated.Added)}, {named(updated.Others())}}
				}
				t.Rows = append(t.Rows, row)
			}
			return g.updateMeasures(ctx, &e)
		})
	})
}

// named are names in a cell; missing without any.
func named(names []string) tables.Value { return tables.Value{Text: strings.Join(names, ", ")} }

// shown are the rows' runs and then those of their downstream tasks, each once.
func (g *Grid) shown() []run.Run {
	var all []run.Run
	seen := map[string]bool{}
	for _, downstream := range []bool{false, true} {
		for _, j := range slices.Concat(slices.Concat(g.Plan.Jobs...)...) {
			if id := j.Run.ID(); j.Task == nil && (j.Downstream != "") == downstream && !seen[id] {
				seen[id] = true
				all = append(all, j.Run)
			}
		}
	}
	return all
}

// updateMeasures adds to measures of finished runs.
func (g *Grid) updateMeasures(ctx context.Context, e *run.Executor) error {
	for _, j := range g.Plan.All() {
		if j.Task == nil {
			continue
		}
		older, err := g.Store.Outdated(j.Run, j.Measure())
		if err == nil && older {
			err = do(ctx, e, j)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
