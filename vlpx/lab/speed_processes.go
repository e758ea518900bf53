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

	"vlpx.internal/vlpx/benchmark"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
)

// stepsEnv tells a process of this program, which MeasureSpeed has started again with the same arguments, to make steps in its call: the
// call's name, a colon, and the index of the case.
const stepsEnv = "VLPX_BENCH_STEPS"

// nameOf names a call of MeasureSpeed among others of the same program.
func nameOf(cases []benchmark.Case) string {
	sum := sha256.New()
	for _, c := range cases {
		fmt.Fprintln(sum, c.Scale, c.Run.ID())
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// again is this program, to be started again for a case of a call.
func again(cases []benchmark.Case) (func(ctx context.Context, index int) *exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("benchmark: %w", err)
	}
	name := nameOf(cases)
	return func(ctx context.Context, index int) *exec.Cmd {
		c := exec.CommandContext(ctx, program, os.Args[1:]...)
		c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GONB_") }) // it writes on no page
		c.Env = append(c.Env, fmt.Sprintf("%s=%s:%d", stepsEnv, name, index))
		return c
	}, nil
}

// called reports whether this process was started again, and for which of the cases; -1 where it is for those of another call.
func called(cases []benchmark.Case) (index int, started bool) {
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
			return benchmark.Serve(ctx, &run.Executor{Store: store, Backend: backend, Engine: name, Versions: engine.Versions()}, r)
		})
	})
}
