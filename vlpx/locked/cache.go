package locked

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/edsrzf/mmap-go"
	"github.com/gomlx/compute/dtypes/float16"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/disk"
)

// Cache is what an encoder made of a set's images, mapped into memory from its file: a row an image, of float16 numbers and a mark
// that tells whether the image could be decoded. It is a loader.Features.
type Cache struct {
	set  datasets.Set
	size int
	file *disk.File
	rows mmap.MMap
}

// Marks at the end of a row.
const (
	seen       = 1
	unreadable = 2
)

// rowBytes is the length of a row of so many numbers.
func rowBytes(size int) int { return 2 * (size + 1) }

// openCache maps a whole file, which has rows for at least the set's images.
func openCache(path string, set datasets.Set, size int) (*Cache, error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("locked: %w", err)
	}
	c := &Cache{set: set, size: size, file: file}
	info, err := file.Stat()
	if err == nil && info.Size() < int64(set.Len()*rowBytes(size)) {
		err = fmt.Errorf("it has %d bytes, fewer than %d images take; delete it to have it made again", info.Size(), set.Len())
	}
	if err == nil {
		c.rows, err = mmap.Map(file.File, mmap.RDONLY, 0)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("locked: %s: %w", path, err)
	}
	// The time of the last use decides which cache goes when there is no room; a read-only place keeps them all.
	_ = disk.Touch(path)
	return c, nil
}

// Size is how many numbers an image has: its tokens times their width.
func (c *Cache) Size() int { return c.size }

// Features writes the tokens of image i, [tokens, width]; see loader.Features.
func (c *Cache) Features(ctx context.Context, i int, out []float32) error {
	row := c.rows[i*rowBytes(c.size) : (i+1)*rowBytes(c.size)]
	for k := range out[:c.size] {
		out[k] = float16.Float16(binary.LittleEndian.Uint16(row[2*k:])).Float32()
	}
	switch mark := binary.LittleEndian.Uint16(row[2*c.size:]); mark {
	case seen:
		return nil
	case unreadable:
		if _, err := c.set.Image(ctx, i); err != nil {
			return err
		}
		return fmt.Errorf("locked: %s: image %d (%s) could not be decoded when %s was made and can be now; delete that file", c.set.Name(),
			i, c.set.Key(i), c.file.Name())
	default:
		return fmt.Errorf("locked: %s: the row of image %d ends in %d; the file is damaged, delete it to have it made again",
			c.file.Name(), i, mark)
	}
}

// Close unmaps the file.
func (c *Cache) Close() error {
	if err := c.rows.Unmap(); err != nil {
		c.file.Close()
		return fmt.Errorf("locked: %s: %w", c.file.Name(), err)
	}
	return c.file.Close()
}
