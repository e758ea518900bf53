package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/tensorboard"
	"vlpx.internal/vlpx/train"
)

// eventsEvery is the time between looks at the curves of runs, whichever process trains them.
const eventsEvery = 2 * time.Second

// events writes event files of the grid's runs for TensorBoard, if that is asked for, until stop, which writes what is left and says what
// went wrong.
func (g *Grid) events() (stop func() error, err error) {
	if g.TensorBoard == "" {
		return func() error { return nil }, nil
	}
	log, err := tensorboard.Open(g.TensorBoard)
	if err != nil {
		return nil, err
	}
	seen := map[string]time.Time{} // when the curves of a run were last written
	look := func() error {
		for _, r := range g.Plan.Runs() {
			dir := g.Store.Dir(r)
			info, err := os.Stat(filepath.Join(dir, train.CurvesName))
			if errors.Is(err, fs.ErrNotExist) || err == nil && info.ModTime().Equal(seen[dir]) {
				continue
			}
			if err != nil {
				return fmt.Errorf("tensorboard: %w", err)
			}
			curves, err := train.ReadCurves(dir)
			if err != nil {
				return err
			}
			if err := log.Update(fmt.Sprintf("%s, seed %d (%s)", r.Train.Method.Name, r.Train.Seed, run.Short(r.ID())), curves,
				info.ModTime()); err != nil {
				return err
			}
			seen[dir] = info.ModTime()
		}
		return nil
	}
	end, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-end:
				ended <- look()
				return
			case <-time.After(eventsEvery):
				look() // what goes wrong is tried again, and told at the end
			}
		}
	}()
	return func() error {
		close(end)
		return <-ended
	}, nil
}
