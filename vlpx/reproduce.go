package vlpx

import (
	"context"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/lab"
)

// Reproduce runs what is missing of an artifact, such as "falcon/table1", and shows it beside the paper's numbers. A second call answers
// from the store.
func Reproduce(id string, options ...Options) *Report {
	return must("reproduce", options, func(ctx context.Context, s cell.Screen, o Options) (*Report, error) {
		grid, err := lab.Open(id, o)
		if err != nil {
			return nil, err
		}
		return grid.MakeAndShow(ctx, s)
	})
}

// Sweep runs what is missing of artifacts by many processes, as how says, following them, and shows each beside the paper's numbers, as
// Reproduce does. What is submitted, or only printed, is shown, and there are no reports then.
//
// Its workers are this program, started again, as only that has the parts that a cell defines: everything before the call is done by each
// of them, so that the call comes first. The workers of the command vlpx sweep are vlpx sweep work.
func Sweep(ids []string, how Sweeping, options ...Options) []*Report {
	return must("sweep", options, func(ctx context.Context, s cell.Screen, o Options) ([]*Report, error) {
		return lab.RunSweep(ctx, s, ids, how, o)
	})
}

// Run trains a method, once a seed, and shows its retrieval and its curves. A method is one that Show("methods") lists or one of
// Options.Own, with settings of the scale or of its parts behind it: "GRIT-VLP", "GRIT-VLP, searchspace=960, temperature=.1" or "Mine,
// tauplus=.05".
func Run(method string, options ...Options) *Report { return compare("run", []string{method}, options) }

// Compare trains methods, named as for Run, and shows them side by side, each against the first, with seeds as blocks.
func Compare(methods []string, options ...Options) *Report {
	return compare("compare", methods, options)
}

func compare(what string, methods []string, options []Options) *Report {
	return must(what, options, func(ctx context.Context, s cell.Screen, o Options) (*Report, error) {
		grid, err := lab.OpenComparison(methods, o)
		if err != nil {
			return nil, err
		}
		return grid.MakeAndShow(ctx, s)
	})
}

// Measure measures finished runs of methods, named as for Run, by a task on the test split, and shows the mean and the standard deviation
// over seeds of all that it measures. It trains nothing: a run that is not finished is an error. What it measured once the store keeps.
func Measure(task eval.Task, methods []string, options ...Options) tables.Table {
	return shown("measure", options, func(ctx context.Context, o Options) (none tables.Table, err error) {
		grid, err := lab.OpenComparison(methods, o)
		if err != nil {
			return none, err
		}
		return grid.Measure(ctx, task, "test")
	})
}

// Update adds to finished runs the metrics that evaluation has today and their results lack, from the kept models, and shows what was added
// to each. It trains nothing, and what a result has stays. What is an artifact, such as "falcon/table1", or methods, named as for Run.
func Update(what any, options ...Options) tables.Table {
	return shown("update", options, func(ctx context.Context, o Options) (tables.Table, error) { return lab.Update(ctx, what, o) })
}
