package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vlpx.internal/internal/test/must"
)

// A step is reported once it has taken far longer than those before it, and never one that ends in time.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w watchdog
		reported := 0
		step := func(takes time.Duration) {
			done := w.watch(func(time.Duration) { reported++ })
			time.Sleep(takes)
			done()
			synctest.Wait()
		}
		for k, s := range []struct {
			takes time.Duration
			stuck bool
		}{
			{10 * time.Minute, false}, // the first one compiles
			{4 * time.Minute, false},
			{time.Second, false},
			{79 * time.Minute, false}, // within twenty times the slowest
			{time.Hour, false},
			{27 * time.Hour, true},
		} {
			reported = 0
			if step(s.takes); (reported == 1) != s.stuck {
				t.Errorf("step %d of %v is reported %d times", k, s.takes, reported)
			}
		}
		w, reported = watchdog{}, 0
		if step(16 * time.Minute); reported != 1 {
			t.Errorf("a first step of 16 minutes is reported %d times", reported)
		}
	})
}

// A report of a stuck step names the run, the step, what to do, and a file with what the goroutines do.
func TestStuckIsSaid(t *testing.T) {
	var said string
	r := trainer{input: input{job: Job{Dir: t.TempDir(), Say: func(line string) { said = line }}}}
	r.job.Config.Method.Name, r.job.Config.Seed = "InfoNCE", 3
	r.stuck(0, 41, 5*time.Minute)
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
	if r.stuck(0, 41, time.Minute); !strings.Contains(said, "is lost: ") {
		t.Errorf("without its folder it says %q", said)
	}
}
