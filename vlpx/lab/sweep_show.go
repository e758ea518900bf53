package lab

import (
	"context"
	"strings"
	"time"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/sweep"
)

// RunSweep runs what is missing of artifacts by many processes, as how says, following them on a screen, and shows each beside the paper's
// numbers. What is submitted, or only printed, is shown, and there are no reports then.
//
// In a worker, which is this program started again, it does the task of that process and returns an [Exit].
func RunSweep(ctx context.Context, s cell.Screen, ids []string, how Sweeping, o Options) ([]*Report, error) {
	opened, err := OpenSweep(ids, o)
	if err != nil {
		return nil, err
	}
	call := sweep.Called()
	switch {
	case call.Plan == opened.PlanFile():
		return nil, opened.workAs(ctx, call)
	case call.Plan != "": // of another call of this program, behind this one
		return opened.reports()
	}
	if how.DryRun || how.Launcher == kubernetes {
		script, err := opened.Script(how)
		if err == nil {
			s.Block().Head(strings.Split(script, "\n")...)
		}
		return nil, err
	}
	if how.Submit {
		submitted, err := opened.Submit(ctx, how)
		if err == nil {
			s.Say(submitted.String())
		}
		return nil, err
	}
	if err := opened.runOn(ctx, s, how); err != nil {
		return nil, err
	}
	reports, err := opened.reports()
	for _, r := range reports {
		if err := r.Show(s); err != nil {
			return nil, err
		}
	}
	return reports, err
}

// runOn makes what is missing, following it on a block of the screen, which is empty in the end.
func (s *Sweep) runOn(ctx context.Context, on cell.Screen, how Sweeping) error {
	for _, g := range s.Grids {
		on.Say(g.Remarks()...)
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
	return err
}

// reports are those of the artifacts, from the store.
func (s *Sweep) reports() ([]*Report, error) {
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
