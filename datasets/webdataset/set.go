package webdataset

import (
	"context"
	"fmt"
	"image"
	"path"
	"sort"

	"vlpx.internal/datasets"
)

// Set is one split of a collection. It implements datasets.Sharded.
type Set struct {
	name     string
	samples  []sample
	captions [][]string
	shards   []tarFile // those with a sample
	first    []int     // sample of each shard
}

// labelledSet is a Set whose samples all have a class.
type labelledSet struct {
	*Set
	classes []string
}

var (
	_ datasets.Sharded  = (*Set)(nil)
	_ datasets.Labelled = labelledSet{}
)

// add appends a shard's samples.
func (s *Set) add(shard tarFile, samples []sample) {
	if len(samples) == 0 {
		return
	}
	s.shards, s.first = append(s.shards, shard), append(s.first, len(s.samples))
	for _, one := range samples {
		var captions []string
		if caption := one.caption(); caption != "" {
			captions = []string{caption}
		}
		s.captions = append(s.captions, captions)
		one.text, one.json = "", ""
		s.samples = append(s.samples, one)
	}
}

// shardOf is the shard that image i lies in.
func (s *Set) shardOf(i int) *tarFile { return &s.shards[sort.SearchInts(s.first, i+1)-1] }

// Name is the collection's name and the split's.
func (s *Set) Name() string { return s.name }

// Len is the number of samples.
func (s *Set) Len() int { return len(s.samples) }

// Captions is the one of image i; none where no sample of the split has one.
func (s *Set) Captions(i int) []string { return s.captions[i] }

// Key is the shard of image i and its key there, such as "train/00003.tar/000031415".
func (s *Set) Key(i int) string { return path.Join(s.shardOf(i).Name, s.samples[i].key) }

// Shards lists the first image of each shard.
func (s *Set) Shards() []int { return s.first }

// Image decodes image i where it lies in its shard.
func (s *Set) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img, err := s.shardOf(i).decode(s.samples[i])
	if err != nil {
		return nil, fmt.Errorf("webdataset: %s: image %d (%q): %w", s.name, i, s.Key(i), err)
	}
	return img, nil
}

// Class implements datasets.Labelled.
func (s labelledSet) Class(i int) int { return s.samples[i].class }

// Classes implements datasets.Labelled.
func (s labelledSet) Classes() []string { return s.classes }
