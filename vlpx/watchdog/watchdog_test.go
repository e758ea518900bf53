package watchdog

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/disk"
)

// A piece of work is reported once it has been silent for far longer than the ones before, and never one that ends in time.
func TestWatch(t *testing.T) {
	type one struct {
		takes time.Duration
		stuck bool
	}
	steps := Dog{First: 15 * time.Minute, Later: 5 * time.Minute, Counted: time.Second}
	checkpoints := Dog{First: 15 * time.Minute, Later: 5 * time.Minute}
	for name, c := range map[string]struct {
		dog Dog
		all []one
	}{
		"steps": {steps, []one{
			{10 * time.Minute, false}, // the first one compiles
			{4 * time.Minute, false},
			{time.Second, false},
			{79 * time.Minute, false}, // within twenty times the slowest
			{time.Hour, false},
			{27 * time.Hour, true},
		}},
		"a first step": {steps, []one{{16 * time.Minute, true}}},
		"checkpoints":  {checkpoints, []one{{time.Minute, false}, {19 * time.Minute, false}, {7 * time.Hour, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := c.dog
				for k, s := range c.all {
					reported := 0
					_, done := d.Watch(t.Context(), func(time.Duration) { reported++ })
					time.Sleep(s.takes)
					done()
					if synctest.Wait(); (reported == 1) != s.stuck {
						t.Errorf("number %d of %v is reported %d times", k, s.takes, reported)
					}
				}
			})
		})
	}
}

// Work that asks its context again and again may take as long as it needs. It is reported once it is silent, and once more where that
// happens again later.
func TestSigns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := Dog{First: 30 * time.Minute, Later: 30 * time.Minute}
		var reported, silence atomic.Int64
		ctx, done := d.Watch(t.Context(), func(after time.Duration) {
			reported.Add(1)
			silence.Store(int64(after))
		})
		asks := []func(){func() { ctx.Err() }, func() { ctx.Done() }}
		for k := range 1000 {
			time.Sleep(2 * time.Minute)
			asks[k%2]()
		}
		if synctest.Wait(); reported.Load() > 0 {
			t.Errorf("work that goes on is reported after %v", time.Duration(silence.Load()))
		}
		time.Sleep(time.Hour + time.Minute) // 40 minutes may be silent, and a silence begins between two looks
		if synctest.Wait(); reported.Load() != 1 || time.Duration(silence.Load()) != 40*time.Minute {
			t.Errorf("a silence is reported %d times, after %v", reported.Load(), time.Duration(silence.Load()))
		}
		ctx.Err()
		time.Sleep(24 * time.Hour)
		done()
		if synctest.Wait(); reported.Load() != 2 {
			t.Errorf("with a second silence %d are reported", reported.Load())
		}
	})
}

// What a watch within another one sees is not reported by both, also behind a context that was derived.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, step := Dog{First: time.Hour, Later: time.Hour}, Dog{First: time.Minute, Later: time.Minute}
		var runs, steps atomic.Int64
		ctx, done := run.Watch(t.Context(), func(time.Duration) { runs.Add(1) })
		derived, cancel := context.WithCancel(ctx)
		defer cancel()
		_, stepped := step.Watch(derived, func(time.Duration) { steps.Add(1) })
		time.Sleep(24 * time.Hour)
		stepped()
		time.Sleep(50 * time.Minute)
		if synctest.Wait(); runs.Load() != 0 || steps.Load() != 1 {
			t.Errorf("the outer watch reports %d times, the inner one %d times", runs.Load(), steps.Load())
		}
		time.Sleep(time.Hour)
		done()
		if synctest.Wait(); runs.Load() != 1 {
			t.Errorf("what comes behind the inner watch is reported %d times", runs.Load())
		}
	})
}

// A report has what may be stuck, what to do, and a file with what the goroutines do.
func TestReport(t *testing.T) {
	var said string
	dir := t.TempDir()
	report := Report(dir, func(line string) { said = line }, "InfoNCE, seed 3: epoch 1, step 42 has not ended")
	report(5 * time.Minute)
	file := filepath.Join(dir, FileName)
	for _, want := range []string{"InfoNCE, seed 3: epoch 1, step 42 has not ended for 5m0s", "same command", file} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if text := string(must.Get(os.ReadFile(file))(t)); !strings.Contains(text, "TestReport") {
		t.Errorf("the file has %q", text)
	}
	must.Do(t, os.RemoveAll(dir))
	if report(time.Minute); !strings.Contains(said, "is lost: ") {
		t.Errorf("without its folder it says %q", said)
	}
	Report(dir, nil, "nobody hears it")(time.Minute)
}

// hanging is a disk that shows operations to a function before it makes them.
type hanging func(disk.Op)

func (h hanging) Before(op disk.Op) (int, error) { h(op); return 0, nil }
func (hanging) After(disk.Op)                    {}

// What is stuck is said even where the file of goroutines cannot be written, as the disk is what hangs.
func TestReportOnAHangingDisk(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		said, goesOn := "", make(chan struct{})
		defer disk.Watch(hanging(func(disk.Op) { <-goesOn }))()
		Report(dir, func(line string) { said = line }, "epoch 1, step 42 has not ended")(5 * time.Minute)
		if !strings.Contains(said, "epoch 1, step 42") || !strings.Contains(said, "cannot be written either") {
			t.Errorf("got %q", said)
		}
		close(goesOn)
		synctest.Wait()
	})
}
