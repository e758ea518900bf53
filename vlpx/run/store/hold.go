package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"vlpx.internal/vlpx/disk"
)

// Names of folders beside those of runs, which a process that was killed may leave.
const (
	removedPrefix = ".removed-"
	importPrefix  = ".import-"
)

// Busy tells whether a process has the folder of a run; on another node where the file system carries locks between nodes.
func (s *Store) Busy(id string) bool {
	path := s.Path(id, LockName)
	if _, err := disk.Stat(path); err != nil {
		return false
	}
	lock := disk.NewReadLock(path)
	defer lock.Close()
	got, err := lock.TryRLock()
	return err == nil && !got
}

// Hold takes a run's folder, in which nobody is at work, for as long as do takes.
func (s *Store) Hold(id string, do func(dir string) error) error {
	dir := s.Folder(id)
	lock := disk.NewLock(filepath.Join(dir, LockName))
	got, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone already
	}
	if err != nil {
		return fmt.Errorf("run: taking the folder %s: %w", dir, err)
	}
	defer lock.Unlock()
	if !got || !inPlace(lock) {
		return atWork(id)
	}
	return do(dir)
}

func atWork(id string) error {
	return fmt.Errorf("run: a process is at run %s; stop it first, or wait for it", Short(id))
}

// share keeps other processes from a run's folder until it is released, and lets them read.
func (s *Store) share(id string) (release func(), err error) {
	lock := disk.NewLock(s.Path(id, LockName))
	got, err := lock.TryRLock()
	if err != nil {
		return nil, fmt.Errorf("run: taking the folder of run %s: %w", id, err)
	}
	if !got {
		return nil, atWork(id)
	}
	return func() { lock.Unlock() }, nil
}

// Remove removes a run's folder: by a new name at once, then what is in it. What earlier removals left goes, too.
func (s *Store) Remove(id string) error {
	left, err := s.Leftovers()
	if err != nil {
		return err
	}
	for _, dir := range left {
		if strings.HasPrefix(filepath.Base(dir), removedPrefix) {
			if err := disk.RemoveAll(dir); err != nil {
				return fmt.Errorf("run: %w", err)
			}
		}
	}
	return s.Hold(id, func(dir string) error {
		gone := filepath.Join(s.dir, removedPrefix+id)
		err := disk.Rename(dir, gone)
		if err == nil {
			err = disk.SyncDir(s.dir)
		}
		if err == nil {
			err = disk.RemoveAll(gone)
		}
		if err != nil {
			return fmt.Errorf("run: removing run %s: %w", id, err)
		}
		return nil
	})
}

// Leftovers are folders that removals and imports left which were killed.
func (s *Store) Leftovers() ([]string, error) {
	folders, err := disk.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run: %w", err)
	}
	var left []string
	for _, folder := range folders {
		name := folder.Name()
		if strings.HasPrefix(name, removedPrefix) || strings.HasPrefix(name, importPrefix) && !s.Busy(name) {
			left = append(left, filepath.Join(s.dir, name))
		}
	}
	return left, nil
}
