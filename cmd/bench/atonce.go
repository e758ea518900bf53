package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/train"
)

// beside are processes that make whole steps at the same time, each on its share of the processors, as several seeds are trained.
type beside struct {
	name string // empty for ours
	all  []*peer
}

// lap is how long a turn of processes beside each other lasts, and the least steps that each makes in it.
const (
	lap      = 2 * time.Second
	lapSteps = 2
)

// startBeside starts processes on shares of the processors, and has each make its first step.
func startBeside(n int, one func(cpus []int) (*peer, error)) (*beside, error) {
	b := &beside{}
	for _, cpus := range engine.Shares(n, engine.Processors()) {
		p, err := one(cpus)
		if err != nil {
			b.close()
			return nil, err
		}
		b.all = append(b.all, p)
	}
	if err := b.each(func(_ int, p *peer) error { _, err := p.step(train.Whole); return err }); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// each does something with all of them at the same time.
func (b *beside) each(do func(k int, p *peer) error) error {
	failed := make([]error, len(b.all))
	var lanes sync.WaitGroup
	for k, p := range b.all {
		lanes.Go(func() { failed[k] = do(k, p) })
	}
	lanes.Wait()
	return errors.Join(failed...)
}

// turn implements contender: the seconds that a step takes while as many others are made.
func (b *beside) turn(context.Context) (Times, error) {
	rates := make([]float64, len(b.all))
	err := b.each(func(k int, p *peer) error {
		begun, steps := time.Now(), 0
		for ; steps < lapSteps || time.Since(begun) < lap; steps++ {
			if _, err := p.step(train.Whole); err != nil {
				return err
			}
		}
		rates[k] = float64(steps) / time.Since(begun).Seconds()
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all float64
	for _, rate := range rates {
		all += rate
	}
	return Times{float64(len(rates)) / all}, nil
}

// close ends the processes.
func (b *beside) close() {
	for _, p := range b.all {
		p.close()
	}
}

// Beside is how many steps a second processes make together that serve steps of a run, each on its share of this machine's processors.
// command makes one of them, to be started.
func Beside(ctx context.Context, processes int, command func(ctx context.Context) *exec.Cmd) (float64, error) {
	b, err := startBeside(processes, func(cpus []int) (*peer, error) { return startOurs(ctx, command(ctx), cpus) })
	if err != nil {
		return 0, err
	}
	defer b.close()
	times, err := inTurns(ctx, 2, []contender{b})
	if err != nil {
		return 0, err
	}
	return float64(processes) / times[0].Median(), nil
}

// side measures the whole steps of cases by so many processes at once, ours in turn with PyTorch's where it races.
func (b *bench) side(ctx context.Context, entrants []*entrant, runs int) error {
	for index, e := range entrants {
		b.say(fmt.Sprintf("%s: %d runs at once", e.name(), runs))
		if err := b.sideOf(ctx, e, index, runs); err != nil {
			return fmt.Errorf("%s: %w", e.name(), err)
		}
	}
	return nil
}

// sideOf is side of a case by its index.
func (b *bench) sideOf(ctx context.Context, e *entrant, index, runs int) error {
	var groups []*beside
	var all []contender
	defer func() {
		for _, g := range groups {
			g.close()
		}
	}()
	enter := func(name string, one func(cpus []int) (*peer, error)) error {
		g, err := startBeside(runs, one)
		if err != nil {
			return err
		}
		g.name = name
		groups, all = append(groups, g), append(all, g)
		return nil
	}
	err := enter("", func(cpus []int) (*peer, error) { return startOurs(ctx, b.Again(ctx, index), cpus) })
	if err != nil {
		return err
	}
	for _, w := range waysBeside(e.peers, runs) {
		if err := enter(w.name(), func(cpus []int) (*peer, error) { return start(ctx, b.python, w, e.dir, cpus...) }); err != nil {
			return err
		}
	}
	times, err := inTurns(ctx, b.rounds(), all)
	if err != nil {
		return err
	}
	var lines []Line
	for k, g := range groups {
		line := newLine(fmt.Sprintf("whole step, %d runs at once", runs), Step, times[k])
		line.By, line.Runs, line.Precision = g.name, runs, string(e.precision(b.executor.Engine))
		lines = append(lines, e.of(line))
	}
	compare(lines)
	e.lines = append(e.lines, lines...)
	return nil
}

// waysBeside are PyTorch's in each of so many processes: in the modes that race alone, with one thread and with its share of ours.
func waysBeside(racing []*peer, processes int) (all []way) {
	for _, p := range racing {
		if p.threads == 0 {
			all = append(all, p.way)
			continue
		}
		for _, threads := range []int{1, max(1, runtime.GOMAXPROCS(0)/processes)} {
			if w := (way{mode: p.mode, threads: threads, asleep: true}); !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}
