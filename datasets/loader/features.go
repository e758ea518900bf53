package loader

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
)

// Features are what a model reads of the images of a set in the place of pixels, a locked encoder's tokens or regions: without a gradient,
// and of images without augmentation, they never change. Their methods may be called concurrently.
type Features interface {
	// Size is how many numbers an image has.
	Size() int
	// Features writes those of image i, [Size]. Of an image that cannot be read they are those of the mean colour, or of no regions, and
	// the error says why.
	Features(ctx context.Context, i int, out []float32) error
}

// Images are what a model reads of images of a set in evaluation, [N, Features.Size]: their features, or, where these are nil, their
// pixels; see [Pixels], as which it is otherwise.
func Images(ctx context.Context, set datasets.Set, images []int, size int, features Features) (numbers []float32, skipped []Skip,
	err error) {
	if features == nil {
		return Pixels(ctx, set, images, size)
	}
	stride := features.Size()
	for _, i := range images {
		if err := inside(set, i); err != nil {
			return nil, nil, err
		}
	}
	numbers = make([]float32, len(images)*stride)
	skipped, err = all(ctx, set, images, func(n int) error {
		return features.Features(ctx, images[n], numbers[n*stride:(n+1)*stride])
	})
	if err != nil {
		return nil, nil, err
	}
	return numbers, skipped, nil
}

// inside tells if a set has no image i.
func inside(set datasets.Set, i int) error {
	if i < 0 || i >= set.Len() {
		return fmt.Errorf("loader: %s has no image %d; there are %d", set.Name(), i, set.Len())
	}
	return nil
}
