package hubparquet

import (
	"context"
	"fmt"
	"image"
	"sort"

	"github.com/parquet-go/parquet-go"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Set is one split of a collection. It implements datasets.Sharded.
type Set struct {
	name     string
	captions [][]string
	groups   []group // those with a row
	first    []int   // image of each group
}

// group is a row group of a file.
type group struct {
	rows  parquet.RowGroup
	of    *file
	name  string // of the file, slash-separated below the folder
	start int    // its first row in the file
}

var _ datasets.Sharded = (*Set)(nil)

// add appends the rows of a file.
func (s *Set) add(of content.File) error {
	f, err := openFile(of.Path())
	if err != nil {
		return err
	}
	start := 0
	for _, rows := range f.data.RowGroups() {
		captions, err := f.captions(rows)
		if err != nil {
			return fmt.Errorf("row %d or after: %w", start, err)
		}
		if len(captions) > 0 {
			s.groups, s.first = append(s.groups, group{rows, f, of.Name, start}), append(s.first, len(s.captions))
		}
		s.captions = append(s.captions, captions...)
		start += len(captions)
	}
	return nil
}

// check is an error where there is nothing, or captions for some images alone.
func (s *Set) check() error {
	if len(s.captions) == 0 {
		return fmt.Errorf("%s has no rows", s.name)
	}
	mute, captioned := -1, false
	for i, captions := range s.captions {
		captioned = captioned || len(captions) > 0
		if len(captions) == 0 && mute < 0 {
			mute = i
		}
	}
	if captioned && mute >= 0 {
		return fmt.Errorf("%s has no caption, and others have; give it one or drop the row", s.Key(mute))
	}
	return nil
}

// place is where image i lies.
func (s *Set) place(i int) (g *group, row int) {
	k := sort.SearchInts(s.first, i+1) - 1
	return &s.groups[k], i - s.first[k]
}

// Name is the collection's name and the split's.
func (s *Set) Name() string { return s.name }

// Len is the number of rows.
func (s *Set) Len() int { return len(s.captions) }

// Captions are those of image i; none where no image of the split has one.
func (s *Set) Captions(i int) []string { return s.captions[i] }

// Key is the file of image i and its row, from 0, such as "train-00000-of-00002.parquet/31".
func (s *Set) Key(i int) string {
	g, row := s.place(i)
	return fmt.Sprintf("%s/%d", g.name, g.start+row)
}

// Shards lists the first image of each row group.
func (s *Set) Shards() []int { return s.first }

// Image decodes image i where it lies in its file.
func (s *Set) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g, row := s.place(i)
	img, err := g.of.decode(g.rows, int64(row))
	if err != nil {
		return nil, fmt.Errorf("hubparquet: %s: image %d (%q): %w", s.name, i, s.Key(i), err)
	}
	return img, nil
}
