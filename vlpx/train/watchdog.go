package train

import (
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"vlpx.internal/vlpx/disk"
)

// StuckName is the file in a run's folder with what each goroutine did when a step was taken for stuck.
const StuckName = "stuck.txt"

// watchdog reports a step that takes far longer than those before it: it may wait for a file system, a device or an engine that answers no
// more. It ends nothing. The zero value is ready.
type watchdog struct{ slowest time.Duration }

const (
	// firstStep is what the first step of a process may take, which compiles.
	firstStep = 15 * time.Minute
	// laterStep is what any other one may take, unless a multiple of the slowest one before is more.
	laterStep, timesSlowest = 5 * time.Minute, 20
)

// patience is how long the next step may take.
func (w watchdog) patience() time.Duration {
	if w.slowest == 0 {
		return firstStep
	}
	return max(laterStep, timesSlowest*w.slowest)
}

// watch calls a function once the step has taken longer than it may. What it returns ends the watch. Time is taken in two halves, as a
// process that was suspended finds its time up when it goes on.
func (w *watchdog) watch(stuck func(after time.Duration)) (done func()) {
	begun, patience, first, ended := time.Now(), w.patience(), w.slowest == 0, make(chan struct{})
	go func() {
		for range 2 {
			select {
			case <-ended:
				return
			case <-time.After(patience / 2):
			}
		}
		stuck(patience)
	}()
	return func() {
		close(ended)
		if w.slowest = max(w.slowest, time.Since(begun)); first {
			w.slowest = min(w.slowest, time.Second) // without compiling
		}
	}
}

// stuck says that a step may be, and writes down what each goroutine does.
func (t *trainer) stuck(epoch, step int, after time.Duration) {
	if t.job.Say == nil {
		return
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	file := filepath.Join(t.job.Dir, StuckName)
	at := "in " + file
	if err := disk.WriteFile(file, stacks, 0o644); err != nil {
		at = "lost: " + err.Error()
	}
	t.job.Say(fmt.Sprintf("%s, seed %d: epoch %d, step %d has not ended for %s and may be stuck; stop the run, and the same command goes on "+
		"from its last checkpoint. What each goroutine does is %s", t.job.Config.Method.Name, t.job.Config.Seed, epoch+1, step+1, after, at))
}
