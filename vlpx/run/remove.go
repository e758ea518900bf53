package run

import (
	"context"
	"fmt"
	"slices"
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
		if err := s.folders.Remove(e.ID); err != nil {
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
