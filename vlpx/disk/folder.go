package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"syscall"
)

// lockName is the file by which a folder that is being written is locked.
const lockName = "lock"

// PendingDir is a folder beside the places of what is written in it. Where the file system has no locks, what a killed process left
// stays there.
type PendingDir struct {
	Path string
	lock *Lock
}

// NewPendingDir makes an empty folder whose name is a prefix with digits. Folders of such names that nobody writes in any more are removed.
func NewPendingDir(dir, prefix string) (*PendingDir, error) {
	if err := RemoveLeftDirs(dir, prefix); err != nil {
		return nil, err
	}
	for {
		path := filepath.Join(dir, fmt.Sprintf("%s%d", prefix, rand.Int64()))
		if err := Mkdir(path); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		lock := NewLock(filepath.Join(path, lockName))
		got, err := lock.TryLock()
		if got || lockless(err) {
			return &PendingDir{path, lock}, nil
		}
		lock.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			Remove(path)
			return nil, err
		}
	}
}

// RemoveLeftDirs removes folders whose names are a prefix with digits, and that nobody writes in any more.
func RemoveLeftDirs(dir, prefix string) error {
	entries, err := ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && numbered(e.Name(), prefix) {
			if err := removeDir(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeDir removes a folder unless somebody writes in it.
func removeDir(path string) error {
	lock := NewLock(filepath.Join(path, lockName))
	defer lock.Close()
	got, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) || lockless(err) {
		return nil
	}
	if err != nil || !got {
		return err
	}
	return RemoveAll(path)
}

// lockless tells whether an error is a file system's that has no locks.
func lockless(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, errors.ErrUnsupported)
}

// Discard removes the folder with what is left in it.
func (p *PendingDir) Discard() {
	RemoveAll(p.Path)
	p.lock.Close()
}
