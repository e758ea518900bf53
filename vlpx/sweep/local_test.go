package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// scripted is a sweep of four tasks, of which the last needs the first and the third the second, whose workers are a shell script. It has
// the task's index as $i, its result's file as $result and the sweep's folder as $dir.
func scripted(t *testing.T, script string) (*Sweep, Worker) {
	t.Helper()
	home := t.TempDir()
	p := &Plan{Artifacts: []string{"x"}}
	for i, needs := range [][]int{nil, nil, {1}, {0}} {
		id := "run" + strconv.Itoa(i)
		p.Add(Task{ID: id, What: id, Needs: needs, Result: "runs/" + id + "/result.json"})
		must.Do(t, os.MkdirAll(filepath.Join(home, "runs", id), 0o755))
	}
	program := filepath.Join(home, "script")
	text := "#!/bin/sh\ni=$VLPX_SWEEP_INDEX dir=${VLPX_SWEEP_PLAN%/*}\nresult=$dir/../../runs/run$i/result.json\necho begun " +
		">>$dir/begun$i\n" + script
	must.Do(t, os.WriteFile(program, []byte(text), 0o755))
	w := must.Get(workerOf(program))(t)
	return New(home, p), w
}

// begun is how often a task's worker was started.
func begun(t *testing.T, s *Sweep, index int) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir(), "begun"+strconv.Itoa(index)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "begun")
}

func idle(string) bool { return false }

// Tasks wait for what they need, those that ask for it are started again, and those that were killed, too.
func TestLocal(t *testing.T) {
	s, w := scripted(t, `
for need in $(test $i = 2 && echo 1) $(test $i = 3 && echo 0); do test -f $dir/../../runs/run$need/result.json || echo early >>$dir/early; done
if [ $i = 1 ] && ! [ -f $dir/again ]; then touch $dir/again; exit 75; fi
if [ $i = 0 ] && ! [ -f $dir/killed ]; then touch $dir/killed; kill -9 $$; fi
sleep .1
touch $result`)
	var told []string
	var last Progress
	must.Do(t, s.Follow(t.Context(), &Local{Jobs: 2}, w, idle, func(p Progress) {
		if last = p; p.Message != "" {
			told = append(told, p.Message)
		}
	}))
	if last.Done != 4 || last.String() != "4 of 4 done" {
		t.Errorf("it ends with %s", last)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "early")); err == nil {
		t.Error("a task began before what it needs was there")
	}
	for i, want := range []int{2, 2, 1, 1} {
		if got := begun(t, s, i); got != want {
			t.Errorf("task %d was begun %d times, want %d", i, got, want)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "run0 ended without a result or a word, and is started again (1 of 3)") {
		t.Errorf("told %q", told)
	}
	again := 0
	if err := s.Follow(t.Context(), &Local{Jobs: 2}, w, idle, func(Progress) { again++ }); err != nil || again != 1 || begun(t, s, 3) != 1 {
		t.Errorf("once more: %v, after %d looks", err, again)
	}
}

// What a worker takes for stuck is told once, and not what lay there before.
func TestLocalStuck(t *testing.T) {
	s, w := scripted(t, `
sleep .5
if [ $i = 1 ]; then echo goroutine 1 >$dir/../../runs/run1/stuck.txt; sleep 1; fi
touch $result`)
	must.Do(t, os.WriteFile(filepath.Join(s.Home, "runs", "run0", "stuck.txt"), nil, 0o644))
	var told []string
	must.Do(t, s.Follow(t.Context(), &Local{Jobs: 2}, w, idle, func(p Progress) {
		if p.Message != "" {
			told = append(told, p.Message)
		}
	}))
	if len(told) != 1 || !strings.Contains(told[0], "run1 may be stuck") || !strings.Contains(told[0], filepath.Join("run1", "stuck.txt")) ||
		!strings.Contains(told[0], "1.log") {
		t.Errorf("told %q", told)
	}
}

// One that fails keeps others from nothing but what needs it, and is tried again by the next call; one that is killed over and over fails,
// too.
func TestLocalFails(t *testing.T) {
	s, w := scripted(t, `
if [ $i = 0 ] && ! [ -f $dir/mended ]; then echo "no such weights" >$dir/failed/$i.txt; exit 1; fi
if [ $i = 1 ] && ! [ -f $dir/mended ]; then kill -9 $$; fi
touch $result`)
	err := s.Follow(t.Context(), &Local{Jobs: 1}, w, idle, nil)
	if err == nil || !strings.Contains(err.Error(), "4 of 4 tasks failed") || !strings.Contains(err.Error(), "run0: no such weights") {
		t.Errorf("got %v", err)
	}
	if begun(t, s, 0) != 1 || begun(t, s, 1) != 1+retries || begun(t, s, 2)+begun(t, s, 3) != 0 {
		t.Errorf("tasks were begun %d, %d, %d and %d times", begun(t, s, 0), begun(t, s, 1), begun(t, s, 2), begun(t, s, 3))
	}
	if what := s.Failure(1); !strings.Contains(what, "ended 4 times without a result or a word") {
		t.Errorf("the note of the one that was killed: %q", what)
	}
	must.Do(t, os.WriteFile(filepath.Join(s.Dir(), "mended"), nil, 0o644))
	if err := s.Follow(t.Context(), &Local{Jobs: 1}, w, idle, nil); err != nil || len(s.Undone()) != 0 {
		t.Errorf("once mended: %v, and %v are left", err, s.Undone())
	}
}

// A sweep that is stopped asks its workers to keep what they have, and waits for them.
func TestLocalStopped(t *testing.T) {
	s, w := scripted(t, `
trap 'sleep .3; echo kept >$dir/kept$i; exit 75' TERM
touch $dir/at$i
while :; do sleep .05; done`)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	err := s.Follow(ctx, &Local{Jobs: 2}, w, idle, func(Progress) {
		if at, _ := filepath.Glob(filepath.Join(s.Dir(), "at*")); len(at) == 2 {
			cancel(enough)
		}
	})
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if kept, _ := filepath.Glob(filepath.Join(s.Dir(), "kept*")); len(kept) != 2 {
		t.Errorf("it has returned, and of two workers %v have kept what they have", kept)
	}
}

// Workers share the processors, and devices where there are some.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		jobs, cpus int
		gpus       []string
		want       string
	}{
		{0, 4, nil, "[0] [1] [2] [3]"}, {2, 4, nil, "[0 1] [2 3]"}, {3, 4, nil, "[0] [1] [2 3]"}, {3, 2, nil, "[] [] []"},
		{0, 0, nil, "[]"},
		{0, 4, []string{"5", "7"}, "[0 1]5 [2 3]7"}, {3, 3, []string{"a"}, "[0]a [1]a [2]a"},
	} {
		cpus := make([]int, c.cpus)
		for k := range cpus {
			cpus[k] = k
		}
		var got []string
		for _, s := range share(c.jobs, cpus, c.gpus) {
			got = append(got, fmt.Sprint(s.cores)+s.gpu)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d jobs on %d processors and devices %v: got %v, want %s", c.jobs, c.cpus, c.gpus, got, c.want)
		}
	}
}

// Work's status tells the launcher what to do, and a note what went wrong.
func TestWork(t *testing.T) {
	s, w := scripted(t, "")
	must.Do(t, s.Write(w))
	t.Setenv("SLURM_JOB_ID", "") // nobody to ask to requeue
	var log strings.Builder
	work := func(do func(context.Context, Task) error) int {
		log.Reset()
		return s.Work(t.Context(), 0, nil, &log, do)
	}
	if status := work(func(context.Context, Task) error { return errors.New("diverged") }); status != 1 || s.Failure(0) != "diverged" {
		t.Errorf("a failure: status %d, note %q", status, s.Failure(0))
	}
	for _, signal := range stopping[1:] {
		status := work(func(ctx context.Context, _ Task) error {
			self := must.Get(os.FindProcess(os.Getpid()))(t)
			self.Signal(signal)
			select {
			case <-ctx.Done():
				return fmt.Errorf("step 3: %w", context.Cause(ctx))
			case <-time.After(10 * time.Second):
				return nil
			}
		})
		if status != Again || s.Failure(0) != "" || !strings.Contains(log.String(), signal.String()) {
			t.Errorf("%v: status %d, note %q, log %q", signal, status, s.Failure(0), log.String())
		}
	}
	ended, begins, _ := os.Pipe()
	begins.Close()
	if status := s.Work(t.Context(), 0, ended, &log, func(ctx context.Context, _ Task) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}); status != Again {
		t.Errorf("without who started it: status %d", status)
	}
	if status := work(func(context.Context, Task) error { return fmt.Errorf("taken over: %w", ErrAgain) }); status != Again {
		t.Errorf("one that wants to be started again: status %d", status)
	}
	if status := work(func(_ context.Context, task Task) error {
		return os.WriteFile(filepath.Join(s.Home, task.Result), nil, 0o644)
	}); status != 0 {
		t.Errorf("a success: status %d", status)
	}
	if status := work(func(context.Context, Task) error { return errors.New("done twice") }); status != 0 ||
		!strings.Contains(log.String(), "is there already") {
		t.Errorf("once it is there: status %d, log %q", status, log.String())
	}
	if status := s.Work(t.Context(), 4, nil, &log, nil); status != 1 {
		t.Errorf("no such task: status %d", status)
	}
}

func TestIndex(t *testing.T) {
	for _, name := range indexEnvs {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	scheduled := Call{Task: -1}
	if _, err := scheduled.Index(); err == nil {
		t.Error("an index out of nothing")
	}
	t.Setenv("JOB_COMPLETION_INDEX", "3")
	if got, err := scheduled.Index(); got != 3 || err != nil {
		t.Errorf("Kubernetes: %d (%v)", got, err)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "4")
	if got, err := (Call{Task: -1, From: 1000}).Index(); got != 1004 || err != nil {
		t.Errorf("Slurm: %d (%v)", got, err)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "x")
	must.Fail(t, must.Err(scheduled.Index()), "SLURM_ARRAY_TASK_ID", "no index")
	// What the process beside tells stands, within another job too.
	t.Setenv(taskEnv, "5")
	if got, err := Called().Index(); got != 5 || err != nil {
		t.Errorf("here: %d (%v)", got, err)
	}
}

// Progress is that of the files: what is done, at work, failed, or needs what failed.
func TestProgress(t *testing.T) {
	s, w := scripted(t, "")
	must.Do(t, s.Write(w))
	result := func(index int) string { return filepath.Join(s.Home, filepath.FromSlash(s.Tasks[index].Result)) }
	busy := func(id string) bool { return id == s.Tasks[2].ID }
	must.Do(t, os.WriteFile(result(1), nil, 0o644))
	must.Do(t, s.fail(0, errors.New("broken")))
	p := s.Progress(busy)
	if !slices.Equal(p.Tasks, []State{Failed, Done, Running, Failed}) || p.String() != "1 of 4 done, 1 running, 2 failed" {
		t.Errorf("got %v, %s", p.Tasks, p)
	}
	must.Do(t, os.Remove(result(1)))
	if p = s.Progress(idle); p.String() != "0 of 4 done, 2 waiting, 2 failed" {
		t.Errorf("got %s", p)
	}
}
