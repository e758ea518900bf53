package tensorboard

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/train"
)

// fileName is that of a run's events. It is always the same one, so that a run whose events are written again has them once.
const fileName = "events.out.tfevents.0000000000.vlpx"

// Log is a folder for TensorBoard, with a folder a run. It is not for concurrent use.
type Log struct {
	dir  string
	runs map[string]*written
}

// written is what a run's file has.
type written struct {
	points, epochs int
}

// Open makes the folder.
func Open(dir string) (*Log, error) {
	if err := disk.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("tensorboard: %w; choose another folder", err)
	}
	return &Log{dir, map[string]*written{}}, nil
}

// Update writes what a run's curves have got since the last call; the first one writes all of it anew. A file grows by whole records, which
// is what TensorBoard reads it by.
//
//   - name: the run's, which TensorBoard shows.
//   - at: the time of the new events.
func (l *Log) Update(name string, curves train.Curves, at time.Time) error {
	w := l.runs[name]
	if w != nil && w.points == len(curves.Points) && w.epochs == len(curves.Epochs) || len(curves.Points)+len(curves.Epochs) == 0 {
		return nil
	}
	var out bytes.Buffer
	flags := os.O_WRONLY | os.O_APPEND
	if w == nil || len(curves.Points) < w.points || len(curves.Epochs) < w.epochs { // the run went back to its checkpoint
		w = &written{}
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if err := record(&out, header(at)); err != nil {
			return err
		}
	}
	begun := begins(curves)
	epochs := curves.Epochs[w.epochs:]
	write := func(r train.Record) error {
		return record(&out, event(at, begun(r.Epoch+1), ofEpoch(r)))
	}
	for _, p := range curves.Points[w.points:] {
		for len(epochs) > 0 && epochs[0].Epoch < p.Epoch { // in the order of the steps
			if err := write(epochs[0]); err != nil {
				return err
			}
			epochs = epochs[1:]
		}
		if err := record(&out, event(at, begun(p.Epoch)+p.Step, ofPoint(p))); err != nil {
			return err
		}
	}
	for _, r := range epochs {
		if err := write(r); err != nil {
			return err
		}
	}
	if err := l.append(name, flags, out.Bytes()); err != nil {
		delete(l.runs, name) // the file may end in a part of a record, and is written anew
		return fmt.Errorf("tensorboard: %w", err)
	}
	l.runs[name] = &written{len(curves.Points), len(curves.Epochs)}
	return nil
}

// append puts bytes into a run's file.
func (l *Log) append(name string, flags int, content []byte) error {
	dir := filepath.Join(l.dir, strings.ReplaceAll(name, string(filepath.Separator), "-"))
	if err := disk.MkdirAll(dir); err != nil {
		return err
	}
	file, err := disk.OpenFile(filepath.Join(dir, fileName), flags, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// begins tells how many steps stand before an epoch. Of an epoch of an older run, which does not tell its steps, those up to its last point
// count.
func begins(curves train.Curves) func(epoch int) int {
	steps := map[int]int{}
	for _, p := range curves.Points {
		steps[p.Epoch] = max(steps[p.Epoch], p.Step+1)
	}
	for _, r := range curves.Epochs {
		if r.Steps > 0 {
			steps[r.Epoch] = r.Steps
		}
	}
	return func(epoch int) (before int) {
		for k := range epoch {
			before += steps[k]
		}
		return before
	}
}

// ofPoint are the numbers of a step.
func ofPoint(p train.Point) []scalar {
	var all []scalar
	for _, name := range slices.Sorted(maps.Keys(p.Losses)) {
		all = append(all, scalar{"loss/" + string(name), p.Losses[name]})
	}
	all = append(all, scalar{"step/learning rate", p.Rate}, scalar{"step/gradient norm", p.GradientNorm},
		scalar{"step/temperature", p.Temperature})
	if p.Improvement != 0 {
		all = append(all, scalar{"step/improvement", p.Improvement})
	}
	for _, n := range p.Numbers {
		if v, is := n.Value(); is {
			all = append(all, scalar{"reported/" + n.Name, v})
		}
	}
	return all
}

// ofEpoch are the numbers of an epoch: mean losses, what training counted, and what was measured on the validation split.
func ofEpoch(r train.Record) []scalar {
	var all []scalar
	for _, name := range slices.Sorted(maps.Keys(r.Losses)) {
		all = append(all, scalar{"epoch loss/" + string(name), r.Losses[name]})
	}
	counted := r.Counted()
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		all = append(all, scalar{"epoch/" + name, counted[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		all = append(all, scalar{"validation/" + name, r.Metrics[name]})
	}
	return all
}
