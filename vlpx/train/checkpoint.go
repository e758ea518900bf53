package train

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// CheckpointName is the checkpoint's file in a run's folder.
const CheckpointName = "checkpoint"

// A checkpoint is a safetensors file: the variables by their paths, and in the metadata the host's state as JSON and a checksum. What of
// the state is long, such as the sampler's embeddings of all pairs, is a tensor of bytes called longState. The checksum is the CRC-32, as
// eight hexadecimal digits, of the whole file with zeros in the place of these digits. The file is written beside its place and renamed
// into it, so that there is always a whole one or none.
const (
	beforeSum = `{"__metadata__":{"crc32":"` // the header's JSON begins so
	noSum     = "00000000"
	stateKey  = "state" // in the metadata
	longState = "/host"
)

// SaveCheckpoint writes every variable of the store but a frozen reference model's and windows, and a state of the host, any JSON value, to
// a file.
func SaveCheckpoint(path string, store *model.Store, state any) error {
	return save(path, slices.DeleteFunc(sortedVariables(store, "/"), passing), state)
}

// passing tells whether no checkpoint has a variable: a frozen reference model's, windows, and gradients while they are summed up.
func passing(v *model.Variable) bool {
	return below(v, framework.Frozen, negative.WindowScope, Gradients)
}

// below tells whether a variable is below one of the roots.
func below(v *model.Variable, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(v.Path(), root+"/") })
}

// saving is a tensor that is written.
type saving struct {
	weights.Entry
	value *tensors.Tensor
}

// save writes variables and a state of the host to a file.
func save(path string, variables []*model.Variable, state any) error {
	failed := func(err error) error { return fmt.Errorf("train: checkpoint %s: %w", path, err) }
	text, err := json.Marshal(state)
	if err != nil {
		return failed(err)
	}
	values := map[string]*tensors.Tensor{}
	for _, v := range variables {
		if values[v.Path()], err = v.Value(); err != nil {
			return failed(fmt.Errorf("variable %s: %w", v.Path(), err))
		}
	}
	if host, ok := state.(interface{ long() []byte }); ok && len(host.long()) > 0 {
		values[longState] = tensors.FromFlatDataAndDimensions(host.long(), len(host.long()))
	}
	var all []saving
	for name, value := range values {
		entry, err := weights.Describe(name, value)
		if err != nil {
			return failed(err)
		}
		all = append(all, saving{entry, value})
	}
	slices.SortFunc(all, func(a, b saving) int { // the widest types first, so that all are aligned
		return cmp.Or(cmp.Compare(b.value.DType().Size(), a.value.DType().Size()), cmp.Compare(a.Name, b.Name))
	})
	file, err := disk.NewPending(path, 0o600)
	if err != nil {
		return failed(err)
	}
	defer file.Discard()
	if err = writeCheckpoint(file.File, string(text), all); err == nil {
		err = file.Place()
	}
	if err != nil {
		return failed(fmt.Errorf("%w; the one before it, if any, is kept: make room and start the run again", err))
	}
	return nil
}

// writeCheckpoint writes the file, and at last the checksum into its place.
func writeCheckpoint(file *disk.File, state string, all []saving) error {
	var entries []weights.Entry
	for _, t := range all {
		entries = append(entries, t.Entry)
	}
	header, err := weights.Header(map[string]string{"crc32": noSum, stateKey: state}, entries)
	if err != nil {
		return err
	}
	buffered, sum := bufio.NewWriterSize(file, 1<<20), crc32.NewIEEE()
	w := io.MultiWriter(buffered, sum)
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range all {
		var failed error
		if err := t.value.ConstBytes(func(data []byte) { _, failed = w.Write(data) }); err != nil || failed != nil {
			return cmp.Or(err, failed)
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	_, err = file.WriteAt(fmt.Appendf(nil, "%08x", sum.Sum32()), int64(8+len(beforeSum)))
	return err
}

// LoadCheckpoint reads a file of SaveCheckpoint into a store, creating or replacing the variables, and decodes the host's
// state into state. A damaged file leaves the store as it was. A file that is not there is fs.ErrNotExist.
func LoadCheckpoint(path string, store *model.Store, state any) error {
	return opened(path, func(file io.Reader, size int64) error { return readCheckpoint(file, size, store, state) })
}

// readState decodes the host's state of a file of SaveCheckpoint, whose tensors it leaves unread. A file that is not there is
// fs.ErrNotExist.
func readState(path string, state any) error {
	return opened(path, func(file io.Reader, size int64) error {
		h, err := readHeader(file, size)
		if err != nil {
			return err
		}
		return json.Unmarshal(h.state, state)
	})
}

func opened(path string, read func(file io.Reader, size int64) error) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := read(bufio.NewReaderSize(file, 1<<20), info.Size()); err != nil {
		return &DamagedCheckpoint{path, err}
	}
	return nil
}

// DamagedCheckpoint says what is wrong with a checkpoint that is there. Other runs can go on.
type DamagedCheckpoint struct {
	Path string
	Err  error
}

func (d *DamagedCheckpoint) Error() string {
	return fmt.Sprintf("train: checkpoint %s: %v", d.Path, d.Err)
}

func (d *DamagedCheckpoint) Unwrap() error { return d.Err }

// checkpoint is an open one, read to the end of its header.
type checkpoint struct {
	state   json.RawMessage
	entries []weights.Entry // in the order of their values
	values  io.Reader       // behind the header, by which they are summed
	whole   func() error    // reports whether the checksum is right, once the values are read
}

func readCheckpoint(file io.Reader, size int64, store *model.Store, state any) error {
	c, err := readHeader(file, size)
	if err != nil {
		return err
	}
	loaded := map[string]*tensors.Tensor{}
	for _, t := range c.entries {
		shape, err := shapeOf(t, size)
		if err != nil {
			return err
		}
		if v := store.GetVariable(t.Name); v != nil && !v.Shape().Equal(shape) {
			return fmt.Errorf("variable %s is %s, the model's is %s", t.Name, shape, v.Shape())
		}
		value := tensors.FromShape(shape)
		var failed error
		if err := value.MutableBytes(func(data []byte) { _, failed = io.ReadFull(c.values, data) }); err != nil {
			return err
		}
		if failed != nil {
			return fmt.Errorf("cut off in variable %s", t.Name)
		}
		loaded[t.Name] = value
	}
	if err := c.whole(); err != nil {
		return err
	}
	if err := json.Unmarshal(c.state, state); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	for _, t := range c.entries {
		if t.Name == longState {
			if err := setLong(state, loaded[longState]); err != nil {
				return err
			}
			continue
		}
		v := store.GetVariable(t.Name)
		if v == nil {
			if _, err := store.CreateVariable(t.Name, loaded[t.Name]); err != nil {
				return err
			}
			continue
		}
		if err := v.SetValue(loaded[t.Name]); err != nil {
			return err
		}
	}
	return nil
}

// setLong gives a state of the host what is kept of it as bytes.
func setLong(state any, value *tensors.Tensor) error {
	host, ok := state.(interface{ setLong([]byte) })
	if !ok {
		return nil
	}
	bytes, err := tensors.CopyFlatData[uint8](value)
	if err != nil {
		return fmt.Errorf("%s: %w", longState, err)
	}
	host.setLong(bytes)
	return nil
}

// readHeader reads what stands before the values.
func readHeader(file io.Reader, size int64) (*checkpoint, error) {
	start := make([]byte, 8+len(beforeSum)+len(noSum))
	if _, err := io.ReadFull(file, start); err != nil {
		return nil, errors.New("cut off in its header")
	}
	if strings.HasPrefix(string(start), firstMagic) {
		return readFirst(io.MultiReader(strings.NewReader(string(start)), file), size)
	}
	at := 8 + len(beforeSum)
	if string(start[8:at]) != beforeSum {
		return nil, errors.New("not a checkpoint of this version")
	}
	length := binary.LittleEndian.Uint64(start)
	if length < uint64(len(start)-8) || length > uint64(size-8) {
		return nil, errors.New("cut off in its header")
	}
	sum, want := crc32.NewIEEE(), string(start[at:])
	sum.Write(append(start[:at:at], noSum...))
	c := &checkpoint{values: io.TeeReader(file, sum)}
	header := append(start[8:], make([]byte, length-uint64(len(start)-8))...)
	if _, err := io.ReadFull(c.values, header[len(start)-8:]); err != nil {
		return nil, errors.New("cut off in its header")
	}
	entries, metadata, err := weights.ReadHeader(header, size-8-int64(length))
	if err != nil {
		return nil, err
	}
	text, _ := metadata[stateKey].(string)
	c.state, c.entries = json.RawMessage(text), entries
	c.whole = func() error {
		if fmt.Sprintf("%08x", sum.Sum32()) != want {
			return errors.New("damaged: its checksum does not match")
		}
		return nil
	}
	return c, nil
}

// shapeOf is that of a tensor in a file of size bytes.
func shapeOf(t weights.Entry, size int64) (shapes.Shape, error) {
	dtype, err := t.Type()
	if err != nil {
		return shapes.Shape{}, fmt.Errorf("variable %s: %w", t.Name, err)
	}
	dims := make([]int, len(t.Shape))
	for k, dim := range t.Shape {
		if dims[k] = int(dim); dim > size { // beside an empty axis
			return shapes.Shape{}, fmt.Errorf("variable %s: the shape %v is impossible", t.Name, t.Shape)
		}
	}
	return shapes.Make(dtype, dims...), nil
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
