package engine

import (
	"errors"
	"io"
	"testing"

	"vlpx.internal/internal/test/faults"
)

// Whatever operation on files fails while the library is installed, after the next try there is the whole one, and nothing beside it.
func TestFaults(t *testing.T) {
	r, _, _ := tiny(t)
	wanted := r.libraries[platform()].sha256
	t.Log(faults.Every(t, 30, faults.Program{
		Do: func(dir string) error {
			_, err := r.install(t.Context(), dir, io.Discard)
			return err
		},
		Done: func(dir string) error {
			if sum, err := sha256File(r.path(dir)); err != nil || sum != wanted {
				return errors.Join(err, errors.New("the library is another one"))
			}
			return faults.Left(dir, faults.Hidden)
		},
	}))
}
