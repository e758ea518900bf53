package vlpx

import (
	"context"
	"errors"
	"fmt"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/run"
)

// The functions of this file are about the store of runs. Of the options they read Home.

// Runs shows the runs of the store, the latest first, and returns the list.
func Runs(f RunFilter, options ...Options) *lab.RunList {
	return shown("runs", options, func(_ context.Context, o Options) (*lab.RunList, error) {
		s, err := lab.OpenStore(o.Home)
		if err != nil {
			return nil, err
		}
		return s.Runs(f)
	})
}

// ShowRun shows all that the store has of a run, named by the beginning of its identity: configuration, metrics, curves.
func ShowRun(id string, options ...Options) *lab.RunPage {
	return inStore("run", options, func(_ context.Context, c cell.Screen, s *lab.Store) (*lab.RunPage, error) {
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

// CompareRuns shows finished runs of the store side by side; see [lab.Store.Compare].
func CompareRuns(ids []string, options ...Options) *Report {
	return inStore("compare", options, func(_ context.Context, c cell.Screen, s *lab.Store) (*Report, error) {
		report, err := s.Compare(ids)
		if err != nil {
			return nil, err
		}
		return report, report.Show(c)
	})
}

// RemoveRuns removes runs of the store; see [run.Store.Remove].
func RemoveRuns(r Removal, options ...Options) {
	inStore("remove", options, func(ctx context.Context, c cell.Screen, s *lab.Store) (any, error) {
		if len(r.IDs) == 0 && r.Of.Empty() {
			return nil, errors.New("no runs to remove; name some that vlpx.Runs lists")
		}
		return nil, s.Remove(ctx, r, func(removed lab.Removed) { c.Say(removed.String()) })
	})
}

// PruneRuns shows what can be pruned, or prunes it.
func PruneRuns(p Pruning, options ...Options) {
	inStore("prune", options, func(ctx context.Context, c cell.Screen, s *lab.Store) (any, error) {
		what, err := s.Prunable(p.Kinds...)
		if err != nil {
			return nil, err
		}
		if len(what) == 0 {
			c.Say("nothing to prune")
			return nil, nil
		}
		if !p.Do {
			return nil, c.Show(what.Table())
		}
		if len(p.Kinds) == 0 {
			return nil, fmt.Errorf("say what to prune: Kinds of %v", run.PruneKinds())
		}
		return nil, s.Prune(ctx, what, func(removed lab.Removed) { c.Say(removed.String()) })
	})
}

// ShowStore shows how many runs there are and what they take.
func ShowStore(options ...Options) tables.Table {
	return shown("store", options, func(_ context.Context, o Options) (none tables.Table, err error) {
		s, err := lab.OpenStore(o.Home)
		if err != nil {
			return none, err
		}
		return s.Overview()
	})
}

// VerifyStore reads all that the store has, and shows what is wrong.
func VerifyStore(options ...Options) []run.Problem {
	return inStore("verify", options, func(ctx context.Context, c cell.Screen, s *lab.Store) ([]run.Problem, error) {
		found, err := s.Verify(ctx)
		if err == nil && len(found.Problems) == 0 {
			c.Say(found.String())
			return nil, nil
		}
		if err == nil {
			err = c.Show(found.Table())
		}
		return found.Problems, err
	})
}

// ExportRuns writes finished runs into an archive that another machine's store reads; see [run.Store.Export].
func ExportRuns(file string, of run.Archive, options ...Options) {
	inStore("export", options, func(ctx context.Context, c cell.Screen, s *lab.Store) (any, error) {
		exported, err := s.Export(ctx, file, of)
		if err == nil {
			c.Say(exported.String())
		}
		return nil, err
	})
}

// ImportRuns takes the runs of an archive into the store; see [run.Store.Import].
func ImportRuns(file string, options ...Options) {
	inStore("import", options, func(ctx context.Context, c cell.Screen, s *lab.Store) (any, error) {
		imported, err := s.Import(ctx, file)
		c.Say(imported.String())
		return nil, err
	})
}

// inStore does what a cell asks of the store.
func inStore[T any](what string, options []Options, do func(context.Context, cell.Screen, *lab.Store) (T, error)) T {
	return must(what, options, func(ctx context.Context, c cell.Screen, o Options) (none T, err error) {
		s, err := lab.OpenStore(o.Home)
		if err != nil {
			return none, err
		}
		return do(ctx, c, s)
	})
}
