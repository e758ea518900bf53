package run

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// sums are those of the run's files that are not JSON objects of ours, for its result.
func (s *Store) sums(r Run) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range []string{tokenizerName, train.CurvesName} {
		switch sum, err := store.Sum(filepath.Join(s.Dir(r), name)); {
		case errors.Is(err, fs.ErrNotExist): // a model without texts has no tokenizer
		case err != nil:
			return nil, fmt.Errorf("run: %w", err)
		default:
			all[name] = sum
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
	path := filepath.Join(k.Dir, name)
	text, err := disk.ReadList(path) // of a bounded size, whatever stands there now
	switch {
	case err != nil:
		return present(err)
	case fmt.Sprintf("%x", sha256.Sum256(text)) != was:
		return fmt.Errorf("run: %s: %w; vlpx store verify says what to do", path, store.ErrUnsealed)
	}
	return nil
}
