package train

import (
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"vlpx.internal/vlpx/disk"
)

// StuckName is the file in a run's folder with what each goroutine did when a step or an evaluation was taken for stuck.
const StuckName = "stuck.txt"

// watchdog reports what takes far longer than it did before: it may wait for a file system, a device or an engine that answers no more. It
// ends nothing.
type watchdog struct {
	first   time.Duration // what the first one of a process may take, which compiles
	counted time.Duration // how much of the first one later ones are held against; 0 for all of it
	slowest time.Duration // 0 before the first one has ended
}

// newWatchdogs are those of steps, of evaluations, of which even the first may read a whole split and compute every pair's logit, and of
// checkpoints.
func newWatchdogs() (steps, evaluations, checkpoints watchdog) {
	return watchdog{first: 15 * time.Minute, counted: time.Second}, watchdog{first: 2 * time.Hour}, watchdog{first: 15 * time.Minute}
}

// later is what any one after the first may take, unless a multiple of the slowest one before is more.
const later, timesSlowest = 5 * time.Minute, 20

// unanswered is how long the file with what goroutines do may take to write.
const unanswered = 10 * time.Second

// patience is how long the next one may take.
func (w watchdog) patience() time.Duration {
	if w.slowest == 0 {
		return w.first
	}
	return max(later, timesSlowest*w.slowest)
}

// watch calls a function once what begins now has taken longer than it may. What it returns ends the watch. Time is taken in two halves, as
// a process that was suspended finds its time up when it goes on.
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
		if w.slowest = max(w.slowest, time.Since(begun)); first && w.counted > 0 {
			w.slowest = min(w.slowest, w.counted)
		}
	}
}

// stuck says what may be, and writes down what each goroutine does.
func (t *trainer) stuck(what string, after time.Duration) {
	if t.job.Say == nil {
		return
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	file := filepath.Join(t.job.Dir, StuckName)
	at, written := "in "+file, make(chan error, 1)
	go func() { written <- disk.WriteFile(file, stacks, 0o644) }()
	select {
	case err := <-written:
		if err != nil {
			at = "lost: " + err.Error()
		}
	case <-time.After(unanswered): // the file system may be what answers no more
		at = fmt.Sprintf("lost: %s cannot be written either", file)
	}
	t.job.Say(fmt.Sprintf("%s, seed %d: %s has not ended for %s and may be stuck; stop the run, and the same command goes on "+
		"from its last checkpoint. What each goroutine does is %s", t.job.Config.Method.Name, t.job.Config.Seed, what, after, at))
}
