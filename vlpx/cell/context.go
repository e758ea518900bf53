package cell

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ErrOrphaned is the cause of a context whose program lost the kernel or the terminal that started it.
var ErrOrphaned = errors.New("the kernel that started this cell is gone")

// Context ends with an interrupt, which is what Jupyter's stop button sends, with a request to terminate, and with the death of
// the process that started this one: a kernel that is restarted leaves its cell behind, which would train on unseen. Its cause
// tells.
func Context() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signal.Ignore(syscall.SIGPIPE) // of a page that is gone: what stops the cell is the context, so that it can keep what it has
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	go watchParent(ctx, os.Getppid(), cancel)
	return ctx, func() {
		release()
		cancel(nil)
	}
}

// watchParent cancels with ErrOrphaned once the parent is another process.
func watchParent(ctx context.Context, parent int, cancel context.CancelCauseFunc) {
	ticks := time.NewTicker(500 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if os.Getppid() != parent {
				cancel(ErrOrphaned)
				return
			}
		}
	}
}
