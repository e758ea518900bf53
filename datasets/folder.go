package datasets

import "slices"

// Folder is what collections in a folder have in common: the package of a layout fills it in as it reads, and embeds it.
type Folder[S Set] struct {
	Called  string       // its name
	Digest  string       // 16 hexadecimal digits of the SHA-256 of all that a run's numbers can depend on
	Ordered []string     // its splits
	Sets    map[string]S // by split
	Omitted Omissions    // what was left out
	Unread  []error      // what else went wrong and left something to read, such as a file that is cut off
}

// NewFolder is a folder without splits. The layout, such as "karpathy", starts what it tells.
func NewFolder[S Set](layout, name string) Folder[S] {
	return Folder[S]{Called: name, Sets: map[string]S{}, Omitted: Omissions{Source: layout}}
}

// Add appends a split.
func (f *Folder[S]) Add(split string, set S) {
	f.Sets[split], f.Ordered = set, append(f.Ordered, split)
}

// Name is the collection's.
func (f *Folder[S]) Name() string { return f.Called }

// Hash is that of the content, 16 hexadecimal digits. Each layout says what enters it.
func (f *Folder[S]) Hash() string { return f.Digest }

// Splits lists those that have an image, in the layout's order.
func (f *Folder[S]) Splits() []string { return slices.Clone(f.Ordered) }

// Split returns a split, or an error that names those there are.
func (f *Folder[S]) Split(name string) (Set, error) {
	if set, ok := f.Sets[name]; ok {
		return set, nil
	}
	return nil, UnknownSplit(f.Called, name, f.Ordered)
}

// Skipped tells what was left out, an *Omission for each file and reason, and what else went wrong; nil when there is nothing to tell.
func (f *Folder[S]) Skipped() []error { return append(f.Omitted.Errors(), f.Unread...) }
