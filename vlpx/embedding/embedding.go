// Package embedding keeps embeddings of pictures and texts in files: as one matrix for NumPy, or as safetensors that know the model and
// the names of the rows, so that they can be searched. It makes none.
package embedding

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/weights"
)

// Set are embeddings by one model, of unit length.
type Set struct {
	Model string // what people call it
	// ID identifies its weights: only embeddings of the same are comparable.
	ID      string
	Dim     int // numbers of a vector
	Vectors int // of a picture, of which the nearest to a text counts
	// Images are the paths of the pictures, and Texts the texts.
	Images, Texts []string
	OfImages      []float32 // [len(Images), Vectors, Dim]
	OfTexts       []float32 // [len(Texts), Dim]
}

// Hit is a picture that was found.
type Hit struct {
	Image  int // its place in Set.Images
	Path   string
	Cosine float64
}

// Nearest ranks all pictures by their cosine with a text's embedding [Dim], the nearest first; of equal ones the first.
func (s *Set) Nearest(text []float32) []Hit {
	sims := eval.Similarities(s.OfImages, text, s.Vectors, s.Dim)
	hits := make([]Hit, len(s.Images))
	for i, path := range s.Images {
		hits[i] = Hit{i, path, sims.Row(i)[0]}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return hits
}

// Names of tensors and of metadata in a safetensors file.
const (
	images, texts = "images", "texts"
	model, id     = "model", "id"
)

// Endings of files that Write writes.
const (
	npy         = ".npy"
	safetensors = ".safetensors"
)

// Writable tells why Write would not write to a path: by its ending, or because something is there.
func Writable(path string) error {
	if ending := strings.ToLower(filepath.Ext(path)); ending != npy && ending != safetensors {
		return fmt.Errorf("embedding: %s ends neither in %s, which NumPy reads, nor in %s, which keeps the names of what was embedded, too",
			path, npy, safetensors)
	}
	switch _, err := disk.Stat(path); {
	case err == nil:
		return fmt.Errorf("embedding: %s is there; name another file, or remove it", path)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("embedding: %w", err)
	}
	return nil
}

// Write writes a new file, whole or not at all. A .npy has the pictures' or the texts' embeddings in their order, [rows, Dim], or [rows,
// Vectors, Dim] of pictures with several vectors; it cannot have both. A .safetensors has the tensors images and texts, and in its metadata
// the model and the names.
func (s *Set) Write(path string) (err error) {
	if err := Writable(path); err != nil {
		return err
	}
	all := weights.Tensors{}
	if len(s.Images) > 0 {
		shape := []int{len(s.Images), s.Vectors, s.Dim}
		if s.Vectors == 1 {
			shape = []int{len(s.Images), s.Dim}
		}
		all[images] = tensors.FromFlatDataAndDimensions(s.OfImages, shape...)
	}
	if len(s.Texts) > 0 {
		all[texts] = tensors.FromFlatDataAndDimensions(s.OfTexts, len(s.Texts), s.Dim)
	}
	write := func(w io.Writer) error { return s.named(w, all) }
	if strings.ToLower(filepath.Ext(path)) == npy {
		if len(all) != 1 {
			return fmt.Errorf("embedding: %s has room for one matrix, and there are %d pictures and %d texts; write a %s, or embed each kind "+
				"by itself", path, len(s.Images), len(s.Texts), safetensors)
		}
		write = func(w io.Writer) error {
			for _, one := range all {
				return numpy.ToNpyWriter(one, w)
			}
			return nil
		}
	}
	file, err := disk.NewPending(path, 0o644)
	if err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	defer file.Discard()
	buffered := bufio.NewWriter(file)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = file.PlaceFirst()
	}
	if err != nil {
		return fmt.Errorf("embedding: writing %s: %w", path, err)
	}
	return nil
}

// named writes safetensors with the names of the rows.
func (s *Set) named(w io.Writer, all weights.Tensors) error {
	metadata := map[string]string{model: s.Model, id: s.ID}
	for key, names := range map[string][]string{images: s.Images, texts: s.Texts} {
		text, err := json.Marshal(names)
		if err != nil {
			return err
		}
		metadata[key] = string(text)
	}
	return all.Encode(w, metadata)
}

// Read reads the embeddings of a safetensors file that Write wrote.
func Read(path string) (*Set, error) {
	if strings.ToLower(filepath.Ext(path)) == npy {
		return nil, fmt.Errorf("embedding: %s does not know which pictures it is of; embed them into a %s", path, safetensors)
	}
	f, err := weights.Open(path)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	defer f.Close()
	s := &Set{Model: f.Metadata(model), ID: f.Metadata(id), Vectors: 1}
	if s.ID == "" {
		return nil, fmt.Errorf("embedding: %s does not name the model that made it; name a file that vlpx embed wrote", path)
	}
	for _, of := range []struct {
		name  string
		rows  *[]string
		data  *[]float32
		ranks []int
	}{{images, &s.Images, &s.OfImages, []int{2, 3}}, {texts, &s.Texts, &s.OfTexts, []int{2}}} {
		if err := json.Unmarshal([]byte(f.Metadata(of.name)), of.rows); err != nil {
			return nil, fmt.Errorf("embedding: %s: the names of its %s: %w; embed them again", path, of.name, err)
		}
		if *of.data, err = s.read(f, of.name, len(*of.rows), of.ranks); err != nil {
			return nil, fmt.Errorf("embedding: %s: %w; embed them again", path, err)
		}
	}
	return s, nil
}

// read reads the embeddings of so many rows; none where there are no rows.
func (s *Set) read(f *weights.File, name string, rows int, ranks []int) ([]float32, error) {
	if rows == 0 {
		return nil, nil
	}
	if !slices.Contains(f.Names(), name) {
		return nil, fmt.Errorf("there are names of %d %s, and no tensor of them", rows, name)
	}
	t, err := f.Tensor(name)
	if err != nil {
		return nil, err
	}
	dims := t.Shape().Dimensions
	if !slices.Contains(ranks, len(dims)) || dims[0] != rows || slices.Contains(dims, 0) ||
		s.Dim != 0 && dims[len(dims)-1] != s.Dim {
		return nil, fmt.Errorf("the tensor %s is %s, which does not fit %d names", name, t.Shape(), rows)
	}
	s.Dim = dims[len(dims)-1]
	if len(dims) == 3 {
		s.Vectors = dims[1]
	}
	return tensors.CopyFlatData[float32](t)
}
