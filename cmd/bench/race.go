package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// tolerance is how far PyTorch's losses may be from ours, relatively, for a race to be one of the same step: that of the first step, and of
// the second one, whose weights come from both optimisers in float32. The second is our choice: where a gradient is zero but for rounding,
// the first update by Adam is as large as any. So are those of products with fewer bits, TF32's 10 and bfloat16's 7, where each side rounds
// at other places.
func (d described) tolerance() []float64 {
	switch {
	case d.Half:
		return []float64{2e-2, 5e-2}
	case d.TF32:
		return []float64{2e-3, 1e-2}
	}
	return []float64{1e-4, 1e-3}
}

// challenge starts PyTorch in each of its ways on the entrant's weights and mini-batch, and holds its losses to ours.
func (b *bench) challenge(ctx context.Context, e *entrant) error {
	gpu := onGPU(b.executor.Engine)
	d, err := describe(e.Run.Train, b.executor.Engine)
	if err != nil {
		return err
	}
	if b.python, err = findTorch(ctx, gpu, "/usr/bin/python3", "python3"); err != nil {
		return err
	}
	b.result.PyTorch = b.python.version
	if e.dir, err = os.MkdirTemp("", "vlpx-peer-"); err != nil {
		return fmt.Errorf("benchmark: %w", err)
	}
	if err := export(e.dir, d, e.probe, e.in); err != nil {
		return err
	}
	var ours []seen
	s := &step{probe: e.probe, part: train.Whole, in: e.in}
	for _, within := range d.tolerance() {
		out, _, err := s.once()
		if err != nil {
			return err
		}
		ours = append(ours, seen{out, within})
	}
	ways := b.python.ways(gpu, b.Modes)
	if len(ways) == 0 {
		return fmt.Errorf("benchmark: PyTorch %s of %s has no %s here", b.python.version, b.python.path, strings.Join(b.Modes, ", "))
	}
	begun := time.Now()
	for _, way := range ways {
		b.say(fmt.Sprintf("%s: %s", e.name(), way.name()))
		p, err := b.admit(ctx, b.python, way, e.dir, ours, begun)
		switch {
		case err == nil:
			e.peers = append(e.peers, p)
			if gpu { // whose memory is for few
				if e.peers, err = b.qualify(e.Case, e.peers, 1); err != nil {
					return err
				}
			}
		case ctx.Err() != nil || way.mode == eager && !gpu && !errors.Is(err, errLate):
			return err
		default:
			b.leave(fmt.Sprintf("%s: %v", e.name(), err)) // another way may be there to race
		}
	}
	switch {
	case len(e.peers) == 0:
		return fmt.Errorf("benchmark: no way of PyTorch races: %s", strings.Join(b.result.Left, "; "))
	case !gpu:
		e.peers, err = b.qualify(e.Case, e.peers, slow)
	}
	return err
}

// admit starts a way of PyTorch and holds its steps to ours. It has to be ready in the time that is left since the first way began.
func (b *bench) admit(ctx context.Context, in python, w way, dir string, ours []seen, begun time.Time) (*peer, error) {
	ctx, end := context.WithCancelCause(ctx)
	p, err := start(ctx, in, w, dir)
	if err != nil {
		end(err)
		return nil, err
	}
	p.end = end
	inTime := func() bool { return true }
	if b.Ready > 0 {
		inTime = time.AfterFunc(time.Until(begun.Add(b.Ready)),
			func() { end(fmt.Errorf("benchmark: %s %w, %v", w.name(), errLate, b.Ready)) }).Stop
	}
	err = p.check(ours)
	if !inTime() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// errLate is that a way of PyTorch does not race for want of time.
var errLate = errors.New("was not ready in time")

// seen is what a step of ours told, and how far PyTorch's may be from it, relatively.
type seen struct {
	outcome
	within float64
}

// check holds the peer's first steps to ours.
func (p *peer) check(ours []seen) error {
	for k, want := range ours {
		got, err := p.step(train.Whole)
		if err != nil {
			return err
		}
		if err := want.same(got); err != nil {
			return fmt.Errorf("benchmark: step %d of %s: %w; times of different steps are not compared", k+1, p.name(), err)
		}
	}
	return nil
}

// Ways of PyTorch that are slow times as long as the fastest at the best of laps steps do not race; see way.asleep.
const (
	slow = 4
	laps = 3
)

// qualify takes the ways out of the race that take at least so many times as long as the fastest.
func (b *bench) qualify(c Case, peers []*peer, times float64) (racing []*peer, err error) {
	best, fastest := make([]float64, len(peers)), math.Inf(1)
	for k, p := range peers {
		best[k] = math.Inf(1)
		for range laps {
			a, err := p.step(train.Whole)
			if err != nil {
				return peers, err
			}
			best[k] = min(best[k], a.Seconds)
		}
		fastest = min(fastest, best[k])
	}
	for k, p := range peers {
		if best[k] == fastest || best[k] < times*fastest {
			racing = append(racing, p)
			continue
		}
		p.close()
		b.leave(fmt.Sprintf("%s: %s, whose step took %.3g times as long as that of its fastest way", c.name(), p.name(), best[k]/fastest))
	}
	return racing, nil
}

// same tells where a step of PyTorch's differs. What a step improved is a difference of losses: its error is a share of these.
func (s seen) same(got answer) error {
	if err := same(got.Losses, s.losses, s.within); err != nil {
		return err
	}
	if (s.improvement == nil) != (got.Improvement == nil) {
		return fmt.Errorf("of what the step improved only one of us tells")
	}
	if s.improvement == nil {
		return nil
	}
	sum := 0.0
	for _, loss := range s.losses {
		sum += math.Abs(loss)
	}
	if !(math.Abs(*got.Improvement-*s.improvement) <= s.within*sum) {
		return fmt.Errorf("it improved by %g, and we by %g", *got.Improvement, *s.improvement)
	}
	return nil
}

// same tells where losses differ.
func same(got map[string]float64, want map[negative.Loss]float64, within float64) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		g, has := got[string(name)]
		if w := want[name]; !has || !(math.Abs(g-w) <= within*math.Abs(w)) {
			return fmt.Errorf("its %s is %g, and ours %g", name, g, w)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("it has the losses %v, and we %v", got, want)
	}
	return nil
}

// compare gives our lines the ratio of the fastest of PyTorch's to them.
func compare(lines []Line) {
	for i, ours := range lines {
		if ours.By != "" {
			continue
		}
		best := math.Inf(1)
		for _, theirs := range lines {
			if theirs.By != "" && theirs.What == ours.What {
				best = min(best, theirs.Median)
			}
		}
		if !math.IsInf(best, 1) {
			lines[i].Ratio = best / ours.Median
		}
	}
}

// peerPart is a part of PyTorch's step.
type peerPart struct {
	peer  *peer
	part  train.Part
	bytes uint64 // that its tensors have taken, on a GPU
}

// turn implements contender.
func (p *peerPart) turn(ctx context.Context) (Times, error) {
	return bursts(ctx, func() (time.Duration, error) {
		answer, err := p.peer.step(p.part)
		p.bytes = answer.Bytes
		return time.Duration(answer.Seconds * float64(time.Second)), err
	})
}
