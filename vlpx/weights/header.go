package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets/plainjson"
)

// Entry is what the header of a safetensors file says of a tensor.
type Entry struct {
	Name    string   `json:"-"`
	DType   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // behind the header, in bytes
}

// types are the names of types in a header.
var types = map[dtypes.DType]string{
	dtypes.Float64: "F64", dtypes.Float32: "F32", dtypes.Float16: "F16", dtypes.BFloat16: "BF16",
	dtypes.Int64: "I64", dtypes.Int32: "I32", dtypes.Int16: "I16", dtypes.Int8: "I8",
	dtypes.Uint64: "U64", dtypes.Uint32: "U32", dtypes.Uint16: "U16", dtypes.Uint8: "U8", dtypes.Bool: "BOOL",
}

// Describe is a tensor's entry, whose place Header gives. A type without a name in the format is an error.
func Describe(name string, t *tensors.Tensor) (Entry, error) {
	dtype, known := types[t.DType()]
	if !known {
		return Entry{}, fmt.Errorf("tensor %s: values of type %s have no name in a safetensors file", name, t.DType())
	}
	e := Entry{Name: name, DType: dtype, Shape: []int64{}}
	for _, dim := range t.Shape().Dimensions {
		e.Shape = append(e.Shape, int64(dim))
	}
	return e, nil
}

// metadataKey is the entry of a header that describes no tensor.
const metadataKey = "__metadata__"

// Header is what stands before the values of tensors, which follow in the order of the entries: its length in eight bytes, and a JSON
// object that begins with the metadata, by ascending keys, padded with spaces to a multiple of eight.
func Header(metadata map[string]string, entries []Entry) ([]byte, error) {
	header := make([]byte, 8, 1<<12)
	add := func(key string, value any) error {
		name, err := json.Marshal(key)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		header = append(append(append(header, name...), ':'), text...)
		return err
	}
	header = append(header, '{')
	if err := add(metadataKey, metadata); err != nil {
		return nil, err
	}
	end := int64(0)
	for _, e := range entries {
		size, err := e.Bytes()
		if err != nil {
			return nil, err
		}
		e.Offsets = [2]int64{end, end + size}
		end += size
		header = append(header, ',')
		if err := add(e.Name, e); err != nil {
			return nil, err
		}
	}
	header = append(header, '}')
	header = append(header, bytes.Repeat([]byte(" "), -len(header)&7)...)
	binary.LittleEndian.PutUint64(header, uint64(len(header)-8))
	return header, nil
}

// ReadHeader reads a header's JSON object: the tensors in the order of their values, and the metadata. One that does not describe so many
// bytes of values, each in one tensor, is an error.
func ReadHeader(header []byte, data int64) ([]Entry, map[string]any, error) {
	entries, metadata, err := parse(header)
	if err != nil {
		return nil, nil, fmt.Errorf("its header: %w; the file is damaged", err)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]))
	})
	at := int64(0)
	for _, t := range entries {
		from, to := t.Offsets[0], t.Offsets[1]
		if from < 0 || from > to || to > data {
			return nil, nil, fmt.Errorf("tensor %s: bytes %d to %d of %d; the file is cut off or damaged", t.Name, from, to, data)
		}
		if from != at {
			return nil, nil, fmt.Errorf("tensor %s: it begins at byte %d, where %d is next: tensors overlap or leave a gap",
				t.Name, from, at)
		}
		at = to
		size, err := t.Bytes()
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", t.Name, err)
		}
		if size != to-from {
			return nil, nil, fmt.Errorf("tensor %s: %s values in the shape %v are impossible in %d bytes; the file is damaged",
				t.Name, t.DType, t.Shape, to-from)
		}
	}
	if at != data {
		return nil, nil, fmt.Errorf("%d bytes lie behind the last tensor; the file is damaged", data-at)
	}
	return entries, metadata, nil
}

// parse reads the entries of a header and its metadata; encoding/json bounds how deep it nests.
func parse(header []byte) (entries []Entry, metadata map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, nil, errors.New("it is no JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		name := key.(string) // an object's keys are
		if seen[name] {
			return nil, nil, fmt.Errorf("tensor %s is there twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			if err := d.Decode(&metadata); err != nil {
				return nil, nil, fmt.Errorf("its metadata: %w", plainjson.InWords(err))
			}
			continue
		}
		t := &Entry{Offsets: [2]int64{-1, -1}}
		if err := d.Decode(&t); err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", name, plainjson.InWords(err))
		}
		if t == nil {
			return nil, nil, fmt.Errorf("tensor %s: nothing is said of it", name)
		}
		t.Name = name
		entries = append(entries, *t)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	if rest := bytes.TrimSpace(header[d.InputOffset():]); len(rest) > 0 {
		return nil, nil, errors.New("more follows its JSON object")
	}
	return entries, metadata, nil
}

// Type is that of the values.
func (t Entry) Type() (dtypes.DType, error) {
	dtype, known := dtypes.MapOfNames[strings.ToLower(t.DType)]
	if !known || dtype == dtypes.InvalidDType || dtype.IsPacked() {
		return dtype, fmt.Errorf("values of type %q cannot be read", t.DType)
	}
	return dtype, nil
}

// Bytes is the size of a tensor's values.
func (t Entry) Bytes() (int64, error) {
	dtype, err := t.Type()
	if err != nil {
		return 0, err
	}
	size := int64(dtype.Size())
	for _, d := range t.Shape {
		if d < 0 || d > 0 && size > math.MaxInt64/d {
			return 0, fmt.Errorf("the shape %v is impossible", t.Shape)
		}
		size *= d
	}
	return size, nil
}
