package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
)

// Again is the exit status of a worker that was asked to stop, has kept what it did, and wants to be started again. Slurm's RequeueExit and
// Kubernetes' podFailurePolicy can be told of it.
const Again = 75 // EX_TEMPFAIL of sysexits.h

// What a worker reads of its environment, where the program that sweeps is its own worker.
const (
	planEnv  = "VLPX_SWEEP_PLAN"
	indexEnv = "VLPX_SWEEP_INDEX"
	fromEnv  = "VLPX_SWEEP_FROM"
	// rehearseEnv is set where steps are to be made in the place of the task.
	rehearseEnv = "VLPX_SWEEP_REHEARSE"
)

// indexEnvs are where schedulers tell the index of a task: Slurm's job arrays, Kubernetes' Indexed Jobs.
var indexEnvs = []string{indexEnv, "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// Index is the index of the task that this process is to do: what a scheduler tells, plus from, which is that of its first task.
func Index(from int) (int, error) {
	for _, name := range indexEnvs {
		text, told := os.LookupEnv(name)
		if !told {
			continue
		}
		index, err := strconv.Atoi(text)
		if err != nil || index < 0 {
			return 0, fmt.Errorf("sweep: $%s is %q, which is no index; let a scheduler set it", name, text)
		}
		if name == indexEnv { // which is whole
			return index, nil
		}
		return from + index, nil
	}
	return 0, errors.New("sweep: nothing tells which task to work at; start it by vlpx sweep, by Slurm ($SLURM_ARRAY_TASK_ID) or Kubernetes ($JOB_COMPLETION_INDEX)")
}

// Behind is the input of a worker that a process beside it has started: it ends with that process. nil for other workers.
func Behind() io.Reader {
	if _, told := os.LookupEnv(indexEnv); told {
		return os.Stdin
	}
	return nil
}

// Called tells by the environment whether this process was started as the worker of its own program, for which plan and with which first index.
func Called() (planFile string, from int) {
	from, _ = strconv.Atoi(os.Getenv(fromEnv))
	return os.Getenv(planEnv), from
}

// Rehearses tells that this worker is to make steps of its task's run when it is asked for, and not the task, so that it is seen how fast several are
// beside each other.
func Rehearses() bool { return os.Getenv(rehearseEnv) != "" }

// Work does one task and returns the exit status of its process: 0 where the task is finished, [Again] where it was asked to stop, else 1. It is
// asked by SIGTERM, SIGUSR1 and interrupts, which cancel the context that do gets, and, where alive is not nil, by its end, which is that of
// the process behind it. It tells on w.
func (s *Sweep) Work(ctx context.Context, index int, alive io.Reader, w io.Writer, do func(context.Context, Task) error) int {
	if index < 0 || index >= len(s.Tasks) {
		fmt.Fprintf(w, "sweep: there is no task %d; %s has %d\n", index, s.Name, len(s.Tasks))
		return 1
	}
	task := s.Tasks[index]
	if s.Done(index) {
		fmt.Fprintf(w, "%s is there already\n", task.What)
		return 0
	}
	if err := s.Forget(index); err != nil {
		fmt.Fprintln(w, err)
		return 1
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals, end := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, stopping...)
	defer close(end)
	defer signal.Stop(signals)
	go func() {
		select {
		case asked := <-signals:
			cancel(stopped{by: asked})
		case <-end:
		}
	}()
	if alive != nil {
		go func() {
			io.Copy(io.Discard, alive)
			cancel(errors.New("the process that started it is gone"))
		}()
	}
	fmt.Fprintf(w, "%s: task %d of %s\n", task.What, index, s.Name)
	err := do(ctx, task)
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrAgain) || cause != nil && (errors.Is(err, cause) || errors.Is(err, context.Canceled)):
		fmt.Fprintf(w, "%s goes on when it is started again: %v\n", task.What, cmp.Or(cause, err))
		var by stopped
		if errors.As(cause, &by) && by.by == soon {
			if err := requeue(context.WithoutCancel(ctx)); err != nil {
				fmt.Fprintln(w, err)
			}
		}
		return Again
	}
	fmt.Fprintf(w, "%s: %v\n", task.What, err)
	if err := s.fail(index, err); err != nil {
		fmt.Fprintln(w, err)
	}
	return 1
}

// ErrAgain is what a task gives that is to be started again though nobody asked it to stop.
var ErrAgain = errors.New("start it again")

// stopped is the cause of a worker's context that a signal cancelled.
type stopped struct{ by os.Signal }

func (s stopped) Error() string { return "stopped by the signal " + s.by.String() }
