package loader

import (
	"context"
	"image"
	"sync"

	"vlpx.internal/datasets"
)

// cache keeps decoded images up to a number of bytes, and every failure, so that a broken file is read once. The first images
// that fit stay: training visits all of them once an epoch, and then the least recently used one is the next to be needed.
type cache struct {
	set datasets.Set

	mu     sync.Mutex
	left   int64
	images map[int]image.Image
	broken map[int]error
}

// newCache is an empty cache of a set's images.
func newCache(set datasets.Set, bytes int64) *cache {
	return &cache{set: set, left: bytes, images: map[int]image.Image{}, broken: map[int]error{}}
}

// image returns image i, decoded now or before. It must not be changed.
func (c *cache) image(ctx context.Context, i int) (image.Image, error) {
	c.mu.Lock()
	img, err := c.images[i], c.broken[i]
	c.mu.Unlock()
	if img != nil || err != nil {
		return img, err
	}
	img, err = c.set.Image(ctx, i)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			c.broken[i] = err
		}
		return nil, err
	}
	if bytes := size(img); c.images[i] == nil && bytes <= c.left {
		c.images[i], c.left = img, c.left-bytes
	}
	return img, nil
}

// size is about the memory that an image takes, in bytes.
func size(img image.Image) int64 {
	switch img := img.(type) {
	case *image.YCbCr:
		return int64(len(img.Y) + len(img.Cb) + len(img.Cr))
	case *image.RGBA:
		return int64(len(img.Pix))
	case *image.NRGBA:
		return int64(len(img.Pix))
	case *image.Gray:
		return int64(len(img.Pix))
	case *image.Paletted:
		return int64(len(img.Pix))
	}
	return 8 * int64(img.Bounds().Dx()) * int64(img.Bounds().Dy()) // 16 bits a channel at most
}
