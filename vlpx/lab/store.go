package lab

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
)

// Remove removes runs, named by the beginnings of their identities; see [run.Store.Remove].
func (s *Store) Remove(ctx context.Context, ids []string, force bool, told func(run.Entry)) error {
	whole, err := s.identities(ids)
	if err != nil {
		return err
	}
	return s.Store.Remove(ctx, whole, force, told)
}

// Export writes runs, named by the beginnings of their identities, into an archive; see [run.Store.Export].
func (s *Store) Export(ctx context.Context, file string, of run.Archive) ([]run.Entry, error) {
	var err error
	if of.IDs, err = s.identities(of.IDs); err != nil {
		return nil, err
	}
	return s.Store.Export(ctx, file, of)
}

// Overview has how many runs of each state there are, and what everything at the store's home takes.
func (s *Store) Overview() (tables.Table, error) {
	all, err := s.Entries()
	if err != nil {
		return tables.Table{}, err
	}
	t := tables.Table{Title: "The store " + s.Home, Heading: "what", Columns: []tables.Column{{Name: "number"}, {Name: "MB"}, {Name: "of which weights"}}}
	for _, state := range []run.State{run.Finished, run.AtWork, run.Stopped, run.Broken, run.Stale} {
		n, bytes, model := 0, int64(0), int64(0)
		for _, e := range all {
			if e.State == state {
				n, bytes, model = n+1, bytes+e.Bytes, model+e.Model
			}
		}
		if n > 0 {
			t.Rows = append(t.Rows, words("runs "+string(state), fmt.Sprint(n), megabytes(bytes), megabytes(model)))
		}
	}
	for _, part := range []struct{ dir, what string }{
		{"locked", "tokens of locked encoders"}, {"weights", "published weights"}, {"onnxruntime", "ONNX Runtime"}, {"pictures", "pictures"},
	} {
		if n, bytes := filesBelow(filepath.Join(s.Home, part.dir)); n > 0 {
			t.Rows = append(t.Rows, words(part.what, "", megabytes(bytes)))
		}
	}
	prunable, err := s.Prunable()
	if err != nil {
		return t, err
	}
	if len(t.Rows) == 0 {
		t.Rows = append(t.Rows, words("runs", "0", "0.0"))
	}
	if len(prunable) > 0 {
		t.Note = fmt.Sprintf("Pruning frees up to %s MB; vlpx prune tells what.", megabytes(prunableBytes(prunable)))
	}
	return t, nil
}

// filesBelow counts the files below a folder, and their bytes.
func filesBelow(dir string) (n int, bytes int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // not there, or gone meanwhile
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n, bytes = n+1, bytes+info.Size()
		}
		return nil
	})
	return n, bytes
}

func prunableBytes(all []run.Prunable) (bytes int64) {
	for _, p := range all {
		bytes += p.Bytes
	}
	return bytes
}

// PrunableTable lays out what can be pruned.
func PrunableTable(all []run.Prunable) tables.Table {
	t := tables.Table{Title: "What can be pruned", Heading: "run", Columns: []tables.Column{{Name: "method"}, {Name: "kind"}, {Name: "MB"}, {Name: "why"}}}
	sums := map[string]int64{}
	for _, p := range all {
		name, method := "–", "–"
		if p.Entry.ID != "" {
			name, method = run.Short(p.Entry.ID), about(p.Entry, nil).label()
		}
		if len(p.Paths) > 0 && p.Kind != run.PruneCheckpoints {
			method = filepath.Base(p.Paths[0])
		}
		t.Rows = append(t.Rows, words(name, method, p.Kind, megabytes(p.Bytes), p.Why))
		sums[p.Kind] += p.Bytes
	}
	var parts []string
	for _, kind := range run.PruneKinds() {
		if bytes, has := sums[kind]; has {
			parts = append(parts, fmt.Sprintf("%s %s MB", kind, megabytes(bytes)))
		}
	}
	t.Note = "In all: " + strings.Join(parts, ", ") + "."
	return t
}

// ProblemsTable lays out what verifying the store found.
func ProblemsTable(all []run.Problem) tables.Table {
	t := tables.Table{Title: "What verifying the store found", Heading: "run", Columns: []tables.Column{{Name: "severity"}, {Name: "what, and what to do"}}}
	for _, p := range all {
		name, severity := "–", "damaged"
		if p.ID != "" {
			name = run.Short(p.ID)
		}
		if p.Harmless {
			severity = "note"
		}
		t.Rows = append(t.Rows, words(name, severity, p.What))
	}
	return t
}

// Removal says which runs to remove.
type Removal struct {
	IDs   []string // the beginnings of their identities
	Force bool     // those, too, that other runs need
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

// Verified tells that a store of so many runs is whole.
func Verified(runs int) string {
	return fmt.Sprintf("everything can be read, of %s", Counted(runs, "run"))
}

// Imported tells of runs that were taken from an archive, and of those that the store had.
func Imported(taken, there []string) string {
	told := "took " + Counted(len(taken), "run")
	if len(there) > 0 {
		told += fmt.Sprintf("; %s stayed as the store has it: %s", Counted(len(there), "run"), run.Some(there))
	}
	return told
}
