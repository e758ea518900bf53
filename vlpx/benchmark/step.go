package benchmark

import (
	"context"
	"time"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// step is a part of a training step on one mini-batch, whose numbers come from the host each time, as the loader's do.
type step struct {
	probe *run.Probe
	part  train.Part
	in    field.Values
}

// turn implements contender.
func (s *step) turn(ctx context.Context) (Times, error) {
	return bursts(ctx, func() (time.Duration, error) {
		_, took, err := s.once()
		return took, err
	})
}

// once makes the step, and tells its losses.
func (s *step) once() (train.Output, time.Duration, error) {
	fresh, err := copied(s.in)
	if err != nil {
		return train.Output{}, 0, err
	}
	defer fresh.Release()
	begun := time.Now()
	out, err := s.probe.Run(s.part, fresh)
	took := time.Since(begun)
	if err != nil {
		return train.Output{}, 0, err
	}
	out.Release()
	return out, took, nil
}

// copied are the same numbers in tensors that no engine has.
func copied(in field.Values) (field.Values, error) {
	out := field.Values{}
	for name, x := range in {
		var err error
		if out[name], err = x.LocalClone(); err != nil {
			out.Release()
			return nil, err
		}
	}
	return out, nil
}

// parts of a step that are measured.
var parts = []train.Part{train.Forward, train.Backward, train.Whole}

// steps measures the parts of the entrants' steps in turn with the engine's matrix product and with peers, all in the same rounds.
func (b *bench) steps(ctx context.Context, entrants []*entrant) error {
	peak, err := newProduct(b.executor.Backend)
	if err != nil {
		return err
	}
	defer peak.close()
	all := []contender{peak}
	for _, e := range entrants {
		for _, part := range parts {
			all = append(all, &step{probe: e.probe, part: part, in: e.in})
		}
		for _, p := range e.peers {
			for _, part := range parts {
				all = append(all, &peerPart{peer: p, part: part})
			}
		}
	}
	times, err := inTurns(ctx, b.rounds(), all)
	if err != nil {
		return err
	}
	rate := peakOperations / times[0].Median()
	times = times[1:]
	next := func(part train.Part) Line {
		line := newLine(part.String(), Step, times[0])
		times = times[1:]
		return line
	}
	for _, e := range entrants {
		for _, part := range parts {
			line := e.of(next(part))
			if line.Operations, err = e.probe.Operations(part); err != nil {
				return err
			}
			line.Peak, line.Share = rate, line.Operations/line.Median/rate
			if line.Up, line.Down, err = e.probe.Crossing(part, e.in); err != nil {
				return err
			}
			e.lines = append(e.lines, line)
		}
		for _, p := range e.peers {
			for _, part := range parts {
				line := e.of(next(part))
				line.By = p.name()
				e.lines = append(e.lines, line)
			}
		}
		compare(e.lines)
	}
	return nil
}
