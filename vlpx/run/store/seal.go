package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"vlpx.internal/datasets/content"
	"vlpx.internal/vlpx/disk"
)

// ErrUnsealed says that a file is not as it was written.
var ErrUnsealed = errors.New("it is not as the program wrote it: somebody has changed it by hand, or a disk has")

// Seal is where a JSON file ends with the sum of what stands before, of as many bytes as all sums have.
var Seal = regexp.MustCompile(`,\n  "Sum": "([0-9a-f]{16})"\n}\n?$`)

// Sealed is a JSON object with the sum of what it says at its end.
func Sealed(text []byte) []byte {
	said := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}")), "\n")
	said = said[:len(said):len(said)]
	return fmt.Appendf(said, ",\n  \"Sum\": %q\n}\n", sumOf(said))
}

func sumOf(said []byte) string {
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:8])
}

// longestSeal is more than the bytes of a seal.
const longestSeal = 64

// Read reads a file that ends with its sum: a result, a label, what a task gave. One that says something else than its sum is of, or is
// longer than the store writes, is ErrUnsealed. One of an older version has no sum and does not say what code it is of, and is taken as it
// is.
func Read(path string) ([]byte, error) { return unsealed(disk.ReadFile(path)) }

// ReadList is Read of a list that grows with the data: mined pairs.
func ReadList(path string) ([]byte, error) { return unsealed(disk.ReadList(path)) }

func unsealed(text []byte, err error) ([]byte, error) {
	if long, is := errors.AsType[*content.TooLong](err); is {
		return nil, fmt.Errorf("%w: it has %d bytes, and the program writes %d at most", ErrUnsealed, long.Bytes, long.Most)
	}
	if err != nil {
		return nil, err
	}
	end := text[max(0, len(text)-longestSeal):]
	at := Seal.FindSubmatchIndex(end)
	if at == nil {
		if coded(text) {
			return nil, ErrUnsealed
		}
		return text, nil
	}
	if sumOf(text[:len(text)-len(end)+at[0]]) != string(end[at[2]:at[3]]) {
		return nil, ErrUnsealed
	}
	return text, nil
}

// coded tells whether a file says what code it is of, as results and measures do since they have sums.
func coded(text []byte) bool {
	var of struct{ Code string }
	return json.Unmarshal(text, &of) == nil && of.Code != ""
}

// Sum is the SHA-256 of a file.
func Sum(path string) (string, error) {
	sum := sha256.New()
	_, err := copyFile(sum, path)
	return hex.EncodeToString(sum.Sum(nil)), err
}

func copyFile(to io.Writer, path string) (int64, error) {
	file, err := disk.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(to, file)
}
