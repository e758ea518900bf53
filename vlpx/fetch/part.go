package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"vlpx.internal/vlpx/disk"
)

// part is the file that a download writes. Beside it lies, in a file .part.version, how many of its bytes are surely on the disk, and what
// the server calls the version that they are of: what was written later may be lost or zeros after a loss of power.
type part struct {
	*disk.File
	download *download
	bytes    int64 // that were written
	pending  int   // of these, that were not synced
	version  string
}

func (d *download) version() string { return d.part + ".version" }

// kept is how much of a part is surely there, and the version that it is of.
func (d *download) kept(file *disk.File) (bytes int64, version string, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, "", err
	}
	text, err := disk.ReadFile(d.version())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, "", err
	}
	count, version, _ := strings.Cut(string(text), "\n")
	bytes, err = strconv.ParseInt(count, 10, 64)
	if err != nil || bytes < 0 || bytes > info.Size() { // of an older program, or nothing
		return 0, "", nil
	}
	return bytes, version, nil
}

// forget removes what is known of the part.
func (d *download) forget() error {
	if err := disk.Remove(d.version()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// begin cuts the part to the bytes that are gone on from. What is known of it is written down before: none of what the cut takes.
func (p *part) begin() error {
	if err := p.know(); err != nil {
		return err
	}
	if err := p.Truncate(p.bytes); err != nil {
		return err
	}
	_, err := p.Seek(p.bytes, io.SeekStart)
	return err
}

// know writes down that all bytes are on the disk.
func (p *part) know() error {
	return disk.WriteFile(p.download.version(), fmt.Appendf(nil, "%d\n%s", p.bytes, p.version), 0o644)
}

// receive writes what comes behind what is there. Where it ends too early, what came is kept.
func (p *part) receive(from io.Reader) error {
	to := bufio.NewWriterSize(struct{ io.Writer }{p}, min(p.download.synced, 1<<16))
	_, err := io.Copy(to, from)
	if flushed := to.Flush(); err == nil {
		err = flushed
	}
	return errors.Join(err, p.sync())
}

// Write is that of io.Writer.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.File.Write(b)
	p.bytes, p.pending = p.bytes+int64(n), p.pending+n
	if err == nil && p.pending >= p.download.synced {
		err = p.sync()
	}
	return n, err
}

// sync has what was written on the disk, and then writes that down.
func (p *part) sync() error {
	p.pending = 0
	if err := p.Sync(); err != nil {
		return err
	}
	return p.know()
}
