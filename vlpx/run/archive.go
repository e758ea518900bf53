package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// Archive says what an archive gets.
type Archive struct {
	IDs     []string // runs
	Alone   bool     // without those that they need
	Results bool     // without the weights
}

// Export writes runs of the store into one archive, which appears whole or not at all, and tells which: those that these need go along.
func (s *Store) Export(ctx context.Context, path string, of Archive) ([]Entry, error) {
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	going, err := of.of(all)
	if err != nil {
		return nil, err
	}
	byID := map[string]Entry{}
	var ids []string
	for _, e := range going {
		ids, byID[e.ID] = append(ids, e.ID), e
	}
	err = s.folders.Pack(ctx, path, format, ids, func(id string) ([]string, error) {
		if err := s.sound(byID[id]); err != nil {
			return nil, err
		}
		return s.archived(id, of.Results)
	})
	if err != nil {
		return nil, err
	}
	return going, nil
}

// of are the runs that an archive gets, those that are needed first.
func (a Archive) of(all []Entry) ([]Entry, error) {
	var going []Entry
	added := map[string]bool{}
	var add func(id, needing string) error
	add = func(id, needing string) error {
		if added[id] {
			return nil
		}
		added[id] = true
		i := slices.IndexFunc(all, func(e Entry) bool { return e.ID == id })
		switch {
		case i < 0 && needing != "":
			return fmt.Errorf("run: %s needs %s, which the store lacks; export it alone", Short(needing), Short(id))
		case i < 0:
			return fmt.Errorf("run: the store has no run %s", id)
		case all[i].State != Finished && needing != "":
			return fmt.Errorf("run: %s needs %s, which is %s; export it alone", Short(needing), Short(id), all[i].State)
		case all[i].State != Finished:
			return fmt.Errorf("run: %s is %s; only finished runs go into an archive", Short(id), all[i].State)
		}
		if !a.Alone {
			for _, need := range all[i].Needs() {
				if err := add(need.ID, id); err != nil {
					return err
				}
			}
		}
		going = append(going, all[i])
		return nil
	}
	if len(a.IDs) == 0 {
		return nil, errors.New("run: no runs to export; name some")
	}
	for _, id := range a.IDs {
		if err := add(id, ""); err != nil {
			return nil, err
		}
	}
	return going, nil
}

// archived are the names of a run's files that go into an archive.
func (s *Store) archived(id string, results bool) (names []string, err error) {
	files, err := disk.ReadDir(s.folders.Folder(id))
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	for _, file := range files {
		if name := file.Name(); archivable(name) && !(results && slices.Contains(modelNames, name)) {
			names = append(names, name)
		}
	}
	return names, nil
}

// archivable tells whether a file of a run's folder has a place in an archive: one of those that the store itself writes there.
func archivable(name string) bool {
	if slices.Contains([]string{runName, labelName, resultName, tokenizerName, train.CurvesName}, name) ||
		slices.Contains(modelNames, name) {
		return true
	}
	for _, prefix := range []string{minedPrefix, taskPrefix} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			id, ok := strings.CutSuffix(rest, ".json")
			return ok && store.IsID(id)
		}
	}
	return false
}

// Import takes the runs of an archive into the store: all of them are verified before the first is there, and each is there whole or not at
// all. A run that the store has already stays as it is. It tells which it took and which were there.
func (s *Store) Import(ctx context.Context, path string) (taken, there []string, err error) {
	kind := store.Kind{Format: format, Belongs: archivable, Needs: []string{runName, resultName}}
	return s.folders.Unpack(ctx, path, kind, func(folders *store.Store, id string) error {
		unpacked := &Store{folders}
		e := unpacked.entry(id)
		if e.State == Stale {
			return fmt.Errorf("run %s is of another format than the archive says", id)
		}
		return unpacked.sound(e)
	})
}
