package loader

import (
	"context"
	"errors"
	"image"
	"runtime"
	"sync"
	"sync/atomic"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/transform"
)

// Pixels decodes, resizes and normalises images of a set for evaluation, in parallel and without anything random. An image
// that cannot be decoded stays zero, the mean colour, and is told in the second result, once, in the order of images.
//
//   - images: indices into the set, [N].
//   - pixels: [N, size, size, 3].
func Pixels(ctx context.Context, set datasets.Set, images []int, size int) (pixels []float32, skipped []Skip, err error) {
	pipeline := transform.Pipeline{Size: size}
	if err := pipeline.Validate(); err != nil {
		return nil, nil, err
	}
	for _, i := range images {
		if err := inside(set, i); err != nil {
			return nil, nil, err
		}
	}
	stride := 3 * size * size
	pixels = make([]float32, len(images)*stride)
	skipped, err = Decode(ctx, set, images, func(n int, img image.Image) {
		pipeline.Apply(nil, img, pixels[n*stride:(n+1)*stride])
	})
	if err != nil {
		return nil, nil, err
	}
	return pixels, skipped, nil
}

// Unreadable decodes all images of a set, or reads their features where these are not nil, in parallel, and tells those that fail, in
// order. It keeps none.
func Unreadable(ctx context.Context, set datasets.Set, features Features) ([]Skip, error) {
	images := make([]int, set.Len())
	for i := range images {
		images[i] = i
	}
	if features == nil {
		return Decode(ctx, set, images, func(int, image.Image) {})
	}
	return all(ctx, set, images, func(n int) error { return features.Features(ctx, n, make([]float32, features.Size())) })
}

// Decode gives the image of each index to use, with its position, in parallel. It tells each image that fails once.
func Decode(ctx context.Context, set datasets.Set, images []int, use func(n int, img image.Image)) (skipped []Skip, err error) {
	return all(ctx, set, images, func(n int) error {
		img, err := set.Image(ctx, images[n])
		if err == nil {
			use(n, img)
		}
		return err
	})
}

// all reads something of the image at each position, in parallel. It tells each image that fails once. Data that changed are an error.
func all(ctx context.Context, set datasets.Set, images []int, read func(n int) error) (skipped []Skip, err error) {
	failed := make([]error, len(images))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(images)) {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(images) && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				failed[n] = read(n)
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	told := map[int]bool{}
	for n, err := range failed {
		if errors.Is(err, datasets.ErrChanged) {
			return nil, err
		}
		if i := images[n]; err != nil && !told[i] {
			told[i] = true
			skipped = append(skipped, Skip{i, set.Key(i), err})
		}
	}
	return skipped, nil
}
