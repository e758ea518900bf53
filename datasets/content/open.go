package content

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"vlpx.internal/datasets/plainjson"
)

// Open opens a file for reading, unpacked when its name ends in .gz. It has 8 GiB at most.
func Open(name string) (io.ReadCloser, error) {
	f, err := AtMost(name, LongestFile)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".gz") {
		return f, nil
	}
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, CutOff("the gzip header", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{&bounded{unpacked, LongestFile}, f}, nil
}

// LongestFile bounds a file of captions, records or scene graphs, in bytes, also unpacked.
const LongestFile = 8 << 30

// bounded reads so many bytes at most; more are an error.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("it unpacks to more than %d GiB; unpack it with gunzip if that is right", LongestFile>>30)
	}
	return n, err
}

// Regular opens a regular file for reading. A pipe, a socket or a device is refused, which might never end.
func Regular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file (%v)", name, info.Mode().Type())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// AtMost opens a regular file of so many bytes at most. A longer one is refused unread; see [TooLong].
func AtMost(name string, most int64) (*os.File, error) {
	f, err := Regular(name)
	if err != nil {
		return nil, err
	}
	if _, err := sizeOf(f, most); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// LongestText bounds a text that is read whole, such as a vocabulary, a list of names or a result, in bytes.
const LongestText = 64 << 20

// ReadFile reads a regular file of 64 MiB at most: a text that people or other programs wrote.
func ReadFile(name string) ([]byte, error) {
	f, err := Regular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, LongestText)
}

// TooLong is that a file has more bytes than are read of such a one.
type TooLong struct {
	Name        string
	Bytes, Most int64
}

func (t *TooLong) Error() string {
	return fmt.Sprintf("%s has %d bytes; such a file has at most %d", t.Name, t.Bytes, t.Most)
}

// sizeOf is an open file's size, in bytes; more than so many are [TooLong].
func sizeOf(f *os.File, most int64) (int64, error) {
	info, err := f.Stat()
	if err == nil && info.Size() > most {
		err = &TooLong{f.Name(), info.Size(), most}
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadAll reads an open file of so many bytes at most. A longer one is refused unread; see [TooLong].
func ReadAll(f *os.File, most int64) ([]byte, error) {
	size, err := sizeOf(f, most)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead) // as growing by and by takes a multiple of the memory
	_, err = text.ReadFrom(io.LimitReader(f, most))
	return text.Bytes(), err
}

// CutOff says where reading stopped; a file that ends too early is the usual reason.
func CutOff(where string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("cut off at %s; get the file again: %w", where, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: %w", where, plainjson.InWords(err))
}
