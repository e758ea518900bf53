package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/sweep"
)

// RunSweep runs what is missing of artifacts by many processes, as how says, following them on a screen, and shows each beside the paper's numbers.
// What is submitted, or only printed, is told, and there are no reports then.
//
// Its workers are this program, started again; see sweep.Called. In one of them RunSweep does the task of that process and returns an [Exit].
func RunSweep(ctx context.Context, s cell.Screen, ids []string, how Sweeping, o Options) ([]*Report, error) {
	swept, err := OpenSweep(ids, o)
	if err != nil {
		return nil, err
	}
	plan, from := sweep.Called()
	switch {
	case plan == swept.PlanFile():
		return nil, Exit(swept.worksFrom(ctx, from))
	case plan != "": // of another call of this program, behind this one
		return swept.reports()
	}
	if how.DryRun || how.Launcher == kubernetes {
		script, err := swept.Script(how)
		if err == nil {
			s.Block().Head(strings.Split(script, "\n")...)
		}
		return nil, err
	}
	if how.Submit {
		n, err := swept.Submit(ctx, how)
		if err == nil {
			s.Say(swept.Submitted(n))
		}
		return nil, err
	}
	if err := swept.runOn(ctx, s, how); err != nil {
		return nil, err
	}
	reports, err := swept.reports()
	for _, r := range reports {
		if err := r.Show(s); err != nil {
			return nil, err
		}
	}
	return reports, err
}

// worksFrom does the task of this process, whose first task is from.
func (s *Swept) worksFrom(ctx context.Context, from int) (status int) {
	index, err := sweep.Index(from)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if sweep.Rehearses() && index < len(s.Tasks) {
		return s.rehearse(ctx, s.Tasks[index])
	}
	return s.Sweep.Work(ctx, index, sweep.Behind(), os.Stderr, func(ctx context.Context, t sweep.Task) error { return s.Work(ctx, t, told()) })
}

// told writes a worker's progress into its log, a line now and then.
func told() func(Progress) {
	var last time.Time
	return func(p Progress) {
		if p.Message != "" || time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Fprintln(os.Stderr, p)
		}
	}
}

// runOn makes what is missing, following it on a block of the screen, which is empty in the end.
func (s *Swept) runOn(ctx context.Context, on cell.Screen, how Sweeping) error {
	for _, g := range s.Grids {
		remarks, err := g.Remarks()
		if err != nil {
			return err
		}
		on.Say(remarks...)
	}
	block := on.Block()
	var last time.Time
	var messages []string
	err := s.Run(ctx, how, func(p sweep.Progress) {
		if p.Message != "" {
			messages = append(messages, p.Message)
		} else if time.Since(last) > redrawEvery {
			last = time.Now()
			block.Set(strings.Join(append([]string{s.Name + ": " + p.String()}, s.Details(p)...), "\n"), nil)
		}
	})
	block.Erase()
	on.Say(messages...)
	if errors.Is(err, context.Canceled) {
		return wasStopped(s.Stopped(how))
	}
	return err
}

// reports are those of the artifacts, from the store.
func (s *Swept) reports() ([]*Report, error) {
	var all []*Report
	for _, g := range s.Grids {
		r, err := g.Report()
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
