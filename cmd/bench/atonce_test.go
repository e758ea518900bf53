package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/train"
)

// A run that serves makes the steps that it is asked for, each going on from the one before.
func TestServe(t *testing.T) {
	e, c := executor(t), tiny(t, "InfoNCE", "framework=clip", "batchsize=4")
	p := probe(t, e, c)
	in := must.Get(p.Load(t.Context()))(t)
	defer in.Release()
	var out bytes.Buffer
	must.Do(t, serve(t.Context(), e, c.Run, strings.NewReader("whole\nforward\nwhole\n"), &out))
	answers := json.NewDecoder(&out)
	for _, part := range []train.Part{train.Whole, train.Forward, train.Whole} {
		want, _ := must.Get2((&step{probe: p, part: part, in: in}).once())(t)
		var got answer
		if err := answers.Decode(&got); err != nil || !(got.Seconds > 0) {
			t.Fatalf("%s: got %+v, %v", part, got, err)
		}
		if err := same(got.Losses, want.losses, 1e-6); err != nil {
			t.Errorf("%s: %v", part, err)
		}
	}
	if answers.More() {
		t.Error("there are more answers than lines")
	}
	must.Fail(t, serve(t.Context(), e, c.Run, strings.NewReader("half\n"), &out), `"half"; a step has the parts [backward forward whole]`,
		"asked for a half")
}

// answering is a program that answers on the file descriptor of ours, after so many seconds each.
func answering(t *testing.T, seconds string) func(context.Context) *exec.Cmd {
	path := program(t, fmt.Sprintf(`while read part; do sleep %s; echo '{"seconds": 1, "losses": {}}' >&%d; done`, seconds, answersFile))
	return func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, path) }
}

// Processes beside each other are told by what they get through together, whatever they say themselves, and one that fails is told.
func TestBeside(t *testing.T) {
	for _, processes := range []int{1, 3} {
		got, err := Beside(t.Context(), processes, answering(t, "0.1"))
		if most := 10 * float64(processes); err != nil || !(got <= most && got > most/4) {
			t.Errorf("%d processes: got %v steps a second, want up to %v; %v", processes, got, most, err)
		}
	}
	broken := program(t, "echo out of memory >&2; exit 1")
	must.Fail(t, must.Err(Beside(t.Context(), 2, func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, broken) })),
		"out of memory", "a program that fails")
	crashing := program(t, "(echo SIGSEGV; echo; echo 'goroutine 1'; echo gs 0x0) >&2; exit 2")
	must.Fail(t, must.Err(Beside(t.Context(), 1, func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, crashing) })),
		"ended: SIGSEGV", "a program that crashes")
	missing := exec.Command("/nowhere")
	if _, err := Beside(t.Context(), 1, func(context.Context) *exec.Cmd { return missing }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is missing: got %v", err)
	}
}

// A cancelled context ends the processes.
func TestBesideStops(t *testing.T) {
	asleep := program(t, "exec sleep 1000")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("enough"))
	defer cancel()
	must.Fail(t, must.Err(Beside(ctx, 2, func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, asleep) })), "enough")
}

// A group's time is that of a step while the others are made, so that pairs a second are of all.
func TestBesideLine(t *testing.T) {
	c := tiny(t, "InfoNCE", "batchsize=4")
	line := newLine("whole step, 3 runs at once", Step, Times{0.5})
	line.Runs = 3
	if line = c.of(line); math.Abs(line.Pairs-3*4/0.5) > 1e-9 {
		t.Errorf("got %v pairs a second, want 24", line.Pairs)
	}
}

func TestWaysBeside(t *testing.T) {
	racing := []*peer{{way: way{eager, 1, false}}, {way: way{eager, 4, true}}, {way: way{compiled, 1, false}}}
	if got := waysBeside(racing, 1<<20); !slices.Equal(got, []way{{eager, 1, true}, {compiled, 1, true}}) {
		t.Errorf("got %v, want one thread in each mode", got)
	}
}
