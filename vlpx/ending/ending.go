// Package ending ends a process soon after it was asked to, wherever it is.
package ending

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// grace is how long the program has to end by itself. Then it is ended: in a library's call, such as compiling, nothing hears of a context.
// That loses nothing which a kill would not, since files are whole or not at all.
const grace = 800 * time.Millisecond

var held atomic.Int64

// Hold lets the process end by itself, however long that takes, until it is released: a training makes its step and its checkpoint first.
func Hold() (release func()) {
	held.Add(1)
	return func() { held.Add(-1) }
}

// Signals is a context that an interrupt, a request to terminate or the end of the terminal cancels. From then on the process has a moment
// to end by itself; then exit is called, which ends it. A second signal ends it at once. What the parent ignores, as nohup does a hangup,
// is ignored.
func Signals(parent context.Context, exit func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	asked, end := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(asked, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-end:
			return
		case <-asked:
		}
		signal.Stop(asked)
		cancel()
		for calm := true; ; {
			select {
			case <-end:
				return
			case <-time.After(grace):
			}
			was := calm // whoever has held it gets a moment, too
			if calm = held.Load() == 0; calm && was {
				exit()
			}
		}
	}()
	return ctx, func() {
		signal.Stop(asked)
		close(end)
		cancel()
	}
}
