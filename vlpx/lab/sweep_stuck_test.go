package lab

import (
	"context"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/sweep"
)

// hanging is a disk that answers once a function returns.
type hanging func()

func (h hanging) Before(disk.Op) (int, error) { h(); return 0, nil }
func (hanging) After(disk.Op)                 {}

// A sweep whose store answers no more says so.
func TestStuckSweep(t *testing.T) {
	s := must.Get(OpenSweep([]string{"falcon/table1"}, Options{Home: t.TempDir(), Scale: "tiny", silence: 10 * time.Millisecond}))(t)
	ctx, stop := context.WithCancel(t.Context())
	said := make(chan string)
	go func() {
		defer disk.Watch(hanging(func() { <-ctx.Done() }))()
		s.Run(ctx, Sweeping{Jobs: 1}, func(p sweep.Progress) {
			if strings.Contains(p.Message, "may be stuck") {
				said <- p.Message
			}
		})
		close(said)
	}()
	if line := <-said; !strings.HasPrefix(line, s.Name+": the sweep has not moved on for 10ms") {
		t.Errorf("it says %q", line)
	}
	stop()
	for range said { // until it has ended
	}
}
