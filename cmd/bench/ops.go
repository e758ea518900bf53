package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/engine/fusion"
	"vlpx.internal/vlpx/train"
)

// Budget is where the time of a whole training step goes.
type Budget struct {
	Framework, Method, Scale string
	Set                      string  `json:",omitempty"` // of the scale, "key=value" with commas between
	Batch                    int     // pairs a mini-batch
	Median                   float64 // of the step, in seconds
	Profiled                 float64 // of the step with the engine's profiler, made in turn with it, in seconds
	Call                     float64 // of an operation that computes next to nothing, in the same turns, in seconds
	// Factor is what the profiler's times, less what it takes itself, and those around the run were multiplied by, so that shares add up.
	Factor float64
	// Shares are what the median is spent on: operations by what they do, what is between them, and what is around the engine's run. They
	// add up to it.
	Shares  []Share
	Beside  []Share // of loader and sampler, a step
	Slowest []Slow  // operations, the slowest first
	Peak    float64 // operations a second of the engine's matrix product, in the same turns
	Memory  []Rate  // of copies, in the same turns
}

// Share is a part of a step's time.
type Share struct {
	What       string
	Operations int `json:",omitempty"`
	Seconds    float64
	Limit      float64 `json:",omitempty"` // seconds, of products at Peak and of the bytes of everything else at Memory; 0 for none
}

// Slow is an operation of a step.
type Slow struct {
	Share           // What is its type
	Work            string
	Inputs, Outputs []engine.ProfiledTensor
}

// What a step takes beside its operations, and what goes on beside it.
const (
	between = "between operations"
	outside = "around the run"
)

// slowest is how many operations a budget lists.
const slowest = 10

// budgets measures where the steps of cases spend their time.
func (b *bench) budgets(ctx context.Context, cases []Case) error {
	return each(cases, func(c Case) error {
		budget, err := b.budget(ctx, c)
		b.result.Budgets = append(b.result.Budgets, budget)
		return err
	})
}

// budget measures a case: its step without the engine's profiler in turn with the same step with it, the engine's product and copies.
func (b *bench) budget(ctx context.Context, c Case) (budget Budget, err error) {
	dir, err := os.MkdirTemp("", "vlpx-profile-")
	if err != nil {
		return budget, fmt.Errorf("benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	end, err := engine.ProfileSessions(b.executor.Backend, dir)
	if err != nil {
		return budget, err
	}
	twin, err := b.enter(ctx, c)
	defer func() {
		if twin != nil {
			twin.close()
		}
	}()
	profiled := &profiledStep{}
	if err == nil {
		profiled.step = step{probe: twin.probe, part: train.Whole, in: twin.in}
		_, _, err = profiled.once() // which begins its session
	}
	end()
	if err != nil {
		return budget, err
	}
	plain, err := b.enter(ctx, c)
	if plain != nil {
		defer plain.close()
	}
	if err != nil {
		return budget, err
	}
	of := c.precision(b.executor.Engine)
	peak, err := newProduct(b.executor.Backend, of, false)
	if err != nil {
		return budget, err
	}
	defer peak.close()
	calls, err := newCalling(b.executor.Backend)
	if err != nil {
		return budget, err
	}
	defer calls.exec.Finalize()
	all := []contender{&step{probe: plain.probe, part: train.Whole, in: plain.in}, profiled, peak, calls}
	for _, bytes := range copySizes {
		all = append(all, newCopying(bytes))
	}
	b.say(fmt.Sprintf("%s: steps with and without the profiler in turns, %d rounds", c.name(), b.rounds()))
	times, err := inTurns(ctx, b.rounds(), all)
	if err != nil {
		return budget, err
	}
	twin.close()
	twin = nil // its session has written the profile
	profile, err := engine.LongestProfile(dir)
	if err != nil {
		return budget, err
	}
	t := c.Run.Train
	budget = Budget{Framework: t.Framework.Name(), Method: t.Method.Name, Scale: c.Scale, Set: c.Set, Batch: t.BatchSize,
		Median: times[0].Median(), Profiled: times[1].Median(), Peak: peak.operations / times[2].Median(), Call: times[3].Median()}
	for k, bytes := range copySizes {
		budget.Memory = append(budget.Memory, Rate{bytes, float64(bytes) / times[4+k].Median()})
	}
	if err := budget.spend(profile, profiled.all); err != nil {
		return budget, err
	}
	for _, kind := range []string{Loader, Sampler} {
		b.say(fmt.Sprintf("%s: %s", c.name(), kind))
		line, _, err := b.kind(ctx, kind, plain)
		if err != nil {
			return budget, fmt.Errorf("%s: %w", kind, err)
		}
		budget.Beside = append(budget.Beside, Share{What: kind, Seconds: line.Median})
	}
	return budget, nil
}

// profiledStep is a step that notes what each time took, that of the first one, too.
type profiledStep struct {
	step
	all Times
}

// turn implements contender.
func (p *profiledStep) turn(ctx context.Context) (Times, error) {
	return bursts(ctx, func() (time.Duration, error) {
		_, took, err := p.once()
		p.all = append(p.all, took.Seconds())
		return took, err
	})
}

// counted are what the steps took that count: neither those of the round to warm up nor the first of each turn.
func counted(all Times) (times Times) {
	for k, x := range all {
		if k >= burst && k%burst > 0 {
			times = append(times, x)
		}
	}
	return times
}

// spend shares the step out by the profile of its twin's session, which has made one step and then those of so many seconds.
//
// The profiler writes the shapes of what an operation reads and writes while it times it, and takes caches from it. The first is taken off
// (see writing). Then what an operation takes however small counts as between operations, and the others, with what is around the run, are
// scaled to what is left of the step without the profiler.
func (b *Budget) spend(p engine.Profile, steps Times) error {
	before := len(p.Runs) - len(steps)
	if before != 1 {
		return fmt.Errorf("benchmark: the profile has %d runs of a graph in %d steps; what a step takes can be shared out if it is one "+
			"graph, without chunk", len(p.Runs), len(steps)+1)
	}
	var around Times
	for k, took := range steps {
		around = append(around, took-p.Runs[before+k])
	}
	rest := Share{What: outside, Seconds: counted(around).Median()}
	gap := Share{What: between, Seconds: b.Call * float64(len(p.Operations))}
	all := map[fusion.Work]*Share{}
	times := map[fusion.Work]Times{}
	writes := writing(p.Operations, before)
	for _, o := range p.Operations {
		work, _ := fusion.Named(o.Name)
		if all[work] == nil {
			all[work], times[work] = &Share{What: string(work)}, make(Times, len(steps))
		}
		share := all[work]
		share.Operations++
		limit, writing := b.limit(o), writes(o)
		share.Limit += limit
		for k := range steps {
			times[work][k] += o.Seconds[before+k] - writing
		}
		took := max(0, counted(o.Seconds[before:]).Median()-writing)
		b.Slowest = append(b.Slowest, Slow{Share{o.Type, 1, took, limit}, string(work), o.Inputs, o.Outputs})
	}
	sum := 0.0
	for work, share := range all {
		share.Seconds = max(0, counted(times[work]).Median())
		sum += share.Seconds
	}
	if b.Factor = (b.Median - gap.Seconds) / (sum + rest.Seconds); !(b.Factor > 0) {
		return fmt.Errorf("benchmark: a step of %g s has no time for its %d operations beside %g s between them; try again on an idle machine",
			b.Median, len(p.Operations), gap.Seconds)
	}
	rest.Seconds *= b.Factor
	for _, work := range fusion.Works() {
		if share := all[work]; share != nil {
			share.Seconds *= b.Factor
			b.Shares = append(b.Shares, *share)
		}
	}
	b.Shares = append(b.Shares, gap, rest)
	slices.SortStableFunc(b.Slowest, func(x, y Slow) int { return cmp.Compare(y.Seconds, x.Seconds) })
	b.Slowest = b.Slowest[:min(slowest, len(b.Slowest))]
	for k := range b.Slowest {
		b.Slowest[k].Seconds *= b.Factor
	}
	return nil
}

// writing is what the profiler takes to write the shapes of an operation, in seconds, at most: what the fastest operation takes, and where
// that has fewer tensors, as many times as long.
func writing(all []engine.ProfiledOperation, before int) func(engine.ProfiledOperation) float64 {
	tensors := func(o engine.ProfiledOperation) int { return max(1, len(o.Inputs)+len(o.Outputs)) }
	fastest := map[int]float64{} // by tensors
	for _, o := range all {
		mean := stat.Mean(counted(o.Seconds[before:]), nil)
		if least, has := fastest[tensors(o)]; !has || mean < least {
			fastest[tensors(o)] = mean
		}
	}
	return func(o engine.ProfiledOperation) float64 {
		least := math.Inf(1)
		for n, took := range fastest {
			least = min(least, took*max(1, float64(tensors(o))/float64(n)))
		}
		return least
	}
}

// limit is what an operation takes at least, in seconds.
func (b *Budget) limit(o engine.ProfiledOperation) float64 {
	work, bytes := fusion.Named(o.Name)
	if work == fusion.Products || work == fusion.Stacked {
		if operations := multiplied(o); operations > 0 {
			return operations / b.Peak
		}
	}
	if bytes < 0 {
		bytes = moved(o)
	}
	return atRate(b.Memory, float64(bytes))
}
