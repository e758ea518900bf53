package train

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"vlpx.internal/vlpx/weights"
)

// firstMagic is the line that begins a checkpoint of the first format, which finished runs of older versions have. Behind it are a JSON
// header of known length, the tensors' bytes one after another, and a CRC-32 of all that. It is read, and no longer written.
const firstMagic = "vlpx checkpoint 1\n"

// readFirst reads what stands before the values.
func readFirst(file io.Reader, size int64) (*checkpoint, error) {
	sum := crc32.NewIEEE()
	c := &checkpoint{values: io.TeeReader(file, sum)}
	start := make([]byte, len(firstMagic)+8)
	if _, err := io.ReadFull(c.values, start); err != nil {
		return nil, errors.New("cut off in its header")
	}
	length := binary.LittleEndian.Uint64(start[len(firstMagic):])
	if length > uint64(size) {
		return nil, errors.New("cut off in its header")
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(c.values, text); err != nil {
		return nil, errors.New("cut off in its header")
	}
	var header struct {
		State   json.RawMessage
		Tensors []struct {
			Path, DType string
			Dims        []int64
			Bytes       int64
		}
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	c.state = header.State
	for _, t := range header.Tensors {
		entry := weights.Entry{Name: t.Path, DType: t.DType, Shape: t.Dims}
		if bytes, err := entry.Bytes(); err != nil || bytes != t.Bytes || bytes > size {
			return nil, fmt.Errorf("variable %s: impossible shape %s %v of %d bytes", t.Path, t.DType, t.Dims, t.Bytes)
		}
		c.entries = append(c.entries, entry)
	}
	c.whole = func() error {
		var have uint32
		want := sum.Sum32()
		if err := binary.Read(file, binary.LittleEndian, &have); err != nil || have != want {
			return errors.New("damaged: its checksum does not match")
		}
		if _, err := io.ReadFull(file, make([]byte, 1)); err != io.EOF {
			return errors.New("damaged: there is more after its end")
		}
		return nil
	}
	return c, nil
}
