package lab

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/datasets/layout"
	"vlpx.internal/internal/test/faults"
	"vlpx.internal/internal/test/must"
)

// Whatever operation on files fails while scenes are exported, there is no folder or the whole one, and nothing is left beside it.
func TestFaultsOfExportedData(t *testing.T) {
	d := must.Get(OpenData(Options{Scale: "tiny", Set: []string{"scenes.train=2", "scenes.val=1", "scenes.test=1"}}))(t)
	place := func(dir string) string { return filepath.Join(dir, "data") }
	var want string
	whole := func(dir string) error {
		c, err := layout.Open(place(dir))
		if err != nil {
			return err
		}
		if want == "" {
			want = c.Hash()
		}
		if c.Hash() != want {
			return errors.New("the data are others")
		}
		return nil
	}
	is := func(dir string) bool {
		entries, _ := os.ReadDir(place(dir))
		return len(entries) > 0
	}
	t.Log(faults.Every(t, 40, faults.Program{
		Do: func(dir string) error {
			there := is(dir)
			err := d.Export(t.Context(), place(dir))
			if there { // which is refused
				return nil
			}
			return err
		},
		Readable: func(dir string) error {
			if !is(dir) {
				return nil
			}
			return whole(dir)
		},
		Done: func(dir string) error { return errors.Join(whole(dir), faults.Left(dir, faults.Hidden)) },
	}))
}
