package benchmark

import (
	"context"
	"fmt"
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
	Peer   bool     // PyTorch makes the same steps in turn with ours
	Costs  bool     // how costs grow with sizes is measured instead
}

// Check tells what is wrong with the settings.
func (s Settings) Check() error {
	for _, kind := range s.Kinds {
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("benchmark: no %q to measure; there are %s", kind, strings.Join(Kinds(), ", "))
		}
	}
	if s.Rounds < 0 {
		return fmt.Errorf("benchmark: %d rounds; take 1 or more, or 0 for the usual 10", s.Rounds)
	}
	if s.Peer && !s.asks(Step) {
		return fmt.Errorf("benchmark: PyTorch races by steps, and %s asks for none; add step", strings.Join(s.Kinds, ", "))
	}
	if s.Costs && (s.Peer || len(s.Kinds) > 0) {
		return fmt.Errorf("benchmark: costs are measured alone; leave out what else is asked for")
	}
	return nil
}

// asks tells whether a kind is measured.
func (s Settings) asks(kind string) bool { return len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind) }

// Case is a run that is measured, and what it is called.
type Case struct {
	Scale string
	Run   run.Run
}

// name tells the case from others.
func (c Case) name() string {
	of := c.Run.Train
	return fmt.Sprintf("%s, %s, batch %d at %s", of.Framework.Name(), of.Method.Name, of.BatchSize, c.Scale)
}

// bench is a benchmark at work.
type bench struct {
	Settings
	executor *run.Executor
	say      func(string)
	result   Result
}

// rounds are the turns of a part of a step.
func (b *bench) rounds() int {
	if b.Rounds == 0 {
		return 10
	}
	return b.Rounds
}

// Measure measures cases, one after another, on the executor's engine. None is trained and nothing is kept in the store; say, if not nil, hears
// what is at work. A cancelled context ends it with its cause.
func Measure(ctx context.Context, executor *run.Executor, cases []Case, s Settings, say func(string)) (Result, error) {
	if err := s.Check(); err != nil {
		return Result{}, err
	}
	if s.Peer { // what PyTorch's step lacks is told before others are measured
		for _, c := range cases {
			if _, _, err := describe(c.Run.Train); err != nil {
				return Result{}, err
			}
		}
		if strings.Contains(executor.Engine, "cuda") {
			return Result{}, fmt.Errorf("benchmark: PyTorch races on the processor, and %s is on a GPU; set $GOMLX_BACKEND to an engine of the processor, such as onnx:cpu", executor.Engine)
		}
	}
	if say == nil {
		say = func(string) {}
	}
	b := &bench{Settings: s, executor: executor, say: say}
	b.result = Result{
		Machine: engine.Describe(), Engine: executor.Engine, Versions: executor.Versions, Begun: time.Now().UTC().Truncate(time.Second),
		Before: load(), Rounds: b.rounds(),
	}
	work := b.measure
	if s.Costs {
		work = b.costs
	}
	for _, c := range cases {
		if err := work(ctx, c); err != nil {
			return Result{}, fmt.Errorf("%s of %s, batch %d: %w", c.Run.Train.Method.Name, c.Run.Train.Framework.Name(), c.Run.Train.BatchSize, err)
		}
	}
	b.result.After = load()
	return b.result, nil
}

// measure measures one case.
func (b *bench) measure(ctx context.Context, c Case) error {
	of := c.Run.Train
	probe, err := b.executor.Probe(ctx, c.Run, engine.Operations)
	if err != nil {
		return err
	}
	defer probe.Close()
	for _, kind := range Kinds() {
		if !b.asks(kind) {
			continue
		}
		b.say(fmt.Sprintf("%s: %s", c.name(), kind))
		lines, left, err := b.kind(ctx, kind, c, probe)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		if left != "" {
			b.leave(left)
		}
		for _, line := range lines {
			line.Framework, line.Method, line.Scale, line.Batch = of.Framework.Name(), of.Method.Name, c.Scale, of.BatchSize
			if kind == Step || kind == Loader {
				line.Pairs = float64(of.BatchSize) / line.Median
			}
			b.result.Lines = append(b.result.Lines, line)
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
func (b *bench) kind(ctx context.Context, kind string, c Case, probe *run.Probe) (lines []Line, left string, err error) {
	switch kind {
	case Step:
		lines, err = b.race(ctx, c, probe)
	case Loader:
		lines, err = b.loader(ctx, c, probe)
	case Sampler:
		lines, err = b.sampler(ctx, c, probe)
	case Evaluation:
		lines, err = b.evaluation(ctx, probe)
	case Generation:
		return b.generation(ctx, c, probe)
	}
	return lines, "", err
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
