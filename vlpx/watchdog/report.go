package watchdog

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"vlpx.internal/vlpx/disk"
)

// FileName is the file with what each goroutine did when something was taken for stuck, in the folder of the run or of the sweep.
const FileName = "stuck.txt"

// unanswered is how long that file may take to write.
const unanswered = 10 * time.Second

// Work watches a whole piece of work, such as a measure of a run, and reports it as [Report] does.
//
//   - quiet: how long it may be silent, unless it was so before; 0 for [Quiet].
//   - say: nil where nobody hears; then nothing is watched.
func Work(ctx context.Context, quiet time.Duration, dir string, say func(string), what string) (asked context.Context, done func()) {
	if say == nil {
		return ctx, func() {}
	}
	quiet = cmp.Or(quiet, Quiet)
	dog := Dog{First: quiet, Later: quiet}
	return dog.Watch(ctx, Report(dir, say, what))
}

// Report is what a watch calls: it says that something may be stuck, in a line, and writes down what each goroutine does.
//
//   - dir: the folder of the file.
//   - say: may be nil; then nothing is said or written.
//   - what: what the line begins with, such as "InfoNCE, seed 3: epoch 1, step 42 has not ended".
func Report(dir string, say func(string), what string) func(after time.Duration) {
	return func(after time.Duration) {
		if say == nil {
			return
		}
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		file := filepath.Join(dir, FileName)
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
		say(fmt.Sprintf("%s for %s and may be stuck; stop it, and the same command goes on from what is kept. What each goroutine does is %s",
			what, after, at))
	}
}
