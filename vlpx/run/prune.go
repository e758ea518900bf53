package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vlpx.internal/vlpx/disk"
)

// Kinds of what pruning removes. All of it can be made again, by the request that made it.
const (
	// PruneOrphans are what no request leads to any more: runs that only others needed, such as a warm start, where the store has none of
	// these and a day has passed; runs of one's own code that was changed since (see [Orphans]); folders without a run; and what processes
	// that were killed left.
	PruneOrphans = "orphans"
	// PruneCheckpoints are the weights of finished runs that no other run of the store needs. Their results stay; a run that needs such a
	// model trains it again.
	PruneCheckpoints = "checkpoints"
	// PruneStale are runs of older versions, whose numbers this one's are not, and of other code than today's, whose numbers may not be.
	PruneStale = "stale"
)

// PruneKinds are what can be pruned.
func PruneKinds() []string { return []string{PruneOrphans, PruneCheckpoints, PruneStale} }

// fresh is how long a run is left for those that need it to be begun, since a request that was stopped may go on.
const fresh = 24 * time.Hour

// Prunable is something that pruning removes.
type Prunable struct {
	Kind  string
	Entry Entry    // the run; zero for what is of none
	Paths []string // files and folders to remove; none for the whole run
	Bytes int64
	Why   string
}

// Prunable lists what pruning would remove, of the kinds named, or of all.
func (s *Store) Prunable(kinds ...string) ([]Prunable, error) {
	for _, kind := range kinds {
		if !slices.Contains(PruneKinds(), kind) {
			return nil, fmt.Errorf("run: nothing called %q can be pruned; there are %s", kind, strings.Join(PruneKinds(), ", "))
		}
	}
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	if len(kinds) == 0 {
		kinds = PruneKinds()
	}
	going := outlived(all, kinds)
	kept := slices.DeleteFunc(slices.Clone(all), func(e Entry) bool { return going[e.ID].Kind != "" })
	by := NeededBy(kept)
	var found []Prunable
	for _, e := range all {
		p, gone := going[e.ID]
		switch {
		case gone:
			p.Entry, p.Bytes = e, e.Bytes
			found = append(found, p)
			continue
		case len(e.left) > 0:
			found = append(found, s.left(e))
		}
		if e.State == Finished && e.Model > 0 && len(by[e.ID]) == 0 {
			p := Prunable{Kind: PruneCheckpoints, Entry: e, Bytes: e.Model, Why: "finished, and no other run needs its model"}
			for _, name := range modelNames {
				p.Paths = append(p.Paths, filepath.Join(e.Dir, name))
			}
			found = append(found, p)
		}
	}
	left, err := s.folders.Leftovers()
	for _, dir := range left {
		found = append(found, Prunable{Kind: PruneOrphans, Paths: []string{dir}, Bytes: size(dir),
			Why: "left by a process that was killed"})
	}
	return slices.DeleteFunc(found, func(p Prunable) bool { return !slices.Contains(kinds, p.Kind) }), err
}

// left are the temporary files in a run's folder.
func (s *Store) left(e Entry) Prunable {
	p := Prunable{Kind: PruneOrphans, Entry: e, Why: "left by a process that was killed"}
	for _, name := range e.left {
		path := filepath.Join(e.Dir, name)
		p.Paths, p.Bytes = append(p.Paths, path), p.Bytes+size(path)
	}
	return p
}

// size is that of the files at and below a path.
func size(path string) (bytes int64) {
	filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// outlived are the runs that go whole, of the kinds named, by their identities. What a run that stays needs stays.
func outlived(all []Entry, kinds []string) map[string]Prunable {
	going, replaced := map[string]Prunable{}, orphaned(all)
	for changed := true; changed; {
		changed = false
		by := map[string]int{}
		for _, e := range all {
			if _, gone := going[e.ID]; gone {
				continue
			}
			for _, need := range e.Needs() {
				by[need.ID]++
			}
		}
		for _, e := range all {
			if _, gone := going[e.ID]; gone || e.State == AtWork || by[e.ID] > 0 {
				continue
			}
			p := Prunable{Kind: PruneOrphans}
			switch {
			case e.JSON == nil && !e.hasAny(runName, resultName) &&
				!slices.ContainsFunc(modelNames, func(n string) bool { return e.hasAny(n) }):
				p.Why = "a folder without a run"
			case replaced[e.ID] != "":
				p.Why = replaced[e.ID]
			case e.Label.Needed && time.Since(e.Time) > fresh:
				p.Why = "made for other runs, none of which is there"
			case e.outdated() != "":
				p.Kind, p.Why = PruneStale, e.outdated()
			default:
				continue
			}
			if slices.Contains(kinds, p.Kind) {
				going[e.ID], changed = p, true
			}
		}
	}
	return going
}

// hasAny tells whether the run's folder has one of the files.
func (e Entry) hasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := disk.Stat(filepath.Join(e.Dir, name))
		return err == nil
	})
}

// orphaned tells of runs of one's own code why nothing is likely to ask for them again, by their identities; see [Orphans].
func orphaned(all []Entry) map[string]string {
	var readable []Kept
	for _, e := range all {
		if e.JSON != nil {
			readable = append(readable, e.Kept)
		}
	}
	return Orphans(readable)
}

// Prune removes what Prunable has listed, those that need others before these; told, if not nil, hears of each that is gone. What is in use
// by now is left, and told of by the error, after all else is removed.
func (s *Store) Prune(ctx context.Context, what []Prunable, told func(Prunable)) error {
	var runs []Entry
	whole := map[string]Prunable{}
	for _, p := range what {
		if p.Paths == nil {
			runs, whole[p.Entry.ID] = append(runs, p.Entry), p
		}
	}
	var order []Prunable
	for _, e := range dependentsFirst(runs) {
		order = append(order, whole[e.ID])
	}
	order = append(order, slices.DeleteFunc(slices.Clone(what), func(p Prunable) bool { return p.Paths == nil })...)
	var failed []error
	for _, p := range order {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		switch {
		case p.Paths == nil:
			err = s.folders.Remove(p.Entry.ID)
		case p.Entry.ID == "":
			err = removeAll(p.Paths)
		default:
			err = s.folders.Hold(p.Entry.ID, func(string) error { return removeAll(p.Paths) })
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if told != nil {
			told(p)
		}
	}
	return errors.Join(failed...)
}

func removeAll(paths []string) error {
	for _, path := range paths {
		if err := disk.RemoveAll(path); err != nil {
			return fmt.Errorf("run: %w", err)
		}
	}
	return nil
}
