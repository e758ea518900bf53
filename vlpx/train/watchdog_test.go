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
	"vlpx.internal/vlpx/negative"
)

// A step or an evaluation is reported once it has taken far longer than those before it, and never one that ends in time.
func TestWatchdog(t *testing.T) {
	type one struct {
		takes time.Duration
		stuck bool
	}
	steps, evaluations := newWatchdogs()
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
