package tensorboard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vlpx.internal/internal/test/faults"
	"vlpx.internal/internal/test/must"
)

// Whatever operation on files fails while a run's events grow, the file is whole once it has been updated again, by the same log or by
// another one.
func TestFaults(t *testing.T) {
	all := curves()
	begun := all
	begun.Points, begun.Epochs = all.Points[:2], all.Epochs[:1]
	l := must.Get(Open(t.TempDir()))(t)
	t.Log(faults.Every(t, 0, faults.Program{
		Do: func(dir string) error {
			if l.dir != dir {
				other, err := Open(dir)
				if err != nil {
					return err
				}
				l = other
			}
			return errors.Join(l.Update("run", begun, time.Unix(1, 0)), l.Update("run", all, time.Unix(2, 0)))
		},
		Done: func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, "run", fileName))
			if err != nil {
				return err
			}
			events, err := readEvents(text)
			if err == nil && len(events) != 1+len(all.Points)+len(all.Epochs) {
				err = errors.New("events are missing, or there twice")
			}
			return err
		},
	}))
}
