package imagefolder

import (
	"context"
	"fmt"
	"image"
	"path/filepath"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Set is one split of a collection: the first image of every class, then the second of every class that has one, and so on, so that the
// first images of a split are of all classes alike. It implements datasets.Labelled.
type Set struct {
	name, folder string
	files        []string // below the folder, slash-separated
	class        []int
	classes      []string
}

var _ datasets.Labelled = (*Set)(nil)

// newSet is of the images of each class.
func newSet(name, folder string, classes []string, images [][]string) *Set {
	s := &Set{name: name, folder: folder, classes: classes}
	for turn, more := 0, true; more; turn++ {
		more = false
		for class, files := range images {
			if turn < len(files) {
				s.files, s.class, more = append(s.files, files[turn]), append(s.class, class), true
			}
		}
	}
	return s
}

// Name is the collection's name and the split's.
func (s *Set) Name() string { return s.name }

// Len is the number of images.
func (s *Set) Len() int { return len(s.files) }

// Captions is none.
func (s *Set) Captions(int) []string { return nil }

// Key is the file of image i below the collection's folder.
func (s *Set) Key(i int) string { return s.files[i] }

// Class is that of image i.
func (s *Set) Class(i int) int { return s.class[i] }

// Classes lists the names of the classes, in the order of their folders' names.
func (s *Set) Classes() []string { return s.classes }

// Image decodes image i.
func (s *Set) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img, err := content.Picture(filepath.Join(s.folder, filepath.FromSlash(s.files[i])))
	if err != nil {
		return nil, fmt.Errorf("imagefolder: %s: image %d (%q): %w", s.name, i, s.files[i], err)
	}
	return img, nil
}
