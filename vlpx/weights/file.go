package weights

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/go-huggingface/hub"
	"github.com/gomlx/go-huggingface/models/safetensors"
	"github.com/gomlx/gomlx/core/tensors"
)

// File is an open safetensors file on this machine.
type File struct {
	path   string
	reader *safetensors.TensorReader
}

// Open opens a safetensors file and checks its header, which the reader takes as it is. The caller closes it.
func Open(path string) (*File, error) {
	if err := sound(path); err != nil {
		return nil, fmt.Errorf("weights: %s: %w", path, err)
	}
	reader, err := safetensors.NewEmpty(hub.NewLocal(filepath.Dir(path))).NewTensorReader(filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("weights: %s: %w", path, err)
	}
	return &File{path, reader}, nil
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

// Metadata is what the header has of a key; "" where it has none.
func (f *File) Metadata(key string) string {
	value, _ := f.reader.Header.Metadata[key].(string)
	return value
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
		err = Finite(t)
	}
	if err != nil {
		return nil, fmt.Errorf("weights: %s: tensor %s: %w", f.path, name, err)
	}
	return t, nil
}

// Close closes the file. The tensors that were read stay.
func (f *File) Close() error { return f.reader.Close() }
