package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"vlpx.internal/datasets/content"
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
	file, err := content.Regular(path)
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
	if _, _, err := ReadHeader(header, info.Size()-8-int64(length)); err != nil {
		return fmt.Errorf("%w; fetch the file again", err)
	}
	return nil
}

// pickled tells whether a file begins as PyTorch's do: as a zip file, or with the protocol of a pickle.
func pickled(start []byte) bool {
	return bytes.HasPrefix(start, []byte("PK\x03\x04")) || len(start) > 1 && start[0] == 0x80 && start[1] >= 2 && start[1] <= 5
}
