package benchmark

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// tolerance is how far PyTorch's losses may be from ours, relatively, for a race to be one of the same step: that of the first step, and of the
// second one, whose weights come from both optimisers in float32. The second is our choice: where a gradient is zero but for rounding, the first
// update by Adam is as large as any.
var tolerance = [...]float64{1e-4, 1e-3}

// challenge starts PyTorch in each of its ways on the entrant's weights and mini-batch, and holds its losses to ours.
func (b *bench) challenge(ctx context.Context, e *entrant) error {
	var err error
	if b.python, err = findTorch(ctx, "/usr/bin/python3", "python3"); err != nil {
		return err
	}
	b.result.PyTorch = b.python.version
	if e.dir, err = os.MkdirTemp("", "vlpx-peer-"); err != nil {
		return fmt.Errorf("benchmark: %w", err)
	}
	if err := export(e.dir, e.Run.Train, e.probe, e.in); err != nil {
		return err
	}
	var ours []map[negative.Loss]float64
	s := &step{probe: e.probe, part: train.Whole, in: e.in}
	for range tolerance {
		out, _, err := s.once()
		if err != nil {
			return err
		}
		ours = append(ours, out.Losses)
	}
	for _, way := range b.python.ways() {
		p, err := start(ctx, b.python, way, e.dir)
		if err != nil {
			return err
		}
		err = p.check(ours)
		switch {
		case err == nil:
			e.peers = append(e.peers, p)
			continue
		case ctx.Err() != nil || way.mode != compiled:
			p.close()
			return err
		}
		p.close() // eager PyTorch is there to race; a compiler that fails on this machine is no reason to race nobody
		b.leave(fmt.Sprintf("%s: %v", e.name(), err))
	}
	racing, err := b.qualify(e.Case, e.peers)
	if err == nil {
		e.peers = racing
	}
	return err
}

// check holds the peer's first steps to the losses of ours.
func (p *peer) check(ours []map[negative.Loss]float64) error {
	for k, want := range ours {
		got, err := p.step(train.Whole)
		if err != nil {
			return err
		}
		if err := same(got.Losses, want, tolerance[k]); err != nil {
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

// qualify takes the ways out of the race that cannot win it.
func (b *bench) qualify(c Case, peers []*peer) (racing []*peer, err error) {
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
		if best[k] <= slow*fastest {
			racing = append(racing, p)
			continue
		}
		p.close()
		b.leave(fmt.Sprintf("%s: %s, whose step took %.0f times as long as that of its fastest way", c.name(), p.name(), best[k]/fastest))
	}
	return racing, nil
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
	peer *peer
	part train.Part
}

// turn implements contender.
func (p *peerPart) turn(ctx context.Context) (Times, error) {
	return bursts(ctx, func() (time.Duration, error) {
		answer, err := p.peer.step(p.part)
		return time.Duration(answer.Seconds * float64(time.Second)), err
	})
}
