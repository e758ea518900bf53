// Package album reads picture files by their paths, wherever they lie, without captions: what a trained model is asked about. It imports
// datasets and datasets/content, and nothing of the rest of this module.
package album

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"io/fs"
	"path/filepath"
	"sync"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Split is the one split of a Collection.
const Split = "pictures"

// Collection is a list of picture files. It implements datasets.Collection, with the one split Split.
type Collection struct {
	set  set
	hash func() string
}

var _ datasets.Collection = (*Collection)(nil)

// Of is the collection of files by their paths, in this order. None is opened yet.
func Of(paths []string) *Collection {
	c := &Collection{set: paths}
	c.hash = sync.OnceValue(c.digest)
	return c
}

// Below lists the paths of the pictures in a folder and in the folders below it, in the order of their names: those whose names end as a
// picture's does. The folder itself may be a link; those in it are not followed.
func Below(dir string) (paths []string, err error) {
	err = filepath.WalkDir(dir+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && content.IsPicture(entry.Name()) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("album: %w", err)
	}
	return paths, nil
}

// Name implements datasets.Collection.
func (c *Collection) Name() string { return Split }

// Hash is that of the names of the files and of their content, 16 hexadecimal digits. All files are read for it, unless they are remembered
// (see package content).
func (c *Collection) Hash() string { return c.hash() }

func (c *Collection) digest() string {
	sum := sha256.New()
	for from := 0; from < len(c.set); {
		dir, to := filepath.Dir(c.set[from]), from
		var names []string
		for ; to < len(c.set) && filepath.Dir(c.set[to]) == dir; to++ {
			names = append(names, filepath.Base(c.set[to]))
		}
		content.Digest(dir, names, sum) // the error says that nothing is remembered: the digest is right all the same
		from = to
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Splits implements datasets.Collection.
func (c *Collection) Splits() []string { return []string{Split} }

// Split implements datasets.Collection.
func (c *Collection) Split(name string) (datasets.Set, error) {
	if name != Split {
		return nil, datasets.UnknownSplit(c.Name(), name, c.Splits())
	}
	return c.set, nil
}

// set are the paths of the files.
type set []string

// Name implements datasets.Set.
func (s set) Name() string { return Split }

// Len implements datasets.Set.
func (s set) Len() int { return len(s) }

// Key is the path of image i.
func (s set) Key(i int) string { return s[i] }

// Captions are none.
func (s set) Captions(int) []string { return nil }

// Image decodes image i.
func (s set) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img, err := content.Picture(s[i])
	if err != nil {
		return nil, fmt.Errorf("album: %s: %w", s[i], err)
	}
	return img, nil
}
