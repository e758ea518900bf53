package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"vlpx.internal/vlpx/disk"
)

// pool is a number of places, each with a worker at a time: a process that this one has started beside itself, and that ends with it.
type pool struct {
	sweep   *Sweep
	worker  Worker
	places  int
	waiting []int
	running map[int]*process // by place
	ended   chan end

	// start starts a worker at a place for a call, with its input and its output.
	start func(place int, call Call, input, log *os.File) (*exec.Cmd, error)
	// stop asks a worker to stop; nil where the end of its input does.
	stop func(*os.Process) error
	// free tells whether a place takes a worker now; nil where it always does.
	free func(place int) bool
	// lost tells of the exit status of a worker whether its task is to be started again, beside Again; nil for none.
	lost func(place, index, status int) bool
}

// process is a worker at its task.
type process struct {
	index int
	cmd   *exec.Cmd
	alive *os.File // which ends with this process, and tells the worker so
}

// end is a worker's, with its exit status; -1 of one that was killed.
type end struct{ place, status int }

// open makes ready for a sweep.
func (l *pool) open(s *Sweep, w Worker, places int) {
	l.sweep, l.worker, l.places = s, w, places
	l.ended, l.running = make(chan end, places), map[int]*process{}
}

// Launch takes tasks, which begin once there is a place for them and what they need is finished.
func (l *pool) Launch(_ context.Context, tasks []int) error {
	l.waiting = append(l.waiting, tasks...)
	slices.Sort(l.waiting)
	return l.fill()
}

// Queued are the tasks that wait for a place or have one.
func (l *pool) Queued(context.Context) (map[int]bool, error) {
	l.reap()
	if err := l.fill(); err != nil {
		return nil, err
	}
	all := map[int]bool{}
	for _, i := range l.waiting {
		all[i] = true
	}
	for _, p := range l.running {
		all[p.index] = true
	}
	return all, nil
}

// reap takes in what has ended.
func (l *pool) reap() {
	for {
		select {
		case e := <-l.ended:
			p := l.running[e.place]
			delete(l.running, e.place)
			p.alive.Close()
			lost := l.lost != nil && l.lost(e.place, p.index, e.status)
			if (lost || e.status == Again) && !l.sweep.Done(p.index) {
				l.waiting = append(l.waiting, p.index)
				slices.Sort(l.waiting)
			}
		default:
			return
		}
	}
}

// fill gives free places to tasks whose needs are finished, and forgets those whose needs have failed.
func (l *pool) fill() error {
	l.waiting = slices.DeleteFunc(l.waiting, l.sweep.doomed)
	for k := range l.places {
		if l.running[k] != nil || l.free != nil && !l.free(k) {
			continue
		}
		i := slices.IndexFunc(l.waiting, func(i int) bool {
			return !slices.ContainsFunc(l.sweep.Tasks[i].Needs, func(need int) bool { return !l.sweep.Done(need) })
		})
		if i < 0 {
			break
		}
		index := l.waiting[i]
		l.waiting = slices.Delete(l.waiting, i, i+1)
		if err := l.begin(k, index); err != nil {
			return err
		}
	}
	return nil
}

// begin starts a worker.
func (l *pool) begin(k, index int) error {
	log, err := disk.OpenFile(l.Log(index), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer log.Close()
	input, alive, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer input.Close()
	c, err := l.start(k, Call{Plan: l.sweep.PlanFile(), Task: index}, input, log.File)
	if err != nil {
		alive.Close()
		return fmt.Errorf("sweep: starting a worker: %w", err)
	}
	l.running[k] = &process{index, c, alive}
	go func() {
		status := 0
		var failed *exec.ExitError
		if err := c.Wait(); errors.As(err, &failed) {
			status = failed.ExitCode()
		}
		l.ended <- end{k, status}
	}()
	return nil
}

// Log is where a task's workers write.
func (l *pool) Log(index int) string {
	return filepath.Join(l.sweep.Dir(), logsName, strconv.Itoa(index)+".log")
}

// Stop asks all workers to keep what they have, and waits for their ends.
func (l *pool) Stop() {
	l.waiting = nil
	for _, p := range l.running {
		if l.stop != nil {
			l.stop(p.cmd.Process)
		}
		p.alive.Close()
	}
	for len(l.running) > 0 {
		e := <-l.ended
		delete(l.running, e.place)
	}
}
