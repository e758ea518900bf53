package bench

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
)

// Settings say what is measured of each run.
type Settings struct {
	Kinds  []string // of Kinds; all if empty
	Rounds int      // turns of each part of a step, of five steps each; 10 if 0
	Parts  []string // of a step, of PartNames; all if empty
	Peer   bool     // PyTorch makes the same steps in turn with ours
	Modes  []string // of PyTorch that race, of Modes; all that there are if empty
	// Ready is how long PyTorch may take to get ready for a case, all its ways together; ways that are not ready by then do not race. 0: as
	// long as it takes.
	Ready time.Duration
	Alone bool // where PyTorch cannot race, ours is measured alone and the result tells why
	Costs bool // how costs grow with sizes is measured instead
	Ops   bool // where a step's time goes is measured instead
	// Apart measures whole steps instead, those of each case in a process of its own, which Again makes, with the memory that it takes.
	Apart bool
	// Peak is what the device computes at most at the precision of the products by its maker's word, in operations a second; 0 where it is
	// not told.
	Peak float64
	// Pairs are the numbers of training pairs that costs are computed for, beside; DefaultPairs if empty. Workers share them;
	// DefaultWorkers if 0.
	Pairs   []int
	Workers int
	// Runs are numbers of whole steps at the same time, in processes of their own, that are measured, too. Again makes a process
	// that serves a case by its index (see [Serve]), to be started.
	Runs  []int
	Again func(ctx context.Context, index int) *exec.Cmd
}

// Check tells what is wrong with the settings.
func (s Settings) Check() error {
	for _, kind := range s.Kinds {
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("benchmark: no %q to measure; there are %s", kind, strings.Join(Kinds(), ", "))
		}
	}
	for _, name := range s.Parts {
		if !slices.Contains(PartNames(), name) {
			return fmt.Errorf("benchmark: no part %q of a step; there are %s", name, strings.Join(PartNames(), ", "))
		}
	}
	for _, mode := range s.Modes {
		if !slices.Contains(Modes(), mode) {
			return fmt.Errorf("benchmark: no mode %q of PyTorch; there are %s", mode, strings.Join(Modes(), ", "))
		}
	}
	if !(s.Peak >= 0) || math.IsInf(s.Peak, 1) {
		return fmt.Errorf("benchmark: a peak of %g operations a second; it must be a positive number", s.Peak)
	}
	if s.Ready < 0 {
		return fmt.Errorf("benchmark: PyTorch has %v to get ready; it must be a positive time, or 0 for as long as it takes", s.Ready)
	}
	if !s.Peer && (s.Alone || s.Ready > 0 || len(s.Modes) > 0) {
		return fmt.Errorf("benchmark: modes of PyTorch, and what is done without it, are asked for, but not PyTorch; add -peer")
	}
	if s.Rounds < 0 {
		return fmt.Errorf("benchmark: %d rounds; take 1 or more, or 0 for the usual 10", s.Rounds)
	}
	for _, n := range s.Runs {
		if n < 2 {
			return fmt.Errorf("benchmark: %d for the number of runs at once; take 2 or more, as one alone is measured anyway", n)
		}
	}
	if len(s.Runs) > 0 && !s.asks(Step) {
		return fmt.Errorf("benchmark: runs at once are measured by steps, and %s asks for none; add step", strings.Join(s.Kinds, ", "))
	}
	if s.Peer && !s.asks(Step) {
		return fmt.Errorf("benchmark: PyTorch races by steps, and %s asks for none; add step", strings.Join(s.Kinds, ", "))
	}
	if s.Costs && (s.Peer || len(s.Runs) > 0 || len(s.Kinds) > 0) {
		return fmt.Errorf("benchmark: costs are measured alone; leave out what else is asked for")
	}
	if s.Ops && (s.Peer || len(s.Runs) > 0 || len(s.Kinds) > 0 || len(s.Parts) > 0 || s.Costs || s.Peak > 0) {
		return fmt.Errorf("benchmark: where the time of a step goes is measured alone; leave out peer, runs, what, parts, costs and peak")
	}
	if s.Apart && (s.Peer || len(s.Runs) > 0 || len(s.Kinds) > 0 || len(s.Parts) > 0 || s.Costs || s.Ops || s.Peak > 0) {
		return fmt.Errorf("benchmark: steps in chunks are measured alone; leave out peer, runs, what, parts, costs, ops and peak")
	}
	if !s.Costs && (len(s.Pairs) > 0 || s.Workers != 0) {
		return fmt.Errorf("benchmark: training pairs and workers are for costs; ask for costs, too")
	}
	for _, n := range s.Pairs {
		if n < 1 {
			return fmt.Errorf("benchmark: costs of %d training pairs; take 1 or more", n)
		}
	}
	if s.Workers < 0 {
		return fmt.Errorf("benchmark: %d workers; take 1 or more, or 0 for the usual %d", s.Workers, DefaultWorkers)
	}
	return nil
}

// asks tells whether a kind is measured.
func (s Settings) asks(kind string) bool { return len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind) }

// Case is a run that is measured, and what it is called.
type Case struct {
	Scale string
	Set   string // what was set of the scale, "key=value" with commas between
	Run   run.Run
}

// name tells the case from others.
func (c Case) name() string {
	of := c.Run.Train
	name := fmt.Sprintf("%s, %s, batch %d at %s", of.Framework.Name(), of.Method.Name, of.BatchSize, c.Scale)
	if of.Chunk > 0 {
		name += fmt.Sprintf(" in chunks of %d", of.Chunk)
	}
	return name
}

// bench is a benchmark at work.
type bench struct {
	Settings
	executor *run.Executor
	say      func(string)
	result   Result
	python   python // which has PyTorch, where that races
}

// rounds are the turns of a part of a step.
func (b *bench) rounds() int {
	if b.Rounds == 0 {
		return 10
	}
	return b.Rounds
}

// Measure measures cases on the executor's engine. None is trained and nothing is kept in the store; say, if not nil, hears
// what is at work. A cancelled context ends it with its cause.
func Measure(ctx context.Context, executor *run.Executor, cases []Case, s Settings, say func(string)) (Result, error) {
	if err := s.Check(); err != nil {
		return Result{}, err
	}
	if s.Peer && !s.Alone { // what PyTorch's step lacks is told before others are measured
		for _, c := range cases {
			if _, err := describe(c.Run.Train, executor.Engine); err != nil {
				return Result{}, err
			}
		}
	}
	if (len(s.Runs) > 0 || s.Apart) && s.Again == nil {
		return Result{}, fmt.Errorf("benchmark: runs at once, and steps in chunks, are made by processes, and nothing tells how to start one; " +
			"set Settings.Again")
	}
	if say == nil {
		say = func(string) {}
	}
	b := &bench{Settings: s, executor: executor, say: say}
	b.result = Result{
		Machine: engine.Describe(), Engine: executor.Engine, Threads: runtime.GOMAXPROCS(0), Versions: executor.Versions,
		Begun:  time.Now().UTC().Truncate(time.Second),
		Before: load(), Rounds: b.rounds(), Nominal: s.Peak, Apart: s.Apart,
	}
	work := b.measure
	if s.Ops {
		work = b.budgets
	}
	if s.Apart {
		work = b.apart
	}
	if s.Costs {
		work = func(ctx context.Context, cases []Case) error {
			if err := each(cases, func(c Case) error { return b.costs(ctx, c) }); err != nil {
				return err
			}
			return b.looksOut(ctx, cases[0])
		}
	}
	if err := work(ctx, cases); err != nil {
		return Result{}, err
	}
	b.result.After = load()
	return b.result, nil
}

// each does something with each case; an error tells of which.
func each(cases []Case, do func(Case) error) error {
	for _, c := range cases {
		if err := do(c); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
	}
	return nil
}

// measure measures the steps of all cases in turns, and then everything else, one case after another.
func (b *bench) measure(ctx context.Context, cases []Case) error {
	var all []*entrant
	defer func() {
		for _, e := range all {
			e.close()
		}
	}()
	err := each(cases, func(c Case) error {
		e, err := b.enter(ctx, c)
		if e != nil {
			all = append(all, e)
		}
		return err
	})
	if err != nil {
		return err
	}
	if b.asks(Step) {
		b.say(fmt.Sprintf("steps in turns, %d rounds", b.rounds()))
		if err := b.steps(ctx, all); err != nil {
			return err
		}
	}
	for _, n := range b.Runs {
		if err := b.side(ctx, all, n); err != nil {
			return err
		}
	}
	for _, e := range all {
		b.result.Lines = append(b.result.Lines, e.lines...)
		if err := b.around(ctx, e); err != nil {
			return fmt.Errorf("%s: %w", e.name(), err)
		}
	}
	return nil
}

// around measures everything but the step of a case.
func (b *bench) around(ctx context.Context, e *entrant) error {
	for _, kind := range Kinds() {
		if kind == Step || !b.asks(kind) {
			continue
		}
		b.say(fmt.Sprintf("%s: %s", e.name(), kind))
		line, left, err := b.kind(ctx, kind, e)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", kind, err)
		case left != "":
			b.leave(left)
		default:
			b.result.Lines = append(b.result.Lines, e.of(line))
		}
	}
	return nil
}

// leave tells what is left out, once.
func (b *bench) leave(what string) {
	if !slices.Contains(b.result.Left, what) {
		b.result.Left = append(b.result.Left, what)
	}
}

// kind measures one kind of a case, or tells why it is left out.
func (b *bench) kind(ctx context.Context, kind string, e *entrant) (line Line, left string, err error) {
	switch kind {
	case Loader:
		line, err = b.loader(ctx, e.Case, e.probe)
	case Sampler:
		line, err = b.sampler(ctx, e.Case, e.probe)
	case Evaluation:
		line, err = b.evaluation(ctx, e.probe)
	case Generation:
		return b.generation(ctx, e.Case, e.probe)
	}
	return line, "", err
}

// few is how often something long is measured: a third of the rounds, at least three times.
func (b *bench) few() int { return max(3, b.rounds()/3) }

// repeated times something after once that does not count.
func repeated(ctx context.Context, times int, do func() error) (Times, error) {
	var all Times
	for k := range times + 1 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		begun := time.Now()
		if err := do(); err != nil {
			return nil, err
		}
		if k > 0 {
			all = append(all, time.Since(begun).Seconds())
		}
	}
	return all, nil
}
