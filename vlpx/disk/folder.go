package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
)

// lockName is the file by which a folder that is being written is locked.
const lockName = "lock"

// PendingDir is a folder beside the places of what is written in it.
type PendingDir struct {
	Path string
	lock *Lock
}

// NewPendingDir makes an empty folder whose name is a prefix with digits. Folders of such names that nobody writes in any more are removed.
func NewPendingDir(dir, prefix string) (*PendingDir, error) {
	entries, err := ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() && numbered(e.Name(), prefix) {
			if err := removeDir(filepath.Join(dir, e.Name())); err != nil {
				return nil, err
			}
		}
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
		if err == nil && got {
			return &PendingDir{path, lock}, nil
		}
		lock.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			Remove(path)
			return nil, err
		}
	}
}

// removeDir removes a folder unless somebody writes in it.
func removeDir(path string) error {
	lock := NewLock(filepath.Join(path, lockName))
	defer lock.Close()
	got, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !got {
		return err
	}
	return RemoveAll(path)
}

// Discard removes the folder with what is left in it.
func (p *PendingDir) Discard() {
	RemoveAll(p.Path)
	p.lock.Close()
}
