package vlpx

import (
	"context"
	"errors"
	"fmt"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/run"
)

// The functions of this file are one call of a cell about the store, as those of cells.go about runs; of the options they read Home.

// Runs shows the runs of the store, the latest first, and returns the list.
func Runs(f RunFilter, options ...Options) *RunList {
	return inStore("runs", options, func(_ context.Context, c cell.Screen, s *Store) (*RunList, error) {
		list, err := s.Runs(f)
		if err != nil {
			return nil, err
		}
		return list, c.Show(list)
	})
}

// ShowRun shows all that the store has of a run, named by the beginning of its identity: configuration, metrics, curves.
func ShowRun(id string, options ...Options) *RunPage {
	return inStore("run", options, func(_ context.Context, c cell.Screen, s *Store) (*RunPage, error) {
		page, err := s.Run(id)
		if err != nil {
			return nil, err
		}
		parts := []any{page}
		if figure := page.Figure(); figure != nil {
			parts = append(parts, figure)
		}
		return page, c.Show(parts...)
	})
}

// CompareRuns shows finished runs of the store side by side; see [Store.Compare].
func CompareRuns(ids []string, options ...Options) *Report {
	return inStore("compare", options, func(_ context.Context, c cell.Screen, s *Store) (*Report, error) {
		report, err := s.Compare(ids)
		if err != nil {
			return nil, err
		}
		return report, report.show(c)
	})
}

// Removal says which runs to remove.
type Removal struct {
	IDs   []string // the beginnings of their identities
	Force bool     // those, too, that other runs need
}

// RemoveRuns removes runs of the store; see [run.Store.Remove].
func RemoveRuns(r Removal, options ...Options) {
	inStore("remove", options, func(ctx context.Context, c cell.Screen, s *Store) (any, error) {
		if len(r.IDs) == 0 {
			return nil, errors.New("no runs to remove; name some that vlpx.Runs lists")
		}
		return nil, s.Remove(ctx, r.IDs, r.Force, func(e run.Entry) { c.Say(Removed(e)) })
	})
}

// Removed tells of a run that was removed.
func Removed(e run.Entry) string {
	return fmt.Sprintf("removed %s: %s, seed %d, %s MB", run.Short(e.ID), about(e, nil).label(), e.Run.Train.Seed, megabytes(e.Bytes))
}

// Pruning says what to prune.
type Pruning struct {
	Kinds []string // of [run.PruneKinds]; all if empty, which is for looking only
	Do    bool     // removes it; else it is listed only
}

// PruneRuns shows what can be pruned, or prunes it.
func PruneRuns(p Pruning, options ...Options) {
	inStore("prune", options, func(ctx context.Context, c cell.Screen, s *Store) (any, error) {
		what, err := s.Prunable(p.Kinds...)
		if err != nil {
			return nil, err
		}
		if len(what) == 0 {
			c.Say("nothing to prune")
			return nil, nil
		}
		if !p.Do {
			return nil, c.Show(PrunableTable(what))
		}
		if len(p.Kinds) == 0 {
			return nil, fmt.Errorf("say what to prune: Kinds of %v", run.PruneKinds())
		}
		return nil, s.Prune(ctx, what, func(p run.Prunable) { c.Say(Pruned(p)) })
	})
}

// Pruned tells of what was pruned.
func Pruned(p run.Prunable) string {
	switch {
	case p.Paths == nil:
		return Removed(p.Entry)
	case p.Kind == run.PruneCheckpoints:
		return fmt.Sprintf("removed the weights of %s: %s, seed %d, %s MB", run.Short(p.Entry.ID), about(p.Entry, nil).label(), p.Entry.Run.Train.Seed, megabytes(p.Bytes))
	}
	return fmt.Sprintf("removed %s, %s MB", p.Paths[0], megabytes(p.Bytes))
}

// ShowStore shows how many runs there are and what they take.
func ShowStore(options ...Options) tables.Table {
	return inStore("store", options, func(_ context.Context, c cell.Screen, s *Store) (tables.Table, error) {
		table, err := s.Overview()
		if err != nil {
			return table, err
		}
		return table, c.Show(table)
	})
}

// VerifyStore reads all that the store has, and shows what is wrong.
func VerifyStore(options ...Options) []run.Problem {
	return inStore("verify", options, func(ctx context.Context, c cell.Screen, s *Store) ([]run.Problem, error) {
		runs := 0
		found, err := s.Verify(ctx, func(run.Entry) { runs++ })
		if err == nil && len(found) == 0 {
			c.Say(Verified(runs))
			return nil, nil
		}
		if err == nil {
			err = c.Show(ProblemsTable(found))
		}
		return found, err
	})
}

// Verified tells that a store of so many runs is whole.
func Verified(runs int) string {
	return fmt.Sprintf("everything can be read, of %s", counted(runs, "run"))
}

// ExportRuns writes finished runs into an archive that another machine's store reads; see [run.Store.Export].
func ExportRuns(file string, of run.Archive, options ...Options) {
	inStore("export", options, func(ctx context.Context, c cell.Screen, s *Store) (any, error) {
		gone, err := s.Export(ctx, file, of)
		if err == nil {
			c.Say(fmt.Sprintf("wrote %s to %s", counted(len(gone), "run"), file))
		}
		return nil, err
	})
}

// ImportRuns takes the runs of an archive into the store; see [run.Store.Import].
func ImportRuns(file string, options ...Options) {
	inStore("import", options, func(ctx context.Context, c cell.Screen, s *Store) (any, error) {
		taken, there, err := s.Import(ctx, file)
		c.Say(Imported(taken, there))
		return nil, err
	})
}

// Imported tells of runs that were taken from an archive, and of those that the store had.
func Imported(taken, there []string) string {
	told := "took " + counted(len(taken), "run")
	if len(there) > 0 {
		told += fmt.Sprintf("; %s stayed as the store has it: %s", counted(len(there), "run"), run.Some(there))
	}
	return told
}

// inStore does what a cell asks of the store.
func inStore[T any](what string, options []Options, do func(context.Context, cell.Screen, *Store) (T, error)) T {
	return must(what, options, func(ctx context.Context, c cell.Screen, o Options) (none T, err error) {
		s, err := OpenStore(o.Home)
		if err != nil {
			return none, err
		}
		return do(ctx, c, s)
	})
}
