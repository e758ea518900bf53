package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/watchdog"
)

// State is how far a task is, by the store's files.
type State string

// States of a task.
const (
	Waiting State = "waiting"
	Running State = "running"
	Failed  State = "failed" // by an error, which its note has
	Done    State = "done"
)

// Done reports whether a task is finished: its result is there.
func (s *Sweep) Done(index int) bool {
	result := filepath.Join(s.Home, filepath.FromSlash(s.Tasks[index].Result))
	// Opening the folder makes a network file system ask its server, which may know of a file that this node has not seen.
	if dir, err := os.Open(filepath.Dir(result)); err == nil {
		dir.Close()
	}
	_, err := disk.Stat(result)
	return err == nil
}

// Undone are the indices of tasks that are not finished.
func (s *Sweep) Undone() []int {
	var all []int
	for i := range s.Tasks {
		if !s.Done(i) {
			all = append(all, i)
		}
	}
	return all
}

// note is where a task's error stands.
func (s *Sweep) note(index int) string {
	return filepath.Join(s.Dir(), failedName, strconv.Itoa(index)+".txt")
}

// Failure is what went wrong with a task when it was last tried; empty for nothing.
func (s *Sweep) Failure(index int) string {
	text, err := disk.ReadFile(s.note(index))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// stuck is the file in which a task's worker writes that it may be stuck, and when it did so last; the zero time for never.
func (s *Sweep) stuck(index int) (file string, at time.Time) {
	file = filepath.Join(s.Home, filepath.FromSlash(path.Dir(s.Tasks[index].Result)), watchdog.FileName)
	if info, err := disk.Stat(file); err == nil {
		at = info.ModTime()
	}
	return file, at
}

// doomed reports whether a task needs one that has failed.
func (s *Sweep) doomed(index int) bool {
	return slices.ContainsFunc(s.Tasks[index].Needs,
		func(need int) bool { return !s.Done(need) && (s.Failure(need) != "" || s.doomed(need)) })
}

// fail notes a task's error.
func (s *Sweep) fail(index int, what error) error {
	if err := disk.WriteFile(s.note(index), []byte(what.Error()+"\n"), 0o644); err != nil {
		return fmt.Errorf("sweep: noting that a task failed (%w): %w", what, err)
	}
	return nil
}

// Forget takes the notes of failures away, so that the tasks are tried again.
func (s *Sweep) Forget(indices ...int) error {
	for _, i := range indices {
		if err := disk.Remove(s.note(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	return nil
}

// Progress is where a sweep stands.
type Progress struct {
	Done, Running, Failed, Of int
	Tasks                     []State // by their indices
	Message                   string  // a line worth telling; empty otherwise
}

// String says it in a line.
func (p Progress) String() string {
	text := fmt.Sprintf("%d of %d done", p.Done, p.Of)
	for _, n := range []struct {
		of    int
		state State
	}{{p.Running, Running}, {p.Of - p.Done - p.Running - p.Failed, Waiting}, {p.Failed, Failed}} {
		if n.of > 0 {
			text += fmt.Sprintf(", %d %s", n.of, n.state)
		}
	}
	return text
}

// Progress reads the sweep's progress from the store's files. busy reports whether a process has the folder of a run.
func (s *Sweep) Progress(busy func(run string) bool) Progress {
	p := Progress{Of: len(s.Tasks), Tasks: make([]State, len(s.Tasks))}
	for i, t := range s.Tasks {
		switch {
		case s.Done(i):
			p.Tasks[i] = Done
			p.Done++
		case t.Run == "" && busy(t.ID):
			p.Tasks[i] = Running
			p.Running++
		case s.Failure(i) != "" || slices.ContainsFunc(t.Needs, func(need int) bool { return p.Tasks[need] == Failed }):
			p.Tasks[i] = Failed
			p.Failed++
		default:
			p.Tasks[i] = Waiting
		}
	}
	return p
}
