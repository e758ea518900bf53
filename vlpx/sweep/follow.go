package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Launcher starts workers somewhere.
type Launcher interface {
	// Begin makes ready for a sweep, whose program is started as w says. It is called first and once.
	Begin(ctx context.Context, s *Sweep, w Worker) error
	// Launch has workers started for tasks, those of lower levels before others.
	Launch(ctx context.Context, tasks []int) error
	// Queued are the tasks that have a worker, or will have one without a further call.
	Queued(ctx context.Context) (map[int]bool, error)
	// Stop ends what does not outlive this process.
	Stop()
	// Log is the file to which a task's worker writes.
	Log(index int) string
	// Pace is the time between looks.
	Pace() time.Duration
}

// retries is how often a task is started again that ended without a result and without a word, as one does that is killed. It is our
// choice: such a task is unlucky once or twice, and too large for its machine if it goes on.
const retries = 3

// Follow launches what is not finished and waits until all of it is, or has failed. Whether a task is finished the files tell, not
// the launcher: a task without result, note and worker was killed, and is launched again, a few times.
// listen, if not nil, hears of every look.
// A cancelled context stops the launcher; what is done is kept, and the same call goes on.
func (s *Sweep) Follow(ctx context.Context, l Launcher, w Worker, busy func(run string) bool, listen func(Progress)) error {
	if err := l.Begin(ctx, s, w); err != nil {
		return err
	}
	defer l.Stop()
	if err := s.Write(w); err != nil {
		return err
	}
	if err := s.Forget(s.Undone()...); err != nil {
		return err
	}
	launched, lost, stuck := map[int]int{}, map[int]bool{}, map[int]time.Time{}
	for {
		queued, err := l.Queued(ctx) // before the files are read, so that one that ends meanwhile is not taken for lost
		if err != nil {
			return err
		}
		p := s.Progress(busy)
		tell := func(format string, args ...any) {
			if listen != nil {
				message := p
				message.Message = fmt.Sprintf(format, args...)
				listen(message)
			}
		}
		var start []int
		open := false
		for i, state := range p.Tasks {
			open = open || state != Done && (state != Failed || queued[i])
			if before, known := stuck[i]; queued[i] && state != Done {
				file, at := s.stuck(i)
				if stuck[i] = at; known && at.After(before) {
					tell("%s may be stuck: what its goroutines do is in %s, and its log is %s", s.Tasks[i].What, file, l.Log(i))
				}
			}
			if state != Waiting && state != Running || queued[i] {
				delete(lost, i)
				continue
			}
			if launched[i] > 0 && !lost[i] { // the next look is sure of it
				lost[i] = true
				continue
			}
			if launched[i] > retries {
				what := fmt.Errorf("%s ended %d times without a result or a word, as one does that is killed or has too little memory; "+
					"its log is %s",
					s.Tasks[i].What, launched[i], l.Log(i))
				if err := s.fail(i, what); err != nil {
					return err
				}
				continue
			}
			if launched[i] > 0 {
				tell("%s ended without a result or a word, and is started again (%d of %d)", s.Tasks[i].What, launched[i], retries)
			}
			launched[i]++
			delete(lost, i)
			start = append(start, i)
		}
		if listen != nil {
			listen(p)
		}
		if !open {
			return s.failures(p, l)
		}
		if len(start) > 0 {
			if err := l.Launch(ctx, start); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(l.Pace()):
		}
	}
}

// failures is what went wrong; nil for nothing.
func (s *Sweep) failures(p Progress, l Launcher) error {
	if p.Failed == 0 {
		return nil
	}
	for i, state := range p.Tasks {
		if what := s.Failure(i); state == Failed && what != "" {
			return fmt.Errorf("sweep: %d of %d tasks failed, with those that need them; the first is %s: %s (its log is %s); the same "+
				"call tries "+
				"them again",
				p.Failed, p.Of, s.Tasks[i].What, what, l.Log(i))
		}
	}
	return errors.New("sweep: tasks failed, and their notes are gone; the same call tries them again")
}
