package cifar

import (
	"context"
	"fmt"
	"image"

	"vlpx.internal/datasets"
)

// Set is one split of a collection. It implements datasets.Labelled.
type Set struct {
	name, split string
	format      format
	data        []byte // records
	classes     []string
}

var _ datasets.Labelled = (*Set)(nil)

// record is that of image i.
func (s *Set) record(i int) []byte { return s.data[i*s.format.size() : (i+1)*s.format.size()] }

// Name is the collection's name and the split's, such as "CIFAR-100/val".
func (s *Set) Name() string { return s.name }

// Len is the number of images.
func (s *Set) Len() int { return len(s.data) / s.format.size() }

// Captions is none.
func (s *Set) Captions(int) []string { return nil }

// Key is the split and the number of the record in it, such as "val-000042".
func (s *Set) Key(i int) string { return fmt.Sprintf("%s-%06d", s.split, i) }

// Class is that of image i; of CIFAR-100 the fine one, or the coarse one where that was asked for.
func (s *Set) Class(i int) int { return s.format.class(s.record(i)) }

// Classes lists the names of the classes, such as "aquarium fish".
func (s *Set) Classes() []string { return s.classes }

// Image is an *image.NRGBA of 32 pixels a side, opaque.
func (s *Set) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if i < 0 || i >= s.Len() {
		return nil, fmt.Errorf("cifar: %s: no image %d; indices run from 0 to %d", s.name, i, s.Len()-1)
	}
	return s.format.picture(s.record(i)), nil
}
