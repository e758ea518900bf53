package webdataset

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"vlpx.internal/datasets/content"
)

// Limits of what is read into memory of a sample.
const (
	maxText  = 1 << 20 // bytes of a caption or a JSON
	maxClass = 1 << 20 // classes
)

// noClass is the class of a sample that has none.
const noClass = -1

// sample is an image with what is known of it.
type sample struct {
	key          string // path in the shard without its ending
	offset, size int64  // of the picture in the shard, in bytes; the size is 0 before the picture turned up
	text, json   string // captions of the two kinds, "" for none
	class        int    // or noClass
	broken       string // why it is left out, "" if it is not
}

// caption is "" where there is none.
func (s *sample) caption() string {
	if s.text != "" {
		return s.text
	}
	return s.json
}

// indexed is what a shard holds.
type indexed struct {
	samples []sample // those with a picture
	skipped []omitted
	cut     error // why there may be more than these samples; nil where the shard is whole
}

// omitted is an entry or a sample that is left out.
type omitted struct{ reason, what string }

// index reads the headers of a shard and the texts in it. A shard that ends too early, or is damaged, is read as far as that.
func index(shard io.ReadSeeker) (found indexed, err error) {
	end, err := shard.Seek(0, io.SeekEnd)
	if err != nil {
		return found, err
	}
	if _, err := shard.Seek(0, io.SeekStart); err != nil {
		return found, err
	}
	if err := plain(shard); err != nil {
		return found, err
	}
	b := builder{at: map[string]int{}}
	archive, next := tar.NewReader(shard), int64(0) // where the next header may begin
	for {
		header, err := archive.Next()
		switch {
		case err == io.EOF:
			if !marked(shard) {
				found.cut = fmt.Errorf("it ends at byte %d without the mark of an end", end)
			}
			found.samples, found.skipped = b.finish()
			return found, nil
		case err != nil && header == nil:
			if errors.Is(err, io.ErrUnexpectedEOF) {
				found.cut = fmt.Errorf("it is cut off at byte %d", end)
			} else {
				found.cut = fmt.Errorf("it is damaged at byte %d or after: %w", next, err)
			}
			found.samples, found.skipped = b.finish()
			return found, nil
		case header.Typeflag == tar.TypeXGlobalHeader:
			continue
		case !filepath.IsLocal(header.Name):
			return indexed{}, fmt.Errorf("the entry %q lies outside of the shard's folder; such a shard is not to be trusted, make it anew",
				header.Name)
		}
		offset, err := shard.Seek(0, io.SeekCurrent)
		if err != nil {
			return found, err
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		if header.Typeflag != tar.TypeReg || sparse(header) {
			b.skip("neither a file nor a folder", header.Name)
			continue
		}
		if offset > end-header.Size {
			continue // the next header tells that the shard is cut off
		}
		next = offset + (header.Size+511)/512*512
		if err := b.add(header.Name, offset, header.Size, archive); err != nil {
			return found, err
		}
	}
}

// plain tells what is wrong with a shard that is compressed.
func plain(shard io.ReadSeeker) error {
	magic := make([]byte, 2)
	if _, err := io.ReadFull(shard, magic); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return errors.New("the shard is gzipped, and images cannot be read where they lie in it; unpack it with gunzip into a plain .tar")
	}
	_, err := shard.Seek(0, io.SeekStart)
	return err
}

// marked tells whether a shard was read to its end mark, two blocks of zeros.
func marked(shard io.ReadSeeker) bool {
	mark := make([]byte, 2*512)
	if _, err := shard.Seek(-int64(len(mark)), io.SeekCurrent); err != nil {
		return false
	}
	_, err := io.ReadFull(shard, mark)
	return err == nil && bytes.Count(mark, []byte{0}) == len(mark)
}

// sparse tells of a file that does not lie in the archive as it is.
func sparse(header *tar.Header) bool {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// builder gathers the entries of a shard into samples.
type builder struct {
	samples []sample
	at      map[string]int // of each key
	skipped []omitted
}

func (b *builder) skip(reason, what string) { b.skipped = append(b.skipped, omitted{reason, what}) }

// split divides the name of an entry at the first dot of its last part, as WebDataset does; the ending is in lower case.
func split(name string) (key, ending string) {
	slash := strings.LastIndexByte(name, '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot <= 0 {
		return name, ""
	}
	return name[:slash+1+dot], strings.ToLower(name[slash+1+dot+1:])
}

// add takes an entry in; its kind is told by the ending, and other kinds are left alone. The error is that of reading the shard.
func (b *builder) add(name string, offset, size int64, r io.Reader) error {
	key, ending := split(name)
	picture := content.IsPicture("." + ending)
	if !picture && ending != "txt" && ending != "json" && ending != "cls" {
		return nil
	}
	place, known := b.at[key]
	if !known {
		place = len(b.samples)
		b.samples, b.at[key] = append(b.samples, sample{key: key, class: noClass}), place
	}
	s := &b.samples[place]
	if picture {
		switch {
		case s.size > 0:
			b.skip("the sample has a picture before this one; drop one of them", name)
		case size == 0:
			s.broken = "the picture is empty; get it again"
		default:
			s.offset, s.size = offset, size
		}
		return nil
	}
	if size > maxText {
		s.broken = fmt.Sprintf("a text of more than %d bytes; shorten it", maxText)
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	switch said := strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD"); ending {
	case "txt":
		s.text = said
	case "json":
		var more struct {
			Caption string `json:"caption"`
		}
		if json.Unmarshal(text, &more) == nil {
			s.json = strings.TrimSpace(more.Caption)
		}
	case "cls":
		class, err := strconv.Atoi(said)
		if err != nil || class < 0 || class >= maxClass {
			s.broken = fmt.Sprintf("no class from 0 to %d in its .cls; write one", maxClass-1)
			return nil
		}
		s.class = class
	}
	return nil
}

// finish lists the samples that can be used, and what cannot.
func (b *builder) finish() (samples []sample, skipped []omitted) {
	for _, s := range b.samples {
		if s.broken == "" && s.size == 0 {
			s.broken = "no picture, .jpg, .jpeg, .png or .webp; put one beside it"
		}
		if s.broken != "" {
			b.skip(s.broken, s.key)
			continue
		}
		samples = append(samples, s)
	}
	return samples, b.skipped
}
