package judgements

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/text"
)

// pattern is that of the files of tables in a collection's folder.
const pattern = "judgements*.csv"

// Collection is a collection with what people said of its pairs. Its hash is that of both.
type Collection struct {
	datasets.Collection
	hash string
	said map[string]map[[2]int]bool // by split; see datasets.WithJudgements
}

// Over is a collection with the judgements that its folder has; the collection as it is where there are none.
func Over(c datasets.Collection, dir string) (datasets.Collection, error) {
	entries, err := os.ReadDir(dir) // in the order of their names
	if err != nil {
		return nil, fmt.Errorf("judgements: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		is, _ := filepath.Match(pattern, e.Name()) // the pattern is one
		return !is
	})
	if len(entries) == 0 {
		return c, nil
	}
	all := &Collection{Collection: c, said: map[string]map[[2]int]bool{}}
	digest, places := sha256.New(), map[string]*place{}
	fmt.Fprintln(digest, c.Hash())
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		rows, err := read(file, digest)
		if err == nil {
			err = all.record(rows, places)
		}
		if err != nil {
			return nil, fmt.Errorf("judgements: %s: %w", file, err)
		}
	}
	all.hash = hex.EncodeToString(digest.Sum(nil)[:8])
	return all, nil
}

// read reads a table and digests its content.
func read(file string, digest io.Writer) ([]Row, error) {
	f, err := content.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fmt.Fprintln(digest, filepath.Base(file))
	return Parse(io.TeeReader(f, digest))
}

// place is where the images and the pairs of a split are.
type place struct {
	set    datasets.Set
	images map[string][]int // by their keys
	pairs  map[string][]int // by their texts, as text.Clean prepares them
}

func newPlace(set datasets.Set) *place {
	p := &place{set: set, images: map[string][]int{}, pairs: map[string][]int{}}
	for i := range set.Len() {
		p.images[set.Key(i)] = append(p.images[set.Key(i)], i)
	}
	for k, pair := range datasets.Pairs(set) {
		clean := text.Clean(pair.Text(set), 0)
		p.pairs[clean] = append(p.pairs[clean], k)
	}
	return p
}

// find is the one image of a key.
func (p *place) find(key string) (int, error) {
	switch of := p.images[key]; len(of) {
	case 0:
		return 0, fmt.Errorf("no image %q in %s", key, p.set.Name())
	case 1:
		return of[0], nil
	}
	return 0, fmt.Errorf("%d images of %s are called %q, so that it is not known which one is meant", len(p.images[key]), p.set.Name(), key)
}

// record enters what was said, of all captions with the same text.
func (c *Collection) record(rows []Row, places map[string]*place) error {
	for _, row := range rows {
		p := places[row.Split]
		if p == nil {
			set, err := c.Collection.Split(row.Split)
			if err != nil {
				return fmt.Errorf("line %d: %w", row.Line, err)
			}
			p = newPlace(set)
			places[row.Split], c.said[row.Split] = p, map[[2]int]bool{}
		}
		image, err := p.find(row.Image)
		if err != nil {
			return fmt.Errorf("line %d: %w", row.Line, err)
		}
		of, err := p.find(row.Of)
		if err != nil {
			return fmt.Errorf("line %d: %w", row.Line, err)
		}
		if image == of {
			return fmt.Errorf("line %d: a caption of the image %q itself; its own captions count as true", row.Line, row.Image)
		}
		if !slices.Contains(p.set.Captions(of), row.Caption) {
			return fmt.Errorf("line %d: image %q of %s has no caption %q", row.Line, row.Of, p.set.Name(), row.Caption)
		}
		for _, pair := range p.pairs[text.Clean(row.Caption, 0)] {
			key := [2]int{image, pair}
			if before, twice := c.said[row.Split][key]; twice && before != row.True {
				return fmt.Errorf("line %d: %q of %q was judged otherwise before; keep one of the two", row.Line, row.Caption, row.Image)
			}
			c.said[row.Split][key] = row.True
		}
	}
	return nil
}

// Hash implements datasets.Collection.
func (c *Collection) Hash() string { return c.hash }

// Split implements datasets.Collection.
func (c *Collection) Split(name string) (datasets.Set, error) {
	set, err := c.Collection.Split(name)
	if err != nil || len(c.said[name]) == 0 {
		return set, err
	}
	return datasets.WithJudgements(set, c.said[name]), nil
}

// Skipped tells what the collection leaves out.
func (c *Collection) Skipped() []error {
	if partial, ok := c.Collection.(interface{ Skipped() []error }); ok {
		return partial.Skipped()
	}
	return nil
}
