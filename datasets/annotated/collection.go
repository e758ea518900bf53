package annotated

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Collection is a folder of pictures with files about them. It implements datasets.Collection; its splits are datasets.Questioned,
// datasets.Stated or datasets.Domained. Of the splits there are those with pictures: train, val and test first.
//
// The hash is that of the (unpacked) files about the pictures, the names of pictures that are missing, and the content of those that are
// there.
type Collection struct {
	datasets.Folder[datasets.Set]
	dir    string
	digest hash.Hash
	listed map[string]map[string]bool // the files of a folder
}

var _ datasets.Collection = (*Collection)(nil)

// source is a file that makes a split.
type source struct {
	split string
	file  string   // that the split is of
	parts []string // of the file's name, as a regular expression has them
}

// splitOrder is that of the usual splits; others follow.
var splitOrder = []string{"train", "val", "test"}

// open makes a collection of the files in a folder whose names match: each is a split, which read reads with all its pictures.
//
//   - split: the name of the split by the parts of the file's name.
//   - read: a split's set, with what it is beyond one, of a file. A set without a picture is left out.
func open(name, dir string, names *regexp.Regexp, split func(parts []string) string,
	read func(*Collection, source) (datasets.Set, error)) (*Collection, error) {
	c := &Collection{
		Folder: datasets.NewFolder[datasets.Set](name, name), dir: dir, digest: sha256.New(), listed: map[string]map[string]bool{},
	}
	if err := c.open(names, split, read); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, dir, err)
	}
	return c, nil
}

func (c *Collection) open(names *regexp.Regexp, split func([]string) string, read func(*Collection, source) (datasets.Set, error)) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var sources []source
	for _, e := range entries {
		if parts := names.FindStringSubmatch(e.Name()); parts != nil {
			one := source{split(parts), e.Name(), parts}
			if k := slices.IndexFunc(sources, func(s source) bool { return s.split == one.split }); k >= 0 {
				return fmt.Errorf("%s and %s are both of the split %s; keep one", sources[k].file, one.file, one.split)
			}
			sources = append(sources, one)
		}
	}
	slices.SortStableFunc(sources, func(a, b source) int { return rank(a.split) - rank(b.split) })
	var files []string
	for _, s := range sources {
		set, err := read(c, s)
		if err != nil {
			return err
		}
		for i := range set.Len() {
			files = append(files, set.Key(i))
		}
		if set.Len() > 0 {
			c.Add(s.split, set)
		}
	}
	if len(c.Ordered) == 0 {
		return errors.Join(append([]error{fmt.Errorf("%d files about pictures, none of which can be used", len(sources))},
			c.Omitted.Errors()...)...)
	}
	if err := content.Digest(c.dir, files, c.digest); err != nil {
		c.Unread = append(c.Unread, fmt.Errorf("%s: %w", c.Called, err))
	}
	c.Digest = hex.EncodeToString(c.digest.Sum(nil)[:8])
	return nil
}

func rank(split string) int {
	if k := slices.Index(splitOrder, split); k >= 0 {
		return k
	}
	return len(splitOrder)
}

// account lets the (unpacked) content of a file enter the hash, and returns its path.
func (c *Collection) account(file string) (string, error) {
	name := filepath.Join(c.dir, file)
	r, err := content.Open(name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	fmt.Fprintf(c.digest, "%s\n", strings.TrimSuffix(file, ".gz"))
	if _, err := io.Copy(c.digest, r); err != nil {
		return "", content.CutOff(file, err)
	}
	return name, nil
}

// find is where a picture lies below the collection's folder; "" where it does not, which is told once and enters the hash.
//
//   - file: that which speaks of the picture.
//   - folder: that of the picture in the benchmark's own archives, slash-separated.
func (c *Collection) find(file, folder, picture string) string {
	for _, place := range [...]string{folder, path.Join("images", folder), "images"} {
		if at := path.Join(place, picture); c.list(path.Dir(at))[path.Base(at)] {
			return at
		}
	}
	c.Omitted.Add(file, fmt.Sprintf("the picture is neither in %s/ nor in images/%[1]s/ or images/; put it there", folder), picture)
	fmt.Fprintf(c.digest, "missing %s\n", path.Join(folder, picture))
	return ""
}

// list are the files of a folder; none where it is not there or cannot be read.
func (c *Collection) list(folder string) map[string]bool {
	files, ok := c.listed[folder]
	if !ok {
		files = map[string]bool{}
		entries, _ := os.ReadDir(filepath.Join(c.dir, filepath.FromSlash(folder)))
		for _, e := range entries {
			files[e.Name()] = !e.IsDir()
		}
		c.listed[folder] = files
	}
	return files
}
