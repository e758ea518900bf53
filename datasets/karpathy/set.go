package karpathy

import (
	"bufio"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // photos
	_ "image/png"  // drawings
	"os"
	"path/filepath"
	"sort"

	"vlpx.internal/datasets"
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
	f, err := os.Open(filepath.Join(s.folder, filepath.FromSlash(s.photos[i].file)))
	if err != nil {
		return nil, s.imageError(i, err, "put the file back")
	}
	defer f.Close()
	img, _, err := image.Decode(bufio.NewReader(f))
	if err != nil {
		return nil, s.imageError(i, err, "the file is damaged, get it again")
	}
	if img.Bounds().Empty() {
		return nil, s.imageError(i, fmt.Errorf("the image is %v", img.Bounds()), "the file is damaged, get it again")
	}
	return img, nil
}

// imageError says which image failed and what to do.
func (s *Set) imageError(i int, err error, do string) error {
	return fmt.Errorf("karpathy: %s: image %d (%q): %w; %s", s.name, i, s.photos[i].file, err, do)
}

// imageOf returns the image whose caption pair p is.
func (s *Set) imageOf(p int) int { return sort.SearchInts(s.first, p+1) - 1 }
