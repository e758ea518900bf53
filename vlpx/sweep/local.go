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
	"time"

	"vlpx.internal/vlpx/engine"
)

// Local is this machine: a number of workers at once, each a process of its own on processors of its own.
type Local struct {
	// Jobs are the workers at once; 0 for one a device where GPUs are named, else one a processor.
	Jobs int
	// GPUs are the devices to share out, one a worker in turn, or some together with commas, as $CUDA_VISIBLE_DEVICES names them; none for
	// an engine that has none.
	GPUs []string

	sweep   *Sweep
	worker  Worker
	slots   []slot
	waiting []int
	running map[int]*process // by slot
	ended   chan end
}

// slot is the place of a worker.
type slot struct {
	cores []int
	gpu   string
}

// process is a worker at its task.
type process struct {
	index int
	cmd   *exec.Cmd
	alive *os.File // which ends with this process, and tells the worker so
}

// end is a worker's.
type end struct {
	slot  int
	again bool
}

// share shares processors and devices out to jobs.
func share(jobs int, cpus []int, gpus []string) []slot {
	if jobs == 0 {
		if jobs = len(cpus); len(gpus) > 0 {
			jobs = len(gpus)
		}
	}
	slots := make([]slot, max(jobs, 1))
	for k, cores := range engine.Shares(len(slots), cpus) {
		slots[k].cores = cores
		if len(gpus) > 0 {
			slots[k].gpu = gpus[k%len(gpus)]
		}
	}
	return slots
}

// Begin shares the machine out.
func (l *Local) Begin(_ context.Context, s *Sweep, w Worker) error {
	l.sweep, l.worker, l.slots = s, w, share(l.Jobs, engine.Processors(), l.GPUs)
	l.ended, l.running = make(chan end, len(l.slots)), map[int]*process{}
	return nil
}

// Launch takes tasks, which begin once there is a place for them and what they need is finished.
func (l *Local) Launch(_ context.Context, tasks []int) error {
	l.waiting = append(l.waiting, tasks...)
	slices.Sort(l.waiting)
	return l.fill()
}

// Queued are the tasks that wait for a place or have one.
func (l *Local) Queued(context.Context) (map[int]bool, error) {
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
func (l *Local) reap() {
	for {
		select {
		case e := <-l.ended:
			p := l.running[e.slot]
			delete(l.running, e.slot)
			p.alive.Close()
			if e.again {
				l.waiting = append(l.waiting, p.index)
				slices.Sort(l.waiting)
			}
		default:
			return
		}
	}
}

// fill gives free places to tasks whose needs are finished, and forgets those whose needs have failed.
func (l *Local) fill() error {
	l.waiting = slices.DeleteFunc(l.waiting, l.sweep.doomed)
	for k := range l.slots {
		if l.running[k] != nil {
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
		if err := l.start(k, index); err != nil {
			return err
		}
	}
	return nil
}

// start starts a worker.
func (l *Local) start(k, index int) error {
	log, err := os.OpenFile(l.Log(index), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer log.Close()
	input, alive, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer input.Close()
	c := l.sweep.command(context.Background(), l.worker, Call{Plan: l.sweep.PlanFile(), Task: index}) // which Stop ends
	c.Stdin, c.Stdout, c.Stderr = input, log, log
	if gpu := l.slots[k].gpu; gpu != "" {
		c.Env = append(c.Env, "CUDA_VISIBLE_DEVICES="+gpu)
	}
	if err := engine.StartOn(c, l.slots[k].cores); err != nil {
		alive.Close()
		return fmt.Errorf("sweep: starting a worker: %w", err)
	}
	l.running[k] = &process{index, c, alive}
	go func() {
		err := c.Wait()
		var status *exec.ExitError
		l.ended <- end{k, errors.As(err, &status) && status.ExitCode() == Again}
	}()
	return nil
}

// Log is where a task's workers write.
func (l *Local) Log(index int) string {
	return filepath.Join(l.sweep.Dir(), logsName, strconv.Itoa(index)+".log")
}

// Stop asks all workers to keep what they have, and waits for their ends.
func (l *Local) Stop() {
	l.waiting = nil
	for _, p := range l.running {
		terminate(p.cmd.Process)
		p.alive.Close()
	}
	for len(l.running) > 0 {
		e := <-l.ended
		delete(l.running, e.slot)
	}
}

// Pace is the time between looks at the files.
func (l *Local) Pace() time.Duration { return 200 * time.Millisecond }
