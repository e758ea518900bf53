package disk

import "sync/atomic"

// Op is an operation on files.
type Op struct {
	Kind Kind
	Path string
	To   string // the second path of Rename and Link
	File *File  // of operations on an open file
	// Bytes is how many Write is to write.
	Bytes int
}

// Kind is a kind of operations.
type Kind string

// Kinds of operations.
const (
	OpenRead Kind = "open"
	Create   Kind = "create" // open for writing, made if it is missing
	Read     Kind = "read"
	Write    Kind = "write"
	Truncate Kind = "truncate"
	Sync     Kind = "sync" // of a file's content, or of a folder's names
	Renames  Kind = "rename"
	Links    Kind = "link"
	Removes  Kind = "remove"
	Makes    Kind = "mkdir"
	Stats    Kind = "stat"
	Lists    Kind = "list"
	Touches  Kind = "touch"
	Locks    Kind = "lock"
)

// Watcher is shown operations. Only tests have one.
type Watcher interface {
	// Before is called before an operation. Its error is the operation's, which is then not made; of a write the first bytes may be written
	// all the same, as many as Before says.
	Before(op Op) (written int, err error)
	// After is called after an operation that was made.
	After(op Op)
}

var watching atomic.Pointer[Watcher]

// Watch has a watcher shown all operations of this process until it is released. It is for tests.
func Watch(w Watcher) (release func()) {
	watching.Store(&w)
	return func() { watching.Store(nil) }
}

// do makes an operation, as far as a watcher lets it.
func do(op Op, make func() error) error {
	w := watching.Load()
	if w == nil {
		return make()
	}
	if _, err := (*w).Before(op); err != nil {
		return err
	}
	err := make()
	if err == nil {
		(*w).After(op)
	}
	return err
}
