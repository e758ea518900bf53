package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Pending is a file that is written beside its place and appears there whole or not at all. It is locked, so that what a process left that
// was killed is told from what another one is writing.
type Pending struct {
	*File
	place string
	done  bool
}

// NewPending makes the file. Until it is in its place its name is that of the place behind a dot, with digits. Files of such names that
// nobody writes any more are removed.
func NewPending(place string, mode fs.FileMode) (*Pending, error) {
	dir, prefix := filepath.Dir(place), "."+filepath.Base(place)
	if err := RemoveLeft(dir, func(name string) bool { return numbered(name, prefix) }); err != nil {
		return nil, err
	}
	for {
		f, err := OpenFile(filepath.Join(dir, fmt.Sprintf("%s%d", prefix, rand.Int64())), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if hold(f.File); inPlace(f.File) {
			return &Pending{File: f, place: place}, nil
		}
		f.Close() // removed before it was locked
	}
}

// numbered tells whether a name is a prefix with digits.
func numbered(name, prefix string) bool {
	digits, is := strings.CutPrefix(name, prefix)
	return is && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// inPlace tells whether an open file is the one that lies at its path.
func inPlace(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(f.Name())
	return err == nil && os.SameFile(open, there)
}

// RemoveLeft removes files of a folder that were written beside their places by processes which are gone, of those whose names are wanted.
func RemoveLeft(dir string, wanted func(name string) bool) error {
	entries, err := ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() || !wanted(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		f, failed := os.OpenFile(path, os.O_RDWR, 0)
		if failed == nil {
			if tryHold(f) {
				failed = Remove(path)
			}
			f.Close()
		}
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Place puts the file in its place, where it replaces what is there, and closes it. After that it is there whatever happens.
func (p *Pending) Place() error { return p.put(func() error { return Rename(p.Name(), p.place) }) }

// PlaceFirst is Place unless something is there already, which is fs.ErrExist. Of many who do so at once one succeeds.
func (p *Pending) PlaceFirst() error {
	return p.put(func() error {
		err := do(Op{Kind: Renames, Path: p.Name(), To: p.place}, func() error { return renameFirst(p.Name(), p.place) })
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		err = Link(p.Name(), p.place)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
			return Rename(p.Name(), p.place) // a file system without links, which has no two nodes either
		}
		if err == nil {
			err = Remove(p.Name())
		}
		return err
	})
}

// put has the content on the disk before the name.
func (p *Pending) put(name func() error) error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := name(); err != nil {
		return err
	}
	p.done = true
	return errors.Join(p.Close(), SyncDir(filepath.Dir(p.place)))
}

// Discard removes the file and closes it, unless it is in its place.
func (p *Pending) Discard() {
	if !p.done {
		Remove(p.Name())
		p.Close()
	}
}

// WriteFile writes a file whole or not at all.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	p, err := NewPending(path, mode)
	if err != nil {
		return err
	}
	defer p.Discard()
	if _, err := p.Write(content); err != nil {
		return err
	}
	return p.Place()
}
