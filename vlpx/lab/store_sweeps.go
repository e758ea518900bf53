package lab

import (
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/sweep"
)

// Sweeps are the sweeps of a store, by their names, and how far they are, whoever works at them.
type Sweeps []struct {
	*sweep.Sweep
	Progress sweep.Progress
}

// Sweeps are the sweeps of the store.
func (s *Store) Sweeps() (Sweeps, error) {
	all, err := sweep.All(s.Home)
	sweeps := make(Sweeps, len(all))
	for i, one := range all {
		sweeps[i].Sweep, sweeps[i].Progress = one, one.Progress(s.Busy)
	}
	return sweeps, err
}

// Prunable lists what pruning would remove, of the kinds named, or of all; see [run.Store.Prunable]. Folders of sweeps of which all is done
// are among the orphans.
func (s *Store) Prunable(kinds ...string) (Prunables, error) {
	list, err := s.Store.Prunable(kinds...)
	found := Prunables(list)
	if err != nil || len(kinds) > 0 && !slices.Contains(kinds, run.PruneOrphans) {
		return found, err
	}
	sweeps, _ := s.Sweeps() // lists tell of what cannot be read
	for _, one := range sweeps {
		if one.Progress.Done == one.Progress.Of {
			_, bytes := filesBelow(one.Dir())
			found = append(found, run.Prunable{Kind: run.PruneOrphans, Paths: []string{one.Dir()}, Bytes: bytes,
				Why: "the plan and logs of a sweep of which all is done"})
		}
	}
	return found, nil
}

// Table lays the sweeps out.
func (all Sweeps) Table() tables.Table {
	t := tables.Table{Title: "Sweeps of the store", Heading: "sweep", Columns: []tables.Column{{Name: "of"}, {Name: "progress"}},
		Note: "vlpx runs -unfinished has the runs; the command that began a sweep follows it, and goes on."}
	for _, s := range all {
		t.Rows = append(t.Rows, words(s.Name, strings.Join(s.Artifacts, ", "), s.Progress.String()))
	}
	return t
}
