package hubparquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Names of columns, of which the first one that a file has counts.
var (
	imageNames   = []string{"image", "jpg", "png", "webp"}
	captionNames = []string{"caption", "captions", "text", "txt", "sentences", "sentence"}
)

// file is a parquet file that stays open.
type file struct {
	handle  *os.File
	opened  fs.FileInfo
	data    *parquet.File
	image   int // the column of the images' bytes
	caption int // that of the captions; -1 for none
}

func openFile(name string) (f *file, err error) {
	handle, err := content.Regular(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			handle.Close()
		}
	}()
	f = &file{handle: handle, caption: -1}
	if f.opened, err = handle.Stat(); err != nil {
		return nil, err
	}
	if err := footed(handle, f.opened.Size()); err != nil {
		return nil, err
	}
	err = guarded(func() error {
		f.data, err = parquet.OpenFile(handle, f.opened.Size(), parquet.SkipBloomFilters(true))
		return err
	})
	if err != nil {
		return nil, err
	}
	columns := f.data.Schema().Columns()
	f.image = find(columns, imageNames, func(rest []string) bool { return len(rest) == 0 || slices.Equal(rest, []string{"bytes"}) })
	if f.image < 0 || !f.isBytes(f.image) {
		return nil, fmt.Errorf("no column of images, called %s, with their bytes; its columns are %s", strings.Join(imageNames, ", "),
			named(columns))
	}
	f.caption = find(columns, captionNames, func(rest []string) bool {
		return len(rest) == 0 || rest[len(rest)-1] == "element" || rest[len(rest)-1] == "item" || rest[len(rest)-1] == "raw"
	})
	if f.caption >= 0 && !f.isBytes(f.caption) {
		return nil, fmt.Errorf("the column %s is no text", strings.Join(columns[f.caption], "."))
	}
	return f, nil
}

// footed is an error where a file does not end as parquet does, with a footer that is within it. The library takes memory for one of any
// length.
func footed(r io.ReaderAt, size int64) error {
	var end [8]byte // the footer's length, and the mark
	if size >= int64(len(end)) {
		if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
			return err
		}
	}
	if string(end[4:]) != "PAR1" || int64(binary.LittleEndian.Uint32(end[:4])) > min(size, mostFooter) {
		return errors.New("it does not end as a parquet file does; get it again")
	}
	return nil
}

// mostFooter bounds the description of a file's columns and row groups, in bytes.
const mostFooter = 64 << 20

// find is the first leaf of a column by its name, whose path below the name is as below says; -1 for none.
func find(columns [][]string, names []string, below func(rest []string) bool) int {
	for _, name := range names {
		for k, path := range columns {
			if path[0] == name && below(path[1:]) {
				return k
			}
		}
	}
	return -1
}

func named(columns [][]string) string {
	var all []string
	for _, path := range columns {
		all = append(all, strings.Join(path, "."))
	}
	return strings.Join(all, ", ")
}

// isBytes tells a column of bytes or of texts.
func (f *file) isBytes(column int) bool {
	leaf, ok := f.data.Schema().Lookup(f.data.Schema().Columns()[column]...)
	return ok && leaf.Node.Type().Kind() == parquet.ByteArray
}

// captions are those of the rows of a row group.
func (f *file) captions(group parquet.RowGroup) (all [][]string, err error) {
	rows := int(group.NumRows())
	if rows < 0 || int64(rows) > f.opened.Size() {
		return nil, fmt.Errorf("a row group of %d rows in %d bytes; get the file again", rows, f.opened.Size())
	}
	if f.caption < 0 {
		return make([][]string, rows), nil
	}
	err = guarded(func() error {
		pages := group.ColumnChunks()[f.caption].Pages()
		defer pages.Close()
		buffer := make([]parquet.Value, 256)
		for {
			page, err := pages.ReadPage()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			values := page.Values()
			for err == nil {
				var n int
				if n, err = values.ReadValues(buffer); n == 0 && err == nil {
					err = io.ErrNoProgress
				}
				for _, v := range buffer[:n] {
					if v.RepetitionLevel() == 0 {
						all = append(all, nil)
					}
					if len(all) > rows {
						return fmt.Errorf("captions of more than %d rows in a row group; get the file again", rows)
					}
					if text := strings.TrimSpace(strings.ToValidUTF8(string(v.ByteArray()), "\uFFFD")); text != "" && len(all) > 0 {
						all[len(all)-1] = append(all[len(all)-1], text)
					}
				}
			}
			parquet.Release(page)
			if !errors.Is(err, io.EOF) {
				return err
			}
		}
	})
	if err == nil && len(all) != rows {
		err = fmt.Errorf("captions of %d rows in a row group of %d; get the file again", len(all), rows)
	}
	return all, err
}

// decode decodes the image of a row of a row group.
func (f *file) decode(group parquet.RowGroup, row int64) (img image.Image, err error) {
	now, err := f.handle.Stat()
	if err != nil {
		return nil, err
	}
	if now.Size() != f.opened.Size() || !now.ModTime().Equal(f.opened.ModTime()) {
		return nil, fmt.Errorf("the file %w; leave files alone while they are read, and start again", datasets.ErrChanged)
	}
	err = guarded(func() error {
		pages := group.ColumnChunks()[f.image].Pages()
		defer pages.Close()
		if err := pages.SeekToRow(row); err != nil {
			return err
		}
		page, err := pages.ReadPage()
		if err != nil {
			return err
		}
		defer parquet.Release(page)
		var one [1]parquet.Value
		if n, err := page.Values().ReadValues(one[:]); n == 0 {
			return fmt.Errorf("the row is not there: %w", err)
		}
		if one[0].IsNull() || len(one[0].ByteArray()) == 0 {
			return errors.New("the row has no bytes of an image, such as where the hub has its path alone; get a file with them")
		}
		img, err = content.Decode(bytes.NewReader(one[0].ByteArray()))
		return err
	})
	return img, err
}

// guarded does what may panic on a damaged file.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the file is damaged, get it again: %v", p)
		}
	}()
	return do()
}
