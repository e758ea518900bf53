package sweep

import (
	"context"
	"os"
	"os/exec"
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

	pool
	slots []slot
}

// slot is the place of a worker.
type slot struct {
	cores []int
	gpu   string
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
	l.slots = share(l.Jobs, engine.Processors(), l.GPUs)
	l.start, l.stop = l.startOn, terminate
	l.open(s, w, len(l.slots))
	return nil
}

// startOn starts a worker on the processors and the device of a slot.
func (l *Local) startOn(k int, call Call, input, log *os.File) (*exec.Cmd, error) {
	c := l.sweep.command(context.Background(), l.worker, call) // which Stop ends
	c.Stdin, c.Stdout, c.Stderr = input, log, log
	if gpu := l.slots[k].gpu; gpu != "" {
		c.Env = append(c.Env, cudaEnv+"="+gpu)
	}
	return c, engine.StartOn(c, l.slots[k].cores)
}

// cudaEnv tells a worker its devices.
const cudaEnv = "CUDA_VISIBLE_DEVICES"

// Pace is the time between looks at the files.
func (l *Local) Pace() time.Duration { return 200 * time.Millisecond }
