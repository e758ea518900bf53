package benchmark

import (
	"context"
	"time"

	"vlpx.internal/vlpx/engine"
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

// steps measures the parts of a step in turn with the engine's matrix product and with peers.
func (b *bench) steps(ctx context.Context, probe *run.Probe, peers []*peer, in field.Values) ([]Line, error) {
	peak, err := newProduct(b.executor.Backend)
	if err != nil {
		return nil, err
	}
	defer peak.close()
	all := []contender{peak}
	var ours []*step
	for _, part := range parts {
		s := &step{probe: probe, part: part, in: in}
		ours, all = append(ours, s), append(all, s)
	}
	var theirs []*peerPart
	for _, p := range peers {
		for _, part := range parts {
			of := &peerPart{peer: p, part: part}
			theirs, all = append(theirs, of), append(all, of)
		}
	}
	times, err := inTurns(ctx, b.rounds(), all)
	if err != nil {
		return nil, err
	}
	rate := peakOperations / times[0].Median()
	var lines []Line
	for k, s := range ours {
		line := newLine(s.part.String(), Step, times[1+k])
		if line.Operations, err = probe.Operations(s.part); err != nil {
			return nil, err
		}
		line.Peak, line.Share = rate, line.Operations/line.Median/rate
		if line.Up, line.Down, err = probe.Crossing(s.part, in); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	for k, p := range theirs {
		line := newLine(p.part.String(), Step, times[1+len(ours)+k])
		line.By = p.peer.name()
		lines = append(lines, line)
	}
	return lines, nil
}

var _ train.Count = engine.Operations
