package lab

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"vlpx.internal/cmd/bench"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/sweep"
)

// worthJobs is how long a sweep is to take for it to be worth measuring how many runs at once are fastest, which takes half a minute. It is
// our choice.
const worthJobs = 5 * time.Minute

// jobs chooses how many workers at once get most done on this machine's processors. Each may have one, which costs least, or fewer may have
// more each, where memory or its speed is short. Before a long sweep the first run's steps tell, made by as many workers at once as there
// are processors, by half as many, and so on while that is faster. say hears of it.
func (s *Sweep) jobs(ctx context.Context, say func(string)) (int, error) {
	undone := s.Undone()
	most := min(len(engine.Processors()), len(undone))
	first, found := s.firstRun(undone)
	if long, err := s.long(); err != nil || !long || most < 2 || !found {
		return max(most, 1), err
	}
	if err := s.Write(s.worker); err != nil {
		return 0, err
	}
	say("measuring how many runs at once are fastest")
	best, fastest := most, 0.0
	var rates []string
	for n := most; n >= 1; n /= 2 {
		rate, err := bench.Beside(ctx, n, func(ctx context.Context) *exec.Cmd { return s.Steps(ctx, s.worker, first) })
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if err != nil { // fewer may have the memory; what is wrong with the run itself it tells when it is made
			rates = append(rates, fmt.Sprintf("%d fail (%v)", n, err))
			continue
		}
		rates = append(rates, fmt.Sprintf("%d make %.3g", n, rate))
		if rate < fastest {
			break
		}
		best, fastest = n, rate
	}
	if fastest == 0 {
		best = 1
	}
	say(fmt.Sprintf("of runs at once, by steps a second: %s; taking %d (-jobs, or Sweeping.Jobs, sets it)",
		strings.Join(rates, ", "), best))
	return best, nil
}

// firstRun is the first of some tasks that is a run, not a question.
func (s *Sweep) firstRun(tasks []int) (index int, found bool) {
	for _, i := range tasks {
		if s.Tasks[i].Run == "" {
			return i, true
		}
	}
	return 0, false
}

// long reports whether what is missing takes long.
func (s *Sweep) long() (bool, error) {
	choice, _ := engine.Choose(engine.Cache())
	var all time.Duration
	for _, g := range s.Grids {
		missing, err := g.Missing()
		if err != nil {
			return false, err
		}
		about, err := g.estimate(missing, choice.Name)
		if err != nil {
			return false, err
		}
		all += about
	}
	return all >= worthJobs, nil
}

// makeSteps makes steps of a task's run for the process that has started this one.
func (g *Grid) makeSteps(ctx context.Context, t sweep.Task) error {
	j, err := g.named(t)
	if err == nil && j.Task != nil {
		err = fmt.Errorf("%s makes no steps", t.What)
	}
	if err != nil {
		return err
	}
	return serve(ctx, g.Store, j.Run)
}
