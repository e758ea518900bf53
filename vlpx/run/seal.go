package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"

	"vlpx.internal/datasets/content"
	"vlpx.internal/vlpx/train"
)

// errUnsealed says that a file is not as it was written.
var errUnsealed = errors.New("it is not as the program wrote it: somebody has changed it by hand, or a disk has")

// seal is where a JSON file ends with the sum of what stands before, of as many bytes as all sums have.
var seal = regexp.MustCompile(`,\n  "Sum": "([0-9a-f]{16})"\n}\n?$`)

// sealed is a JSON object with the sum of what it says at its end.
func sealed(text []byte) []byte {
	said := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}")), "\n")
	said = said[:len(said):len(said)]
	return fmt.Appendf(said, ",\n  \"Sum\": %q\n}\n", sumOf(said))
}

func sumOf(said []byte) string {
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:8])
}

// readSealed reads a file that ends with its sum: a result, a label, what a task gave, mined pairs. One that says something else than its
// sum is of is errUnsealed. One of an older version has no sum and is taken as it is.
func readSealed(path string) ([]byte, error) {
	file, err := content.Regular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	if at := seal.FindSubmatchIndex(text); at != nil && sumOf(text[:at[0]]) != string(text[at[2]:at[3]]) {
		return nil, errUnsealed
	}
	return text, nil
}

// sums are those of the run's files that are not JSON objects of ours, for its result.
func (s *Store) sums(r Run) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range []string{tokenizerName, train.CurvesName} {
		sum := sha256.New()
		switch _, err := copyFile(sum, filepath.Join(s.Dir(r), name)); {
		case errors.Is(err, fs.ErrNotExist): // a model without texts has no tokenizer
		case err != nil:
			return nil, fmt.Errorf("run: %w", err)
		default:
			all[name] = hex.EncodeToString(sum.Sum(nil))
		}
	}
	return all, nil
}

// Unchanged is nil where a file of the run is as its result says, or is not there. Results of older versions say nothing of files.
func (k Kept) Unchanged(name string) error {
	was, kept := k.Result.Files[name]
	if !kept {
		return nil
	}
	path, sum := filepath.Join(k.Dir, name), sha256.New()
	if _, err := copyFile(sum, path); err != nil {
		return present(err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != was {
		return changed(path)
	}
	return nil
}

func changed(path string) error {
	return fmt.Errorf("run: %s: %w; vlpx store verify says what to do", path, errUnsealed)
}
