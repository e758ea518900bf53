package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"

	"vlpx.internal/cmd/bench"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
)

// Beside is the command of a process that makes steps of the index-th case.
type Beside func(ctx context.Context, index int) *exec.Cmd

// BesideBy is this program with the same arguments, and a flag with the index.
func BesideBy(flag string) (Beside, error) {
	return again(func(c *exec.Cmd, index int) { c.Args = append(c.Args, fmt.Sprintf("%s=%d", flag, index)) })
}

// again is this program with the same arguments, and what of says besides.
func again(of func(c *exec.Cmd, index int)) (Beside, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("benchmark: %w", err)
	}
	return func(ctx context.Context, index int) *exec.Cmd {
		c := exec.CommandContext(ctx, program, os.Args[1:]...)
		c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GONB_") }) // it writes on no page
		of(c, index)
		return c
	}, nil
}

// MeasureSpeedInProgram is MeasureSpeed in a program other than the vlpx command, such as a cell: the processes beside it are the program
// itself, started again, since only that has the parts that it defines. In one of them it makes steps and returns an [Exit].
func MeasureSpeedInProgram(ctx context.Context, of Speed, o Options, say func(string)) (result bench.Result, err error) {
	settings, err := of.settings()
	if err != nil {
		return result, err
	}
	cases, store, err := of.cases(o)
	if err != nil {
		return result, err
	}
	if index, started := called(cases); index >= 0 {
		return result, ended(serve(ctx, store, cases[index].Run))
	} else if started {
		return result, nil
	}
	name := nameOf(cases)
	settings.Again, err = again(func(c *exec.Cmd, index int) { c.Env = append(c.Env, fmt.Sprintf("%s=%s:%d", stepsEnv, name, index)) })
	if err != nil {
		return result, err
	}
	return measureSpeed(ctx, cases, store, settings, say)
}

// stepsEnv says which steps a process of MeasureSpeedInProgram is to make: the call's name, a colon, and the index of the case.
const stepsEnv = "VLPX_BENCH_STEPS"

// nameOf names a call among others of the same program.
func nameOf(cases []bench.Case) string {
	sum := sha256.New()
	for _, c := range cases {
		fmt.Fprintln(sum, c.Scale, c.Run.ID())
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// called reports whether this process was started again, and for which of the cases; -1 where it is for those of another call.
func called(cases []bench.Case) (index int, started bool) {
	call, started := os.LookupEnv(stepsEnv)
	name, text, _ := strings.Cut(call, ":")
	if index, err := strconv.Atoi(text); err == nil && name == nameOf(cases) && index >= 0 && index < len(cases) {
		return index, started
	}
	return -1, started
}

// serve makes steps of a run for the process that has started this one.
func serve(ctx context.Context, store *run.Store, r run.Run) error {
	return guard(func() error {
		return onEngine(func(backend compute.Backend, name string) error {
			return bench.Serve(ctx, &run.Executor{Store: store, Backend: backend, Engine: name, Versions: engine.Versions()}, r)
		})
	})
}
