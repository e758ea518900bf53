package lab

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Progress is where a grid of runs stands.
type Progress struct {
	Run, Runs int  // the run at work, from 1, and how many this call makes; of questions the same
	Asking    bool // a finished run is asked
	Method    string
	Seed      uint64
	Training  train.Report // zero before the first step
	Message   string       // a line worth telling; empty otherwise

	at run.Run // the run that trains, which may be one that the run at work needs
}

// String tells the progress in a line.
func (p Progress) String() string {
	if p.Message != "" {
		return p.Message
	}
	if p.Asking {
		return fmt.Sprintf("question %d of %d, to %s, seed %d", p.Run, p.Runs, p.Method, p.Seed)
	}
	t := p.Training
	text := fmt.Sprintf("run %d of %d, %s, seed %d: step %d of %d, loss %.3f", p.Run, p.Runs, p.Method, p.Seed, t.Step, t.Steps, t.Loss)
	if t.PairsPerSecond > 0 {
		text += fmt.Sprintf(", %.0f pairs/s", t.PairsPerSecond)
	}
	if t.Left > 0 {
		text += fmt.Sprintf(", %s left", t.Left.Round(time.Second))
	}
	return text
}

// Make runs the missing runs, one after another, and then asks what rows ask of them; listen, if not nil, hears of every training step and
// of every question. A cancelled context stops it with what is finished kept and the run at work at a checkpoint: the error is then
// [Stopped].
func (g *Grid) Make(ctx context.Context, listen func(Progress)) error {
	err := g.make(ctx, listen)
	if !errors.Is(err, context.Canceled) {
		return err
	}
	kept, err := g.stopped()
	if err != nil {
		return err
	}
	return kept
}

func (g *Grid) make(ctx context.Context, listen func(Progress)) (err error) {
	stop, err := g.events()
	if err != nil {
		return err
	}
	defer func() {
		if failed := stop(); err == nil {
			err = failed
		}
	}()
	left, err := g.left()
	if err != nil {
		return err
	}
	if err := g.labelRequested(); err != nil {
		return err
	}
	return g.work(ctx, left, listen)
}

// work does jobs, runs before measures.
func (g *Grid) work(ctx context.Context, jobs []plan.Job, listen func(Progress)) error {
	if len(jobs) == 0 {
		return nil
	}
	runs := len(runsOf(jobs))
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	at := Progress{Runs: runs}
	var one sync.Mutex // a message may come from any goroutine
	report := func(change func() Progress) {
		one.Lock()
		defer one.Unlock()
		if p := change(); listen != nil {
			listen(p)
		}
	}
	executor := run.Executor{
		Store: g.Store, Backend: backend, Engine: choice.Name, Versions: engine.Versions(),
		Report: func(r run.Run, t train.Report) {
			report(func() Progress {
				at.Training, at.at = t, r
				return at
			})
		},
		Say: func(line string) {
			report(func() Progress {
				message := at
				message.Message = line
				return message
			})
		},
		Label: g.label(),
	}
	var out int
	for i, j := range jobs {
		next := Progress{Run: i + 1, Runs: runs, Method: j.Run.Train.Method.Name, Seed: j.Run.Train.Seed, at: j.Run}
		one.Lock()
		at = next
		one.Unlock()
		if j.Task != nil {
			report(func() Progress {
				at.Run, at.Runs, at.Asking = i+1-runs, len(jobs)-runs, true
				return at
			})
		}
		err := guard(func() error { return do(ctx, &executor, j) })
		switch {
		case err == nil:
		case isDamaged(err) && len(jobs) > out+1: // of a run that this one needs, or that became so meanwhile
			out++
			executor.Say(fmt.Sprintf("%s, seed %d, is left out: %v", at.Method, at.Seed, err))
		case j.Task != nil:
			return fmt.Errorf("asking %s, seed %d: %w", at.Method, at.Seed, err)
		default:
			return fmt.Errorf("%s, seed %d: %w", at.Method, at.Seed, err)
		}
	}
	return nil
}

// do makes a run, or measures a finished one. The store keeps what comes out.
func do(ctx context.Context, e *run.Executor, j plan.Job) (err error) {
	if j.Task == nil {
		_, err = e.Run(ctx, j.Run)
	} else {
		_, err = e.EvaluateBy(ctx, j.Run, j.Measure().Split, j.Task)
	}
	return err
}

// stopped is what a grid that was stopped keeps.
func (g *Grid) stopped() (Stopped, error) {
	missing, err := g.Missing()
	if err != nil {
		return "", err
	}
	total, kept := len(g.Plan.Runs()), "nothing of the next"
	switch {
	case len(missing) == 0:
		kept = "what was answered"
	case g.Store.Started(missing[0]):
		r := missing[0].Train
		kept = fmt.Sprintf("a checkpoint of %s, seed %d", r.Method.Name, r.Seed)
	}
	return Stopped(fmt.Sprintf("stopped: %d of %d runs are kept, and %s", total-len(missing), total, kept)), nil
}
