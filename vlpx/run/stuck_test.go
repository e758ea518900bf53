package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/watchdog"
)

// waiting is a task that ends once something is said, or at once.
type waiting struct {
	Said chan string `json:"-"`
}

func (waiting) Metrics() []eval.Info                          { return []eval.Info{{Metric: "waited"}} }
func (waiting) Check(framework.Framework, datasets.Set) error { return nil }

func (w waiting) Measure(context.Context, eval.Subject) (eval.Measured, error) {
	if w.Said != nil {
		for line := range w.Said {
			if strings.Contains(line, "may be stuck") {
				break
			}
		}
	}
	return eval.Measured{Metrics: eval.Result{"waited": 1}}, nil
}

// What a run does beside its steps, and what measures a finished one, is said where it is stuck, with what the goroutines do, and ends as
// it would have.
func TestStuck(t *testing.T) {
	r, e := smallest(t), executor(t, t.TempDir())
	must.Get(e.Run(t.Context(), r))(t)
	said := make(chan string, 9)
	stuck := ""
	e.silence, e.Say = time.Second, func(line string) {
		if strings.Contains(line, "may be stuck") {
			stuck = line
		}
		said <- line
	}
	other := r
	other.Tasks = eval.Tasks{waiting{said}}
	for _, c := range []struct {
		run  Run
		do   func(Run) error
		want string
	}{
		{r, func(r Run) error { return must.Err(e.EvaluateBy(t.Context(), r, "test", waiting{said})) },
			"measuring it has not moved on for 1s"},
		{other, func(r Run) error { return must.Err(e.Run(t.Context(), r)) }, "the run has not moved on for 1s"},
	} {
		stuck = ""
		must.Do(t, c.do(c.run))
		if !strings.Contains(stuck, r.Train.Method.Name+", seed ") || !strings.Contains(stuck, c.want) {
			t.Errorf("it says %q, want %q", stuck, c.want)
		}
		file := filepath.Join(e.Store.Dir(c.run), watchdog.FileName)
		if text := must.Get(os.ReadFile(file))(t); !strings.Contains(string(text), "waiting.Measure") {
			t.Errorf("%s: %s has %q", c.want, file, text)
		}
	}
}
