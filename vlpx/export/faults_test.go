package export

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"vlpx.internal/internal/test/faults"
	"vlpx.internal/internal/test/must"
)

// Whatever operation on files fails while a model is exported over an earlier export: there is one of both or none, and after the next try
// the new one and nothing beside it.
func TestFaults(t *testing.T) {
	r, tokenizer := small(t)
	kept, m := drawn(t, r, tokenizer)
	earlier := kept
	earlier.Result.Method = "another"
	place := func(dir string) string { return filepath.Join(dir, "one") }
	one, other := t.TempDir(), t.TempDir()
	must.Do(t, Write(one, earlier, m))
	must.Do(t, Write(other, kept, m))
	before, after := contents(t, one), contents(t, other)
	t.Log(faults.Every(t, 30, faults.Program{
		Prepare: func(t *testing.T, dir string) { must.Do(t, Write(place(dir), earlier, m)) },
		Do:      func(dir string) error { return Write(place(dir), kept, m) },
		Readable: func(dir string) error {
			if _, err := os.Stat(place(dir)); err != nil {
				return nil
			}
			if got := contents(t, place(dir)); !reflect.DeepEqual(got, before) && !reflect.DeepEqual(got, after) {
				return errors.New("there is neither the one nor the other")
			}
			return nil
		},
		Done: func(dir string) error {
			if all := list(t, dir); !slices.Equal(all, []string{"one"}) || !reflect.DeepEqual(contents(t, place(dir)), after) {
				return fmt.Errorf("there is %v, or another export", all)
			}
			return nil
		},
	}))
}
