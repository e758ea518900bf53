package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"vlpx.internal/datasets/plainjson"
)

// longestHeader bounds a header, in bytes: a hundred times that of the largest model here, and little memory when it is read.
const longestHeader = 16 << 20

// Convert is the command that makes a safetensors file of PyTorch's: it reads tensors and runs no code that the file may have. ALBEF's and
// DeiT's files have the weights under "model".
const Convert = `python3 -c 'import sys, torch, safetensors.torch as s; x = torch.load(sys.argv[1], map_location="cpu", weights_only=True); ` +
	`x = x.get("model", x.get("state_dict", x)); ` +
	`s.save_file({k: v.contiguous().clone() for k, v in x.items() if torch.is_tensor(v)}, sys.argv[2])' model.pth model.safetensors`

// sound tells what is wrong with a file's header, reading no more than that.
func sound(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	start := make([]byte, 8)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	length := binary.LittleEndian.Uint64(start)
	switch rest := uint64(max(0, info.Size()-8)); {
	case pickled(start[:n]) && length > rest:
		return fmt.Errorf("a file of PyTorch's, whose pickle may run code when it is read; it is left unread. Convert it with %s", Convert)
	case n < 8 || length < 2 || length > rest:
		return errors.New("no safetensors file, or one that is cut off in its header; fetch it again")
	case length > longestHeader:
		return fmt.Errorf("its header has %d bytes; a model's has at most %d", length, longestHeader)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(file, header); err != nil {
		return err
	}
	return coherent(header, info.Size()-8-int64(length))
}

// pickled tells whether a file begins as PyTorch's do: as a zip file, or with the protocol of a pickle.
func pickled(start []byte) bool {
	return bytes.HasPrefix(start, []byte("PK\x03\x04")) || len(start) > 1 && start[0] == 0x80 && start[1] >= 2 && start[1] <= 5
}

// entry is what a header says of a tensor.
type entry struct {
	name    string
	Dtype   string
	Shape   []int64
	Offsets [2]int64 `json:"data_offsets"`
}

// coherent tells why a header does not describe so many bytes of data, each in one tensor.
func coherent(header []byte, data int64) error {
	entries, err := parse(header)
	if err != nil {
		return fmt.Errorf("its header: %w; the file is damaged, fetch it again", err)
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]))
	})
	at := int64(0)
	for _, t := range entries {
		from, to := t.Offsets[0], t.Offsets[1]
		if from < 0 || from > to || to > data {
			return fmt.Errorf("tensor %s: bytes %d to %d of %d; the file is cut off or damaged, fetch it again", t.name, from, to, data)
		}
		if from != at {
			return fmt.Errorf("tensor %s: it begins at byte %d, where %d is next: tensors overlap or leave a gap; fetch the file again", t.name, from, at)
		}
		at = to
		size, err := t.bytes()
		if err != nil {
			return fmt.Errorf("tensor %s: %w", t.name, err)
		}
		if size != to-from {
			return fmt.Errorf("tensor %s: %s values in the shape %v are impossible in %d bytes; the file is damaged, fetch it again",
				t.name, t.Dtype, t.Shape, to-from)
		}
	}
	if at != data {
		return fmt.Errorf("%d bytes lie behind the last tensor; the file is damaged, fetch it again", data-at)
	}
	return nil
}

// parse reads the entries of a header; encoding/json bounds how deep it nests.
func parse(header []byte) ([]entry, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.New("it is no JSON object")
	}
	var entries []entry
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string) // an object's keys are
		if seen[name] {
			return nil, fmt.Errorf("tensor %s is there twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			var metadata map[string]any
			if err := d.Decode(&metadata); err != nil {
				return nil, fmt.Errorf("its metadata: %w", plainjson.InWords(err))
			}
			continue
		}
		t := &entry{Offsets: [2]int64{-1, -1}}
		if err := d.Decode(&t); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, plainjson.InWords(err))
		}
		if t == nil {
			return nil, fmt.Errorf("tensor %s: nothing is said of it", name)
		}
		t.name = name
		entries = append(entries, *t)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(header[d.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("more follows its JSON object")
	}
	return entries, nil
}

// bytes is the size of a tensor's values.
func (t entry) bytes() (int64, error) {
	dtype, known := dtypes.MapOfNames[strings.ToLower(t.Dtype)]
	if !known || dtype == dtypes.InvalidDType || dtype.IsPacked() {
		return 0, fmt.Errorf("values of type %q cannot be read", t.Dtype)
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
