package karpathy

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"sort"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Set is one split of a collection. It implements datasets.Set.
type Set struct {
	name, folder string
	photos       []photo
	first        []int         // index of each image's first pair
	pairs        int           // number of pairs
	judged       map[pair]bool // what people said of captions of other images; nil when nobody was asked
	answers      []answers     // of benchmarks
}

// photo is one image with its captions.
type photo struct {
	entry     int    // its place in the dataset file
	file      string // below the folder of images, slash-separated
	captions  []string
	positions []int // of the captions among the file's sentences
}

// pair is an image with a pair's caption, both as indices into the set.
type pair struct{ image, caption int }

var _ datasets.Set = (*Set)(nil)

// add appends an image.
func (s *Set) add(p photo) {
	s.photos, s.first = append(s.photos, p), append(s.first, s.pairs)
	s.pairs += len(p.captions)
}

// Name is the collection's name and the split's, such as "flickr8k/test".
func (s *Set) Name() string { return s.name }

// Len is the number of images.
func (s *Set) Len() int { return len(s.photos) }

// Captions lists the captions of image i as they stand in the file.
func (s *Set) Captions(i int) []string { return s.photos[i].captions }

// Key is the file name of image i.
func (s *Set) Key(i int) string { return s.photos[i].file }

// Image decodes image i, a JPEG or PNG file.
func (s *Set) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	photo := s.photos[i].file
	img, err := content.Picture(filepath.Join(s.folder, filepath.FromSlash(photo)))
	if err != nil {
		return nil, fmt.Errorf("karpathy: %s: image %d (%q): %w", s.name, i, photo, err)
	}
	return img, nil
}

// imageOf returns the image whose caption pair p is.
func (s *Set) imageOf(p int) int { return sort.SearchInts(s.first, p+1) - 1 }
