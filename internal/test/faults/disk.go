package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"vlpx.internal/vlpx/disk"
)

// Mode is what becomes of the operation that fails, and of what was done before it.
type Mode string

// Modes of failing. After those of the second group the process is gone: no further operation is made.
const (
	Fails Mode = "fails" // with an error; the next ones are made
	Short Mode = "short" // a write of which half is made, with an error

	Killed    Mode = "killed"    // what was done stays; of a write half is made
	Lost      Mode = "lost"      // power is lost: of content and of names there is what was synced, and no more
	Unwritten Mode = "unwritten" // power is lost: all names are there, and of content what was synced
	Zeroed    Mode = "zeroed"    // as Unwritten, with zeros in the place of the content that was not synced
)

// Modes are all of them.
var Modes = []Mode{Fails, Short, Killed, Lost, Unwritten, Zeroed}

func (m Mode) ends() bool { return m != Fails && m != Short }

// ErrGone is the error of operations after the end of the process.
var ErrGone = errors.New("the process is gone")

// Disk is a folder in which one operation fails. It is a disk.Watcher, for one goroutine or several.
type Disk struct {
	root string
	mode Mode
	at   int // the number of the operation that fails, from 1; 0 for none

	mu    sync.Mutex
	made  int     // operations so far
	which disk.Op // the one that failed
	hit   bool
	gone  bool
	tree  *node
}

// node is a file or a folder, with what of it was synced.
type node struct {
	folder  bool
	now     map[string]*node // of a folder
	synced  map[string]*node
	content []byte // of a file, that was synced
}

// On is a folder in whose operation number at, from 1, a fault happens. What is there is synced.
func On(root string, mode Mode, at int) *Disk {
	return &Disk{root: root, mode: mode, at: at, tree: read(root)}
}

// read is what lies at a path, all of it synced.
func read(path string) *node {
	entries, err := os.ReadDir(path)
	if err != nil {
		content, err := os.ReadFile(path)
		if err != nil {
			return &node{folder: true, now: map[string]*node{}, synced: map[string]*node{}}
		}
		return &node{content: content}
	}
	n := &node{folder: true, now: map[string]*node{}, synced: map[string]*node{}}
	for _, e := range entries {
		below := read(filepath.Join(path, e.Name()))
		n.now[e.Name()], n.synced[e.Name()] = below, below
	}
	return n
}

// names are those of a path below the root; false for one that is elsewhere.
func (d *Disk) names(path string) ([]string, bool) {
	below, err := filepath.Rel(d.root, path)
	if err != nil || below == ".." || strings.HasPrefix(below, "../") {
		return nil, false
	}
	if below == "." {
		return nil, true
	}
	return strings.Split(below, "/"), true
}

// find returns the folder that a path is in, as it is now, and the path's last name.
func (d *Disk) find(path string) (*node, string) {
	names, _ := d.names(path)
	n := d.tree
	for k, name := range names {
		if k == len(names)-1 {
			return n, name
		}
		if n = n.now[name]; n == nil || !n.folder {
			panic(fmt.Sprintf("faults: %s is in no folder that was made by package disk", path))
		}
	}
	return &node{now: map[string]*node{"": d.tree}}, ""
}

// Before is that of disk.Watcher.
func (d *Disk) Before(op disk.Op) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, below := d.names(op.Path); !below {
		return 0, nil
	}
	if d.gone {
		return 0, ErrGone
	}
	d.made++
	if d.made != d.at {
		return 0, nil
	}
	if d.mode == Short && op.Kind != disk.Write {
		return 0, nil
	}
	d.which, d.hit = op, true
	if d.mode.ends() {
		d.gone = true
		return op.Bytes / 2, ErrGone
	}
	failed := syscall.EIO
	switch op.Kind {
	case disk.Write, disk.Create, disk.Makes, disk.Renames, disk.Links:
		failed = syscall.ENOSPC
	}
	short := 0
	if d.mode == Short {
		short = op.Bytes / 2
	}
	return short, &os.PathError{Op: string(op.Kind), Path: op.Path, Err: failed}
}

// After is that of disk.Watcher.
func (d *Disk) After(op disk.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, below := d.names(op.Path); !below || d.gone {
		return
	}
	switch op.Kind {
	case disk.Create, disk.Locks:
		if in, name := d.find(op.Path); in.now[name] == nil {
			in.now[name] = &node{}
		}
	case disk.Makes:
		in, name := d.find(op.Path)
		in.now[name] = &node{folder: true, now: map[string]*node{}, synced: map[string]*node{}}
	case disk.Removes:
		in, name := d.find(op.Path)
		delete(in.now, name)
	case disk.Renames, disk.Links:
		from, was := d.find(op.Path)
		to, is := d.find(op.To)
		to.now[is] = from.now[was]
		if op.Kind == disk.Renames {
			delete(from.now, was)
		}
	case disk.Sync:
		in, name := d.find(op.Path)
		n := in.now[name]
		switch {
		case n == nil: // of a file that has no name any more
		case n.folder:
			n.synced = map[string]*node{}
			for name, below := range n.now {
				n.synced[name] = below
			}
		default:
			n.content, _ = os.ReadFile(op.Path)
		}
	}
}

// Made is the number of operations so far.
func (d *Disk) Made() int { return d.made }

// Hit is the operation that failed, and whether one did.
func (d *Disk) Hit() (disk.Op, bool) { return d.which, d.hit }

// Restart makes the folder what it is after the process is gone.
func (d *Disk) Restart() error {
	if !d.gone || d.mode == Killed {
		return nil
	}
	return d.restore(d.root, d.tree)
}

func (d *Disk) restore(path string, n *node) error {
	if !n.folder {
		content := n.content
		if d.mode == Zeroed {
			if now, err := os.ReadFile(path); err == nil && len(now) > len(content) {
				content = append(content[:len(content):len(content)], make([]byte, len(now)-len(content))...)
			}
		}
		return os.WriteFile(path, content, 0o644)
	}
	keep := n.now
	if d.mode == Lost {
		keep = n.synced
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	there, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range there {
		if below := keep[e.Name()]; below == nil || below.folder != e.IsDir() {
			if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	for name, below := range keep {
		if err := d.restore(filepath.Join(path, name), below); err != nil {
			return err
		}
	}
	return nil
}
