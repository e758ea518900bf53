package train

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// longEnv is how many steps TestLongRuns makes, such as 10000; without it a hundred.
const longEnv = "VLPX_LONG"

// held is what the process has of what a long run could use up.
type held struct{ resident, heap, files, goroutines int }

func (h held) String() string {
	return fmt.Sprintf("%d MB resident, %d KB of heap, %d files, %d goroutines", h.resident>>20, h.heap>>10, h.files, h.goroutines)
}

func holding(t *testing.T) held {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the first one has finalisers for
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files := must.Get(os.ReadDir("/proc/self/fd"))(t)
	fields := strings.Fields(string(must.Get(os.ReadFile("/proc/self/statm"))(t)))
	pages := must.Get(strconv.Atoi(fields[1]))(t)
	return held{pages * os.Getpagesize(), int(m.HeapAlloc), len(files), runtime.NumGoroutine()}
}

// The memory, files and goroutines of a run do not grow with its steps: those at its end are those at a tenth of it. The epochs' records
// are all that stays, some hundred bytes each, of FALCON three thousand; a checkpoint is written with all of them.
func TestLongRuns(t *testing.T) {
	steps := 100
	if asked := os.Getenv(longEnv); asked != "" {
		steps = must.Get(strconv.Atoi(asked))(t)
	}
	perSample := negative.Method{Name: "GloFND", Contrast: negative.SogCLR{Gamma: 0.8, Temperature: 0.1},
		LeftOut: negative.Thresholds{Alpha: 0.2, Learn: 1, FromBatch: true}}.WithDefaults()
	for _, name := range []string{"go:ops_sequential", "onnx:cpu", "xla:cpu"} {
		for _, c := range []struct {
			name  string
			epoch int // steps
			job   func(t *testing.T) Job
		}{
			{"ALBEF", 5, func(t *testing.T) Job { return smallest(t, negative.ALBEF(8)) }},
			{"GRIT-VLP", 5, func(t *testing.T) Job { return smallest(t, negative.GRITVLP(8, 16)) }},
			{"GloFND", 5, func(t *testing.T) Job { return smallest(t, perSample) }},
			{"FALCON on CLIP", 5, func(t *testing.T) Job { return onCLIP(t, scheduledByITC(), false) }},
			{"GloFND on SimCLR", 2, func(t *testing.T) Job { return onSimCLR(t, perSample, true) }},
			{"BLIP-2's second stage", 5, onGenerative},
		} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				job := c.job(t)
				job.Backend = enginetest.Open(t, name)
				job.Config.Epochs = steps / c.epoch
				job.Config.Schedule.Epochs = job.Config.Epochs
				var first, last held
				job.Report = func(r Report) {
					switch r.Step {
					case r.Steps / 10:
						first = holding(t)
					case r.Steps:
						last = holding(t)
					}
				}
				m, out := must.Get2(Train(t.Context(), job))(t)
				m.Close()
				records := len(must.Get(json.Marshal(out.Epochs))(t))
				t.Logf("%d steps: %s; %s; %d KB of records", len(out.Epochs)*c.epoch, first, last, records>>10)
				if first.heap == 0 || last.files > first.files || last.goroutines > first.goroutines ||
					last.heap-first.heap > 2*records+1<<20 || last.resident-first.resident > 10*records+24<<20 {
					t.Errorf("a run of %d steps grows", steps)
				}
			})
		}
	}
}
