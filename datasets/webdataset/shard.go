package webdataset

import (
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// tarFile is a shard.
type tarFile struct {
	content.File // of loose shards the name is the file's alone
	indexed      fs.FileInfo
}

func (s *tarFile) open() (*os.File, error) { return content.Regular(s.Path()) }

// index reads what the shard holds, and keeps how the file was before.
func (s *tarFile) index() (indexed, error) {
	f, err := s.open()
	if err != nil {
		return indexed{}, err
	}
	defer f.Close()
	if s.indexed, err = f.Stat(); err != nil {
		return indexed{}, err
	}
	return index(f)
}

// decode decodes the picture of a sample where it lies in the shard, which must be as it was indexed.
func (s *tarFile) decode(one sample) (image.Image, error) {
	f, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("%w; put the shard back", err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if now.Size() != s.indexed.Size() || !now.ModTime().Equal(s.indexed.ModTime()) {
		return nil, fmt.Errorf("the shard %w; leave shards alone while they are read, and start again", datasets.ErrChanged)
	}
	return content.Decode(io.NewSectionReader(f, one.offset, one.size))
}
