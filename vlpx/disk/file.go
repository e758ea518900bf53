package disk

import (
	"io"
	"io/fs"
	"os"
	"time"

	"vlpx.internal/datasets/content"
)

// File is an open file.
type File struct {
	*os.File // what package disk does not have, such as seeking
}

// OpenFile is os.OpenFile.
func OpenFile(path string, flag int, mode fs.FileMode) (f *File, err error) {
	kind := OpenRead
	if flag&os.O_CREATE != 0 {
		kind = Create
	}
	return opened(kind, path, func() (*os.File, error) { return os.OpenFile(path, flag, mode) })
}

// Open opens a regular file for reading; see [content.Regular].
func Open(path string) (*File, error) {
	return opened(OpenRead, path, func() (*os.File, error) { return content.Regular(path) })
}

func opened(kind Kind, path string, open func() (*os.File, error)) (f *File, err error) {
	err = do(Op{Kind: kind, Path: path}, func() error {
		file, err := open()
		if err == nil {
			f = &File{file}
		}
		return err
	})
	return f, err
}

// Read is that of io.Reader.
func (f *File) Read(p []byte) (n int, err error) {
	err = do(Op{Kind: Read, Path: f.Name(), File: f}, func() error { n, err = f.File.Read(p); return err })
	return n, err
}

// Write is that of io.Writer.
func (f *File) Write(p []byte) (int, error) { return f.write(p, f.File.Write) }

// WriteAt is that of io.WriterAt.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	return f.write(p, func(p []byte) (int, error) { return f.File.WriteAt(p, at) })
}

func (f *File) write(p []byte, write func([]byte) (int, error)) (int, error) {
	w := watching.Load()
	if w == nil {
		return write(p)
	}
	op := Op{Kind: Write, Path: f.Name(), File: f, Bytes: len(p)}
	if some, failed := (*w).Before(op); failed != nil {
		n, _ := write(p[:min(some, len(p))])
		return n, failed
	}
	n, err := write(p)
	(*w).After(op)
	return n, err
}

// Sync waits until the content is there after a loss of power.
func (f *File) Sync() error { return do(Op{Kind: Sync, Path: f.Name(), File: f}, f.File.Sync) }

// Truncate cuts the file to so many bytes.
func (f *File) Truncate(size int64) error {
	return do(Op{Kind: Truncate, Path: f.Name(), File: f}, func() error { return f.File.Truncate(size) })
}

// ReadFrom keeps io.Copy to Write.
func (f *File) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{f}, r) }

// WriteTo keeps io.Copy to Read.
func (f *File) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{f}) }

// longestList bounds a list that is read whole and grows with the data or with the steps of training, in bytes.
const longestList = 256 << 20

// ReadFile reads a regular file whole, of 64 MiB at most: settings, results and plans take some MiB.
func ReadFile(path string) ([]byte, error) { return readFile(path, content.LongestText) }

// ReadList reads a regular file whole, of 256 MiB at most: curves, or mined pairs.
func ReadList(path string) ([]byte, error) { return readFile(path, longestList) }

func readFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return content.ReadAll(f.File, most)
}

// ReadDir is os.ReadDir.
func ReadDir(path string) (entries []fs.DirEntry, err error) {
	err = do(Op{Kind: Lists, Path: path}, func() error { entries, err = os.ReadDir(path); return err })
	return entries, err
}

// Stat is os.Stat.
func Stat(path string) (info fs.FileInfo, err error) {
	err = do(Op{Kind: Stats, Path: path}, func() error { info, err = os.Stat(path); return err })
	return info, err
}

// Touch sets the time of a file's last change to now.
func Touch(path string) error {
	now := time.Now()
	return do(Op{Kind: Touches, Path: path}, func() error { return os.Chtimes(path, now, now) })
}
