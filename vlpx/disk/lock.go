package disk

import (
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// Lock is an exclusive flock(2) on a file, which the system frees when the process ends.
type Lock struct{ *flock.Flock }

// NewLock is a lock on a file, which taking it makes.
func NewLock(path string) *Lock { return &Lock{flock.New(path)} }

// NewReadLock is a lock on a file that is there, for TryRLock.
func NewReadLock(path string) *Lock { return &Lock{flock.New(path, flock.SetFlag(os.O_RDONLY))} }

// TryLock takes the lock and tells whether it is free.
func (l *Lock) TryLock() (got bool, err error) {
	err = do(Op{Kind: Locks, Path: l.Path()}, func() error { got, err = l.try(l.Flock.TryLock); return err })
	return got, err
}

// TryRLock takes the lock together with others who do so, and tells whether it is free.
func (l *Lock) TryRLock() (got bool, err error) {
	err = do(Op{Kind: Locks, Path: l.Path()}, func() error { got, err = l.try(l.Flock.TryRLock); return err })
	return got, err
}

// try takes a lock of a regular file, or of one that is not there yet. A pipe would be waited for.
func (l *Lock) try(take func() (bool, error)) (bool, error) {
	if info, err := os.Stat(l.Path()); err == nil && !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is no regular file (%v)", l.Path(), info.Mode().Type())
	}
	return take()
}
