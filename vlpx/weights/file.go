package weights

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/go-huggingface/hub"
	"github.com/gomlx/go-huggingface/models/safetensors"
	"github.com/gomlx/gomlx/core/tensors"
)

// File is an open safetensors file on this machine.
type File struct {
	path   string
	reader *safetensors.TensorReader
}

// Open opens a safetensors file. The caller closes it.
func Open(path string) (*File, error) {
	header, size, err := extent(path)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	reader, err := safetensors.NewEmpty(hub.NewLocal(filepath.Dir(path))).NewTensorReader(filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("weights: %s: %w", path, err)
	}
	f := &File{path, reader}
	if err := f.check(size - 8 - header); err != nil {
		f.Close()
		return nil, fmt.Errorf("weights: %s: %w", path, err)
	}
	return f, nil
}

// extent is the length of a file's header, which its first eight bytes tell, and of the whole file, in bytes.
func extent(path string) (header, size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, 0, err
	}
	if err := binary.Read(file, binary.LittleEndian, &header); err != nil || header < 2 || header > info.Size()-8 {
		return 0, 0, fmt.Errorf("%s: no safetensors file, or one that is cut off in its header", path)
	}
	return header, info.Size(), nil
}

// check tells which tensor does not lie within the given number of bytes behind the header, which the reader takes as it is.
func (f *File) check(bytes int64) error {
	for name, t := range f.reader.Header.Tensors {
		if t == nil {
			return fmt.Errorf("tensor %s: nothing is said of it", name)
		}
		if from, to := t.DataOffsets[0], t.DataOffsets[1]; from < 0 || from > to || to > bytes {
			return fmt.Errorf("tensor %s: bytes %d to %d of %d; the file is cut off or damaged, fetch it again", name, from, to, bytes)
		}
		if dtype, known := dtypes.MapOfNames[strings.ToLower(t.Dtype)]; !known || dtype == dtypes.InvalidDType || dtype.IsPacked() {
			return fmt.Errorf("tensor %s: values of type %q cannot be read", name, t.Dtype)
		}
		numbers := int64(1)
		for _, d := range t.Shape {
			if d < 0 || d > 0 && numbers > bytes/int64(d) {
				return fmt.Errorf("tensor %s: the shape %v is impossible in %d bytes", name, t.Shape, bytes)
			}
			numbers *= int64(d)
		}
	}
	return nil
}

// Names are the tensors' names, sorted.
func (f *File) Names() []string {
	var names []string
	for name := range f.reader.Header.Tensors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// about is what the header tells of a tensor.
func (f *File) about(name string) Tensor {
	t := f.reader.Header.Tensors[name]
	return Tensor{name, strings.ToUpper(t.Dtype), t.Shape}
}

// Tensor reads one tensor as the file has it. Values that are no numbers, or infinite, are an error.
func (f *File) Tensor(name string) (*tensors.Tensor, error) {
	t, err := f.reader.ReadTensor(nil, name)
	if err == nil {
		err = finite(t)
	}
	if err != nil {
		return nil, fmt.Errorf("weights: %s: tensor %s: %w", f.path, name, err)
	}
	return t, nil
}

// Close closes the file. The tensors that were read stay.
func (f *File) Close() error { return f.reader.Close() }
