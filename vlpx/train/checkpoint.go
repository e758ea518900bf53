package train

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/google/renameio/v2"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// CheckpointName is the checkpoint's file in a run's folder.
const CheckpointName = "checkpoint"

// checkpoint formats: a magic line, a JSON header of known length, the tensors' bytes one after another, and a CRC-32 of all
// that. It is written beside its place and renamed into it, so that there is always a whole one or none.
const checkpointMagic = "vlpx checkpoint 1\n"

type checkpointHeader struct {
	State   json.RawMessage
	Tensors []tensorHeader
}

type tensorHeader struct {
	Path  string
	DType string
	Dims  []int
	Bytes int64
}

// SaveCheckpoint writes every variable of the store but a frozen reference model's and windows, and a state of the host, any JSON value, to
// a file.
func SaveCheckpoint(path string, store *model.Store, state any) error {
	return save(path, slices.DeleteFunc(sortedVariables(store, "/"), func(v *model.Variable) bool {
		return strings.HasPrefix(v.Path(), framework.Frozen+"/") || strings.HasPrefix(v.Path(), negative.WindowScope+"/")
	}), state)
}

// save writes variables and a state of the host to a file.
func save(path string, variables []*model.Variable, state any) (err error) {
	header := checkpointHeader{}
	if header.State, err = json.Marshal(state); err != nil {
		return fmt.Errorf("train: checkpoint %s: %w", path, err)
	}
	var values []*tensors.Tensor
	for _, v := range variables {
		value, err := v.Value()
		if err != nil {
			return fmt.Errorf("train: checkpoint %s: variable %s: %w", path, v.Path(), err)
		}
		values = append(values, value)
		header.Tensors = append(header.Tensors, tensorHeader{v.Path(), v.Shape().DType.String(), v.Shape().Dimensions, value.ByteSize()})
	}
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return fmt.Errorf("train: checkpoint %s: %w", path, err)
	}
	defer file.Cleanup()
	if err := writeCheckpoint(file, header, values); err != nil {
		return fmt.Errorf("train: checkpoint %s: %w; the one before it, if any, is kept: make room and start the run again", path, err)
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("train: checkpoint %s: %w; the one before it, if any, is kept: make room and start the run again", path, err)
	}
	return nil
}

// removeUnfinished deletes what a process that was killed while it wrote the checkpoint or the best weights left beside them.
func removeUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, "."+CheckpointName) || strings.HasPrefix(name, "."+BestName) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}

func writeCheckpoint(file io.Writer, header checkpointHeader, values []*tensors.Tensor) error {
	buffered := bufio.NewWriterSize(file, 1<<20)
	sum := crc32.NewIEEE()
	w := io.MultiWriter(buffered, sum)
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, checkpointMagic); err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, int64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, value := range values {
		var failed error
		if err := value.ConstBytes(func(data []byte) { _, failed = w.Write(data) }); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
	if err := binary.Write(buffered, binary.LittleEndian, sum.Sum32()); err != nil {
		return err
	}
	return buffered.Flush()
}

// LoadCheckpoint reads a file of SaveCheckpoint into a store, creating or replacing the variables, and decodes the host's
// state into state. A damaged file leaves the store as it was. A file that is not there is fs.ErrNotExist.
func LoadCheckpoint(path string, store *model.Store, state any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := readCheckpoint(bufio.NewReaderSize(file, 1<<20), info.Size(), store, state); err != nil {
		return fmt.Errorf("train: checkpoint %s: %w", path, err)
	}
	return nil
}

func readCheckpoint(file io.Reader, size int64, store *model.Store, state any) error {
	r := summed{file, crc32.NewIEEE()}
	header, err := readHeader(r, size)
	if err != nil {
		return err
	}
	loaded := map[string]*tensors.Tensor{}
	for _, t := range header.Tensors {
		shape, err := t.shape(size)
		if err != nil {
			return err
		}
		if v := store.GetVariable(t.Path); v != nil && !v.Shape().Equal(shape) {
			return fmt.Errorf("variable %s is %s, the model's is %s", t.Path, shape, v.Shape())
		}
		value := tensors.FromShape(shape)
		var failed error
		if err := value.MutableBytes(func(data []byte) { _, failed = io.ReadFull(r, data) }); err != nil {
			return err
		}
		if failed != nil {
			return fmt.Errorf("cut off in variable %s", t.Path)
		}
		loaded[t.Path] = value
	}
	want := r.sum.Sum32()
	var have uint32
	if err := binary.Read(file, binary.LittleEndian, &have); err != nil || have != want {
		return errors.New("damaged: its checksum does not match")
	}
	if _, err := io.ReadFull(file, make([]byte, 1)); err != io.EOF {
		return errors.New("damaged: there is more after its end")
	}
	if err := json.Unmarshal(header.State, state); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	for _, t := range header.Tensors {
		v := store.GetVariable(t.Path)
		if v == nil {
			if _, err := store.CreateVariable(t.Path, loaded[t.Path]); err != nil {
				return err
			}
			continue
		}
		if err := v.SetValue(loaded[t.Path]); err != nil {
			return err
		}
	}
	return nil
}

// readHeader reads what stands before the tensors.
func readHeader(r io.Reader, size int64) (header checkpointHeader, err error) {
	magic := make([]byte, len(checkpointMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != checkpointMagic {
		return header, errors.New("not a checkpoint of this version")
	}
	var length int64
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil || length < 0 || length > size {
		return header, errors.New("cut off in its header")
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return header, errors.New("cut off in its header")
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return header, fmt.Errorf("header: %w", err)
	}
	return header, nil
}

// readState decodes the host's state of a file of SaveCheckpoint, whose tensors it leaves unread. A file that is not there is fs.ErrNotExist.
func readState(path string, state any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header, err := readHeader(file, info.Size())
	if err == nil {
		err = json.Unmarshal(header.State, state)
	}
	if err != nil {
		return fmt.Errorf("train: checkpoint %s: %w", path, err)
	}
	return nil
}

// shape is the tensor's shape, in a file of size bytes.
func (t tensorHeader) shape(size int64) (shapes.Shape, error) {
	dtype, err := dtypes.DTypeString(t.DType)
	impossible := err != nil || dtype.IsPacked() || dtype.Size() < 1
	if !impossible {
		bytes := int64(dtype.Size())
		for _, d := range t.Dims {
			if d < 0 || int64(d) > size/max(bytes, 1) {
				impossible = true
				break
			}
			bytes *= int64(d)
		}
		impossible = impossible || bytes != t.Bytes || bytes > size
	}
	if impossible {
		return shapes.Shape{}, fmt.Errorf("variable %s: impossible shape %s %v of %d bytes", t.Path, t.DType, t.Dims, t.Bytes)
	}
	return shapes.Make(dtype, t.Dims...), nil
}

// summed keeps a checksum of what is read through it.
type summed struct {
	io.Reader
	sum hash.Hash32
}

func (s summed) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

// sortedVariables are the variables with a value below a root.
func sortedVariables(store *model.Store, root string) []*model.Variable {
	var all []*model.Variable
	for v := range store.Scope(root).IterVariables() {
		if v.HasValue() {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	return all
}
