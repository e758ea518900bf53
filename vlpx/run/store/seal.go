package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"

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

// Read reads a file that ends with its sum: a result, a label, what a task gave, mined pairs. One that says something else than its sum is
// of is ErrUnsealed. One of an older version has no sum and is taken as it is.
func Read(path string) ([]byte, error) {
	text, err := disk.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if at := Seal.FindSubmatchIndex(text); at != nil && sumOf(text[:at[0]]) != string(text[at[2]:at[3]]) {
		return nil, ErrUnsealed
	}
	return text, nil
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
