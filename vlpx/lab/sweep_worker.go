package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/sweep"
)

// doTask makes the job of this grid that a task is; listen, if not nil, hears of training.
func (g *Grid) doTask(ctx context.Context, task sweep.Task, listen func(Progress)) error {
	j, err := g.named(task)
	if err != nil {
		return err
	}
	if err := g.work(ctx, []plan.Job{j}, listen); err != nil {
		if errors.Is(err, store.ErrDisplaced) {
			return fmt.Errorf("%w: %w", sweep.ErrAgain, err)
		}
		return err
	}
	_, done, err := j.Metrics(g.Store)
	if err == nil && !done {
		err = errors.New("it was left out, for the reason above")
	}
	return err
}

// named is the job that a task is.
func (g *Grid) named(t sweep.Task) (plan.Job, error) {
	for _, j := range g.Plan.All() {
		if j.ID() == t.ID {
			return j, nil
		}
	}
	return plan.Job{}, fmt.Errorf("the plan has %s as %s, which this program does not plan: it is another version, or the data have "+
		"changed; start the sweep again",
		t.What, run.Short(t.ID))
}

// Work is a worker of the vlpx command: it does the task of a plan that the call names. The error is an [Exit], or says why it could not
// begin. The program has own methods.
func Work(ctx context.Context, call sweep.Call, own []negative.Method) error {
	plan, err := sweep.Open(call.Plan)
	if err != nil {
		return err
	}
	return workOn(ctx, plan, call, func(ctx context.Context, t sweep.Task) (*Grid, error) {
		var o Options
		if err := json.Unmarshal(plan.Options, &o); err != nil {
			return nil, fmt.Errorf("sweep: %s: %w", call.Plan, err)
		}
		o.Home, o.Say = plan.Home, func(line string) { fmt.Fprintln(os.Stderr, line) }
		if o, err = o.Fetched(ctx); err != nil {
			return nil, err
		}
		id := plan.Artifacts[t.Of]
		return Open(id, o.WithRows(own, id))
	})
}

// workAs is Work in a program that is its own worker, which has planned the sweep again.
func (s *Sweep) workAs(ctx context.Context, call sweep.Call) error {
	return workOn(ctx, s.Sweep, call, func(_ context.Context, t sweep.Task) (*Grid, error) { return s.Grids[t.Of], nil })
}

// workOn does what a worker is called for.
func workOn(ctx context.Context, plan *sweep.Sweep, call sweep.Call, open func(context.Context, sweep.Task) (*Grid, error)) error {
	index, err := call.Index()
	if err != nil {
		return err
	}
	if call.Steps && index < len(plan.Tasks) {
		g, err := open(ctx, plan.Tasks[index])
		if err != nil {
			return err
		}
		return ended(g.makeSteps(ctx, plan.Tasks[index]))
	}
	return Exit(plan.Work(ctx, index, call.Beside(), os.Stderr, func(ctx context.Context, t sweep.Task) error {
		g, err := open(ctx, t)
		if err != nil {
			return err
		}
		return g.doTask(ctx, t, logged())
	}))
}

// logged writes a worker's progress into its log, a line now and then.
func logged() func(Progress) {
	var last time.Time
	return func(p Progress) {
		if p.Message != "" || time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Fprintln(os.Stderr, p)
		}
	}
}
