package content

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"vlpx.internal/datasets/plainjson"
)

// Open opens a file for reading, unpacked when its name ends in .gz.
func Open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return f, err
	}
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, CutOff("the gzip header", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{unpacked, f}, nil
}

// CutOff says where reading stopped; a file that ends too early is the usual reason.
func CutOff(where string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("cut off at %s; get the file again: %w", where, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: %w", where, plainjson.InWords(err))
}
