package bench

import (
	"context"
	"os"
	"slices"
	"time"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// step is a part of a training step on one mini-batch, whose numbers come from the host each time, as the loader's do. To an engine with
// memory of its own images go before the time begins, as in training, where they go while the step before runs.
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

// outcome is what a step told.
type outcome struct {
	losses      map[negative.Loss]float64
	improvement *float64 // of the losses that the method is rewarded by; nil where it is not
}

// once makes the step, and tells what it told.
func (s *step) once() (outcome, time.Duration, error) {
	fresh, err := copied(s.in)
	if err != nil {
		return outcome{}, 0, err
	}
	defer fresh.Release()
	if err := s.probe.Ahead(fresh); err != nil {
		return outcome{}, 0, err
	}
	begun := time.Now()
	out, err := s.probe.Run(s.part, fresh) // which reads the losses, and so waits for the engine
	took := time.Since(begun)
	if err != nil {
		return outcome{}, 0, err
	}
	defer out.Release()
	told := outcome{losses: out.Losses}
	if out.Has(field.Improvement) {
		x := out.Float(field.Improvement)
		told.improvement = &x
	}
	return told, took, nil
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

// PartNames are those of the parts of a step that are measured.
func PartNames() []string { return []string{"forward", "backward", "whole"} }

// parts are those of the settings.
func (s Settings) parts() (all []train.Part) {
	for k, part := range []train.Part{train.Forward, train.Backward, train.Whole} {
		if len(s.Parts) == 0 || slices.Contains(s.Parts, PartNames()[k]) {
			all = append(all, part)
		}
	}
	return all
}

// precision is that of a case's products on an engine.
func (c Case) precision(engine string) precision {
	half, can := c.Run.Train.Framework.Framework.(framework.InHalf)
	switch {
	case can && half.InHalf():
		return bfloat16
	case inTF32(engine):
		return tf32
	}
	return float32s
}

// steps measures the parts of the entrants' steps in turn with the engine's matrix product at their precision and with peers, all in the
// same rounds.
func (b *bench) steps(ctx context.Context, entrants []*entrant) error {
	var all []contender
	var rates []precision
	for _, e := range entrants {
		of := e.precision(b.executor.Engine)
		if slices.Contains(rates, of) {
			continue
		}
		peak, err := newProduct(b.executor.Backend, of, onGPU(b.executor.Engine))
		if err != nil {
			return err
		}
		defer peak.close()
		all, rates = append(all, peak), append(rates, of)
	}
	peers := map[*peer][]*peerPart{}
	for _, e := range entrants {
		for _, part := range b.parts() {
			all = append(all, &step{probe: e.probe, part: part, in: e.in})
		}
		for _, p := range e.peers {
			for _, part := range b.parts() {
				peers[p] = append(peers[p], &peerPart{peer: p, part: part})
				all = append(all, peers[p][len(peers[p])-1])
			}
		}
	}
	times, err := inTurns(ctx, b.rounds(), all)
	if err != nil {
		return err
	}
	rate := map[precision]float64{}
	for k, of := range rates {
		rate[of] = all[k].(*product).operations / times[k].Median()
	}
	times = times[len(rates):]
	next := func(part train.Part) Line {
		line := newLine(part.String(), Step, times[0])
		times = times[1:]
		return line
	}
	var memory uint64
	if onGPU(b.executor.Engine) {
		memory = engine.GPUMemory(ctx, os.Getpid())
	}
	for _, e := range entrants {
		of := e.precision(b.executor.Engine)
		operations := map[train.Part]float64{}
		for _, part := range b.parts() {
			line := e.of(next(part))
			if line.Operations, err = e.probe.Operations(part); err != nil {
				return err
			}
			operations[part] = line.Operations
			line.Peak, line.Share, line.Memory = rate[of], line.Operations/line.Median/rate[of], memory
			if line.Up, line.Down, err = e.probe.Crossing(part, e.in); err != nil {
				return err
			}
			e.lines = append(e.lines, line)
		}
		for _, p := range e.peers {
			for k, part := range b.parts() {
				line := e.of(next(part))
				line.By, line.Memory = p.name(), peers[p][k].bytes
				e.lines = append(e.lines, line)
			}
		}
		for i, line := range e.lines {
			e.lines[i].Precision = string(of)
			if b.Peak > 0 {
				e.lines[i].MFU = operations[b.parts()[i%len(b.parts())]] / line.Median / b.Peak
			}
		}
		compare(e.lines)
	}
	return nil
}
