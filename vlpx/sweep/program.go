package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vlpx.internal/vlpx/disk"
)

// Worker says how a sweep's tasks are started: by a copy of a program, which stays what it is while the sweep goes on, whatever is built
// anew.
type Worker struct {
	// Args come before the plan's file; none where the program is its own worker, which reads its environment.
	Args []string
	own  []string // arguments of a program that is its own worker

	program, hash string
}

// NewWorker is this program as the worker of its own, to be started again with the same arguments.
func NewWorker() (Worker, error) {
	program, err := os.Executable()
	if err != nil {
		return Worker{}, fmt.Errorf("sweep: %w", err)
	}
	return workerOf(program, os.Args[1:]...)
}

// workerOf is a program with arguments of its own.
func workerOf(program string, own ...string) (Worker, error) {
	file, err := disk.Open(program)
	if err != nil {
		return Worker{}, fmt.Errorf("sweep: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return Worker{}, fmt.Errorf("sweep: %w", err)
	}
	return Worker{own: own, program: program, hash: hex.EncodeToString(sum.Sum(nil)[:8])}, nil
}

// Program is where the copy of the program lies in a sweep's folder. Its name tells its content: the file of a program that runs on another
// node must not be replaced, as a network file system would take it from under that.
func (w Worker) Program(s *Sweep) string { return filepath.Join(s.Dir(), programPrefix+w.hash) }

// Needs is how many bytes the copy of the program will take in a sweep's folder; 0 where it is there.
func (w Worker) Needs(s *Sweep) (int64, error) {
	if _, err := disk.Stat(w.Program(s)); err == nil {
		return 0, nil
	}
	info, err := disk.Stat(w.program)
	if err != nil {
		return 0, fmt.Errorf("sweep: %w", err)
	}
	return info.Size(), nil
}

// command is a worker's arguments for a call, and what its environment has besides where the program is its own worker.
func (w Worker) command(c Call) (args, env []string) {
	if w.Args == nil {
		env = []string{planEnv + "=" + c.Plan, fromEnv + "=" + strconv.Itoa(c.From)}
		if c.Task >= 0 {
			env = append(env, taskEnv+"="+strconv.Itoa(c.Task))
		}
		if c.Steps {
			env = append(env, stepsEnv+"=1")
		}
		return w.own, env
	}
	args = append(slices.Clone(w.Args), c.Plan)
	if c.From > 0 {
		args = append(args, "-from", strconv.Itoa(c.From))
	}
	if c.Task >= 0 {
		args = append(args, "-task", strconv.Itoa(c.Task))
	}
	if c.Steps {
		args = append(args, "-steps")
	}
	return args, nil
}

// command is a worker on this machine, beside this process, for a call.
func (s *Sweep) command(ctx context.Context, w Worker, call Call) *exec.Cmd {
	args, env := w.command(call)
	c := exec.CommandContext(ctx, w.Program(s), args...)
	c.SysProcAttr = apart
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GONB_") }),
		env...) // a worker writes on no page
	return c
}

// Steps is a worker that makes steps of a task's run on request, in the place of the task. The sweep is written before.
func (s *Sweep) Steps(ctx context.Context, w Worker, task int) *exec.Cmd {
	return s.command(ctx, w, Call{Plan: s.PlanFile(), Task: task, Steps: true})
}

// copyTo copies the program into a sweep's folder, unless it is there.
func (w Worker) copyTo(s *Sweep) error {
	to := w.Program(s)
	if _, err := disk.Stat(to); err == nil {
		return nil
	}
	source, err := disk.Open(w.program)
	if err != nil {
		return err
	}
	defer source.Close()
	file, err := disk.NewPending(to, 0o755)
	if err != nil {
		return err
	}
	defer file.Discard()
	if _, err := io.Copy(file, source); err != nil {
		return err
	}
	return file.Place()
}

// Tidy takes copies of programs away, once no task is left for them.
func (s *Sweep) Tidy() error {
	all, err := filepath.Glob(filepath.Join(s.Dir(), programPrefix+"*"))
	for _, file := range all {
		err = errors.Join(err, disk.Remove(file))
	}
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	return nil
}
