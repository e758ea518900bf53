package locked

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/faults"
)

// Whatever operation on files fails while a cache is made, the next call makes the rest of the same one.
func TestFaults(t *testing.T) {
	e, images := small(t), 2*batch+3
	s := store(t, enginetest.Open(t, "go:ops_sequential"), "")
	var want, got []float32
	t.Log(faults.Every(t, 15, faults.Program{
		Do: func(dir string) error {
			s.Dir = dir
			c, err := s.Open(t.Context(), e, &pictures{n: images}, "data", "train")
			if err != nil {
				return err
			}
			defer c.Close()
			got = tokens(t, c, images)
			return nil
		},
		Done: func(dir string) error {
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				return errors.New("the tokens are others")
			}
			return faults.Left(dir, func(d fs.DirEntry) bool { return faults.Hidden(d) || strings.HasSuffix(d.Name(), unfinished) })
		},
	}))
}
