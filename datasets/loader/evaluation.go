package loader

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/transform"
)

// Pixels decodes, resizes and normalises images of a set for evaluation, in parallel and without anything random. An image
// that cannot be decoded stays zero, the mean colour, and is told in the second result, in the order of images.
//
//   - images: indices into the set, [N].
//   - pixels: [N, size, size, 3].
func Pixels(ctx context.Context, set datasets.Set, images []int, size int) (pixels []float32, skipped []Skip, err error) {
	pipeline := transform.Pipeline{Size: size}
	if err := pipeline.Validate(); err != nil {
		return nil, nil, err
	}
	for _, i := range images {
		if i < 0 || i >= set.Len() {
			return nil, nil, fmt.Errorf("loader: %s has no image %d; there are %d", set.Name(), i, set.Len())
		}
	}
	stride := 3 * size * size
	pixels = make([]float32, len(images)*stride)
	failed := make([]error, len(images))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(images)) {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(images) && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				img, err := set.Image(ctx, images[n])
				if err != nil {
					failed[n] = err
					continue
				}
				pipeline.Apply(nil, img, pixels[n*stride:(n+1)*stride])
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for n, err := range failed {
		if err != nil {
			skipped = append(skipped, Skip{images[n], set.Key(images[n]), err})
		}
	}
	return pixels, skipped, nil
}
