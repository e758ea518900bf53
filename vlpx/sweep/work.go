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

// Call says what a worker is started for.
type Call struct {
	Plan string // the plan's file
	// Task is the task that the process beside tells, with which the worker ends; -1 where a scheduler says it.
	Task int
	// From is the task that a scheduler's index 0 stands for.
	From int
	// Steps has the worker make steps of the task's run on request, in the place of the task, so that it is seen how fast several are
	// beside each other.
	Steps bool
}

// Where a program that is its own worker finds the call.
const (
	planEnv  = "VLPX_SWEEP_PLAN"
	taskEnv  = "VLPX_SWEEP_INDEX"
	fromEnv  = "VLPX_SWEEP_FROM"
	stepsEnv = "VLPX_SWEEP_STEPS"
)

// Called is the call that started this process as the worker of its own program, by its environment; no plan's file where there is none.
func Called() Call {
	c := Call{Plan: os.Getenv(planEnv), Task: -1, Steps: os.Getenv(stepsEnv) != ""}
	c.From, _ = strconv.Atoi(os.Getenv(fromEnv))
	if task, err := strconv.Atoi(os.Getenv(taskEnv)); err == nil {
		c.Task = task
	}
	return c
}

// indexEnvs are where schedulers tell the index of a task: Slurm's job arrays, Kubernetes' Indexed Jobs.
var indexEnvs = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// Index is the index of the task that this process is to do.
func (c Call) Index() (int, error) {
	if c.Task >= 0 {
		return c.Task, nil
	}
	for _, name := range indexEnvs {
		text, set := os.LookupEnv(name)
		if !set {
			continue
		}
		index, err := strconv.Atoi(text)
		if err != nil || index < 0 {
			return 0, fmt.Errorf("sweep: $%s is %q, which is no index; let a scheduler set it", name, text)
		}
		return c.From + index, nil
	}
	return 0, errors.New("sweep: nothing tells which task to work at; start it by vlpx sweep, by Slurm ($SLURM_ARRAY_TASK_ID) or " +
		"Kubernetes ($JOB_COMPLETION_INDEX)")
}

// Beside is the input by which a worker sees that the process beside it, which started it, is gone; nil for other workers.
func (c Call) Beside() io.Reader {
	if c.Task >= 0 {
		return os.Stdin
	}
	return nil
}

// Work does one task and returns the exit status of its process: 0 where the task is finished, [Again] where it was asked to stop, else 1.
// It is asked by SIGTERM, SIGUSR1 and interrupts, which cancel the context that do gets, and, where alive is not nil, by its end, which is
// that of the process behind it. It tells on w.
func (s *Sweep) Work(ctx context.Context, index int, alive io.Reader, w io.Writer, do func(context.Context, Task) error) int {
	if index < 0 || index >= len(s.Tasks) {
		fmt.Fprintf(w, "sweep: there is no task %d; %s has %d\n", index, s.Name, len(s.Tasks))
		return 1
	}
	task := s.Tasks[index]
	if err := s.Forget(index); err != nil {
		fmt.Fprintln(w, err)
		return 1
	}
	if s.Done(index) {
		fmt.Fprintf(w, "%s is there already\n", task.What)
		return 0
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
