package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/sweep"
)

// Work does a task of the sweep in this process, as its worker; listen, if not nil, hears of training.
func (s *Swept) Work(ctx context.Context, task sweep.Task, listen func(Progress)) error {
	g := s.Grids[task.Of]
	j, err := g.named(task)
	if err != nil {
		return err
	}
	if err := g.work(ctx, []paper.Job{j}, listen); err != nil {
		if errors.Is(err, run.ErrDisplaced) {
			return fmt.Errorf("%w: %w", sweep.ErrAgain, err)
		}
		return err
	}
	_, done, err := j.Metrics(g.Store)
	if err == nil && !done {
		err = errors.New("it was left out, for what is told above")
	}
	return err
}

// named is the job that a task is.
func (g *Grid) named(t sweep.Task) (paper.Job, error) {
	for _, j := range g.Plan.All() {
		if j.ID() == t.ID {
			return j, nil
		}
	}
	return paper.Job{}, fmt.Errorf("the plan has %s as %s, which this program does not plan: it is another version, or the data have changed; start the sweep again",
		t.What, run.Short(t.ID))
}

// WorkAt is a worker of the vlpx command: it does the task of a plan's file that the environment names, counted from another one, and returns the
// status to exit with.
func WorkAt(ctx context.Context, planFile string, from int) int {
	failed := func(err error) int {
		fmt.Fprintf(os.Stderr, "vlpx: %v\n", err)
		return 1
	}
	plan, err := sweep.Open(planFile)
	if err != nil {
		return failed(err)
	}
	index, err := sweep.Index(from)
	if err != nil {
		return failed(err)
	}
	of := func(t sweep.Task) (*Swept, error) {
		var o Options
		if err := json.Unmarshal(plan.Options, &o); err != nil {
			return nil, fmt.Errorf("sweep: %s: %w", planFile, err)
		}
		if err := os.Chdir(plan.Cwd); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("sweep: %w", err)
		}
		o.Home = plan.Home
		grid, err := Open(plan.Artifacts[t.Of], o)
		if err != nil {
			return nil, err
		}
		one := &Swept{Grids: make([]*Grid, len(plan.Artifacts)), Sweep: plan}
		one.Grids[t.Of] = grid
		return one, nil
	}
	if sweep.Rehearses() && index < len(plan.Tasks) {
		one, err := of(plan.Tasks[index])
		if err != nil {
			return failed(err)
		}
		return one.rehearse(ctx, plan.Tasks[index])
	}
	return plan.Work(ctx, index, sweep.Behind(), os.Stderr, func(ctx context.Context, t sweep.Task) error {
		one, err := of(t)
		if err != nil {
			return err
		}
		return one.Work(ctx, t, told())
	})
}
