package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// Names of folders beside those of runs, which a process that was killed may leave.
const (
	removedPrefix = ".removed-"
	importPrefix  = ".import-"
)

// Remove removes runs of the store, those that need others before these. Each is gone whole or not at all; told, if not nil, hears of each
// that is gone. One that other runs need which stay is refused, unless force says otherwise, and one that a process is at, or that a run at
// work needs, in any case: then nothing is removed.
func (s *Store) Remove(ctx context.Context, ids []string, force bool, told func(Entry)) error {
	all, err := s.Entries()
	if err != nil {
		return err
	}
	by := NeededBy(all)
	var going []Entry
	for _, id := range ids {
		i := slices.IndexFunc(all, func(e Entry) bool { return e.ID == id })
		if i < 0 {
			return fmt.Errorf("run: the store has no run %s", id)
		}
		if all[i].State == AtWork {
			return fmt.Errorf("run: a process is at run %s; stop it first, or wait for it", Short(id))
		}
		var needing []string
		for _, other := range by[id] {
			switch {
			case other.State == AtWork:
				return fmt.Errorf("run: a process is at run %s, which needs %s; stop it first, or wait for it", Short(other.ID), Short(id))
			case !slices.Contains(ids, other.ID):
				needing = append(needing, other.named())
			}
		}
		if len(needing) > 0 && !force {
			return fmt.Errorf("run: %s is needed by %s; remove those, too, or force it: what needs it keeps its results, and trains it "+
				"again to go on",
				Short(id), Some(needing))
		}
		if !slices.ContainsFunc(going, func(e Entry) bool { return e.ID == id }) {
			going = append(going, all[i])
		}
	}
	for _, e := range dependentsFirst(going) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.remove(e.ID); err != nil {
			return err
		}
		if told != nil {
			told(e)
		}
	}
	return nil
}

// named tells a run in a few words.
func (e Entry) named() string {
	if method := e.Method(); method != "" {
		return fmt.Sprintf("%s (%s, seed %d)", Short(e.ID), method, e.Run.Train.Seed)
	}
	return Short(e.ID)
}

// dependentsFirst sorts runs so that each comes before those that it needs.
func dependentsFirst(all []Entry) []Entry {
	var sorted []Entry
	by, done := NeededBy(all), map[string]bool{}
	var add func(Entry)
	add = func(e Entry) {
		if done[e.ID] {
			return
		}
		done[e.ID] = true
		for _, other := range by[e.ID] {
			add(other)
		}
		sorted = append(sorted, e)
	}
	for _, e := range all {
		add(e)
	}
	return sorted
}

// hold takes a run's folder, in which nobody is at work, for as long as do takes.
func (s *Store) hold(id string, do func(dir string) error) error {
	dir := filepath.Join(s.dir, id)
	lock := flock.New(filepath.Join(dir, lockName))
	got, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone already
	}
	if err != nil {
		return fmt.Errorf("run: taking the folder %s: %w", dir, err)
	}
	defer lock.Unlock()
	if !got || !inPlace(lock) {
		return fmt.Errorf("run: a process is at run %s; stop it first, or wait for it", Short(id))
	}
	return do(dir)
}

// remove removes a run's folder: by a new name at once, then what is in it.
func (s *Store) remove(id string) error {
	return s.hold(id, func(dir string) error {
		gone := filepath.Join(s.dir, removedPrefix+id)
		err := os.RemoveAll(gone) // which an earlier removal left
		if err == nil {
			err = os.Rename(dir, gone)
		}
		if err == nil {
			err = os.RemoveAll(gone)
		}
		if err != nil {
			return fmt.Errorf("run: removing run %s: %w", id, err)
		}
		return nil
	})
}

// leftovers are folders that removals and imports left which were killed.
func (s *Store) leftovers() ([]string, error) {
	folders, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run: %w", err)
	}
	var left []string
	for _, folder := range folders {
		name := folder.Name()
		if strings.HasPrefix(name, removedPrefix) || strings.HasPrefix(name, importPrefix) && !s.busy(name) {
			left = append(left, filepath.Join(s.dir, name))
		}
	}
	return left, nil
}
