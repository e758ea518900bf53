package lab

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
)

// Store lists, shows, compares, removes, verifies and exports the runs of a store.
type Store struct {
	*run.Store
	Home string
}

// OpenStore opens the store at home; see [Options].Home for an empty one.
func OpenStore(home string) (*Store, error) {
	home, err := run.Home(home)
	if err != nil {
		return nil, err
	}
	return &Store{run.OpenStore(home), home}, nil
}

// Removal says which runs to remove.
type Removal struct {
	IDs   []string  // the beginnings of their identities
	Of    RunFilter // those that it lets pass, too; none where it is empty
	Force bool      // those, too, that other runs need
}

// Remove removes runs; see [run.Store.Remove]. removed hears of each.
func (s *Store) Remove(ctx context.Context, r Removal, removed func(Removed)) error {
	whole, err := s.identities(r.IDs)
	if err != nil {
		return err
	}
	if !r.Of.Empty() {
		list, err := s.Runs(r.Of)
		if err != nil {
			return err
		}
		for _, one := range list.Runs {
			if !slices.Contains(whole, one.ID) {
				whole = append(whole, one.ID)
			}
		}
	}
	return s.Store.Remove(ctx, whole, r.Force, func(e run.Entry) { removed(Removed{Entry: e}) })
}

// Prune removes what [Store.Prunable] has found. removed hears of each.
func (s *Store) Prune(ctx context.Context, what Prunables, removed func(Removed)) error {
	return s.Store.Prune(ctx, what, func(p run.Prunable) { removed(Removed(p)) })
}

// Removed is what was removed of the store: a run where it has no paths, else the weights of one, or other files.
type Removed run.Prunable

func (r Removed) String() string {
	of, bytes := "", r.Bytes
	switch {
	case r.Paths == nil:
		bytes = r.Entry.Bytes
	case r.Kind == run.PruneCheckpoints:
		of = "the weights of "
	default:
		return fmt.Sprintf("removed %s, %s MB", r.Paths[0], megabytes(bytes))
	}
	return fmt.Sprintf("removed %s%s: %s, seed %d, %s MB", of, run.Short(r.Entry.ID), about(r.Entry, nil).label(), r.Entry.Run.Train.Seed,
		megabytes(bytes))
}

// Verified is what verifying a store has found.
type Verified struct {
	Runs     int // that were read
	Problems []run.Problem
}

// Verify reads all that the store has.
func (s *Store) Verify(ctx context.Context) (v Verified, err error) {
	v.Problems, err = s.Store.Verify(ctx, func(run.Entry) { v.Runs++ })
	return v, err
}

// Damaged reports whether a problem is more than a note.
func (v Verified) Damaged() bool {
	return slices.ContainsFunc(v.Problems, func(p run.Problem) bool { return !p.Harmless })
}

func (v Verified) String() string {
	if v.Damaged() {
		return "some of the store is damaged; the table says what to do"
	}
	return fmt.Sprintf("everything can be read, of %s", counted(v.Runs, "run"))
}

// Export writes runs, named by the beginnings of their identities, into an archive; see [run.Store.Export].
func (s *Store) Export(ctx context.Context, file string, of run.Archive) (e Exported, err error) {
	if of.IDs, err = s.identities(of.IDs); err != nil {
		return e, err
	}
	e.File = file
	e.Runs, err = s.Store.Export(ctx, file, of)
	return e, err
}

// Exported is what an archive was written with.
type Exported struct {
	Runs []run.Entry
	File string
}

func (e Exported) String() string {
	return fmt.Sprintf("wrote %s to %s", counted(len(e.Runs), "run"), e.File)
}

// Import takes the runs of an archive into the store; see [run.Store.Import].
func (s *Store) Import(ctx context.Context, file string) (i Imported, err error) {
	i.Taken, i.There, err = s.Store.Import(ctx, file)
	return i, err
}

// Imported are the identities of an archive's runs that were taken, and of those that the store had.
type Imported struct{ Taken, There []string }

func (i Imported) String() string {
	text := "took " + counted(len(i.Taken), "run")
	if len(i.There) > 0 {
		text += fmt.Sprintf("; %s stayed as the store has it: %s", counted(len(i.There), "run"), run.Some(i.There))
	}
	return text
}

// Overview has how many runs of each state there are, and what everything at the store's home takes.
func (s *Store) Overview() (tables.Table, error) {
	all, err := s.Entries()
	if err != nil {
		return tables.Table{}, err
	}
	t := tables.Table{Title: "The store " + s.Home, Heading: "what", Columns: []tables.Column{{Name: "number"}, {Name: "MB"},
		{Name: "of which weights"}}}
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
		{"locked", "tokens of locked encoders"}, {"weights", "published weights"}, {"onnxruntime", "ONNX Runtime"},
		{"pictures", "pictures"},
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
		t.Note = fmt.Sprintf("Pruning frees up to %s MB; vlpx prune says what.", megabytes(prunable.bytes()))
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

// Pruning says what to prune.
type Pruning struct {
	Kinds []string // of [run.PruneKinds]. Empty means all, only for listing.
	Do    bool     // removes it; else it is listed only
}

// Prunables are what can be pruned.
type Prunables []run.Prunable

// Of are those of runs that a filter lets pass; all where it is empty.
func (all Prunables) Of(f RunFilter) Prunables {
	if f.Empty() {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(p run.Prunable) bool { return p.Entry.ID == "" || !f.has(about(p.Entry, nil)) })
}

func (all Prunables) bytes() (sum int64) {
	for _, p := range all {
		sum += p.Bytes
	}
	return sum
}

// Table lays it out.
func (all Prunables) Table() tables.Table {
	t := tables.Table{Title: "What can be pruned", Heading: "run", Columns: []tables.Column{{Name: "method"}, {Name: "kind"}, {Name: "MB"},
		{Name: "why"}}}
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
	t.Title += ": " + strings.Join(parts, ", ")
	return t
}

// Table lays the problems out.
func (v Verified) Table() tables.Table {
	t := tables.Table{Title: "What verifying the store found", Heading: "run",
		Columns: []tables.Column{{Name: "severity"}, {Name: "what, and what to do"}}}
	for _, p := range v.Problems {
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

// find finds a run, whatever its state, by the beginning of its identity.
func (s *Store) find(all []run.Entry, id string) (run.Entry, error) {
	const listed = "vlpx runs says which there are"
	if len(all) == 0 {
		return run.Entry{}, fmt.Errorf("no run %q: the store has none; make one, or choose another store with VLPX_HOME or -home", id)
	}
	var matching []string
	var found run.Entry
	for _, e := range all {
		if strings.HasPrefix(e.ID, strings.ToLower(id)) {
			matching, found = append(matching, e.ID), e
		}
	}
	switch {
	case len(matching) == 0:
		return found, fmt.Errorf("no run %q; %s", id, listed)
	case len(matching) > 1:
		return found, fmt.Errorf("%q is the beginning of %s; write more of it", id, run.Some(matching))
	}
	return found, nil
}

// identities are those of runs named by the beginnings of theirs, each once.
func (s *Store) identities(ids []string) ([]string, error) {
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	var whole []string
	for _, id := range ids {
		e, err := s.find(all, strings.TrimSpace(id))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(whole, e.ID) {
			whole = append(whole, e.ID)
		}
	}
	return whole, nil
}
