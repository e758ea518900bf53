package train

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/negative"
)

// A step or an evaluation is reported once it has taken far longer than those before it, and never one that ends in time.
func TestWatchdog(t *testing.T) {
	type one struct {
		takes time.Duration
		stuck bool
	}
	steps, evaluations, checkpoints := newWatchdogs()
	for name, c := range map[string]struct {
		w   watchdog
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
		"a first step":       {steps, []one{{16 * time.Minute, true}}},
		"evaluations":        {evaluations, []one{{90 * time.Minute, false}, {20 * time.Hour, false}, {time.Minute, false}}},
		"short evaluations":  {evaluations, []one{{time.Second, false}, {4 * time.Minute, false}, {81 * time.Minute, true}}},
		"a first evaluation": {evaluations, []one{{121 * time.Minute, true}}},
		"checkpoints":        {checkpoints, []one{{time.Minute, false}, {19 * time.Minute, false}, {7 * time.Hour, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := c.w
				for k, s := range c.all {
					reported := 0
					done := w.watch(func(time.Duration) { reported++ })
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

// A report names the run, what may be stuck, what to do, and a file with what the goroutines do.
func TestStuckIsSaid(t *testing.T) {
	var said string
	r := trainer{input: input{job: Job{Dir: t.TempDir(), Say: func(line string) { said = line }}}}
	r.job.Config.Method.Name, r.job.Config.Seed = "InfoNCE", 3
	r.stuck("epoch 1, step 42", 5*time.Minute)
	file := filepath.Join(r.job.Dir, StuckName)
	for _, want := range []string{"InfoNCE, seed 3", "epoch 1, step 42", "5m0s", "same command", file} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if text := string(must.Get(os.ReadFile(file))(t)); !strings.Contains(text, "TestStuckIsSaid") {
		t.Errorf("the file has %q", text)
	}
	if err := os.RemoveAll(r.job.Dir); err != nil {
		t.Fatal(err)
	}
	if r.stuck("epoch 1, step 42", time.Minute); !strings.Contains(said, "is lost: ") {
		t.Errorf("without its folder it says %q", said)
	}
}

// An evaluation that is stuck is said, as a step is, and ends as it would have.
func TestStuckEvaluation(t *testing.T) {
	job := smallest(t, negative.Plain())
	said := make(chan string, 1)
	job.Say = func(line string) { said <- line }
	job.Evaluate = func(context.Context, *Model, int) (map[string]float64, error) {
		return map[string]float64{"line": float64(len(<-said))}, nil
	}
	tr := must.Get(newTrainer(job))(t)
	defer tr.close()
	tr.evaluating.first = time.Millisecond
	metrics, err := tr.evaluate(t.Context())
	if err != nil || metrics["line"] == 0 {
		t.Errorf("got %v, %v", metrics, err)
	}
}

// hanging is a disk that shows operations to a function before it makes them.
type hanging func(disk.Op)

func (h hanging) Before(op disk.Op) (int, error) { h(op); return 0, nil }
func (hanging) After(disk.Op)                    {}

// A checkpoint that a disk does not take is said while the disk hangs, and is written once it goes on.
func TestStuckCheckpoint(t *testing.T) {
	job := smallest(t, negative.Plain())
	said := make(chan string, 1)
	job.Say = func(line string) { said <- line }
	tr := must.Get(newTrainer(job))(t)
	defer tr.close()
	must.Do(t, tr.resume())
	must.Get(tr.sampler.Epoch(0))(t)
	tr.writing.first = time.Millisecond
	line := ""
	defer disk.Watch(hanging(func(op disk.Op) {
		if line == "" && !strings.Contains(op.Path, StuckName) {
			line = <-said
		}
	}))()
	must.Do(t, tr.save())
	if !strings.Contains(line, "writing the checkpoint at epoch 1, step 0, has not ended for 1ms") {
		t.Errorf("got %q", line)
	}
	if _, err := os.Stat(filepath.Join(job.Dir, CheckpointName)); err != nil {
		t.Error(err)
	}
}

// What is stuck is said even where the file of goroutines cannot be written, as the disk is what hangs.
func TestStuckOnAHangingDisk(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		said, goesOn := "", make(chan struct{})
		r := trainer{input: input{job: Job{Dir: dir, Say: func(line string) { said = line }}}}
		defer disk.Watch(hanging(func(disk.Op) { <-goesOn }))()
		r.stuck("epoch 1, step 42", 5*time.Minute)
		if !strings.Contains(said, "epoch 1, step 42") || !strings.Contains(said, "cannot be written either") {
			t.Errorf("got %q", said)
		}
		close(goesOn)
		synctest.Wait()
	})
}
