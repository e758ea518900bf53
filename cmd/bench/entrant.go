package bench

import (
	"context"
	"fmt"
	"os"
	"strings"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/run"
)

// entrant is a case that is ready to be measured.
type entrant struct {
	Case
	probe *run.Probe
	in    field.Values // a mini-batch of its data; nil where no step is measured
	peers []*peer      // PyTorch in the ways that race
	dir   string       // what they read; empty for none
	lines []Line       // of its steps
}

// enter makes a case ready. What it returns is to be closed, with an error, too; it may be nil then.
func (b *bench) enter(ctx context.Context, c Case) (e *entrant, err error) {
	b.say("preparing " + c.name())
	e = &entrant{Case: c}
	if e.probe, err = b.executor.Probe(ctx, c.Run, engine.Operations); err != nil {
		return nil, err
	}
	if b.asks(Step) {
		e.in, err = e.probe.Load(ctx)
	}
	if err == nil && b.Peer {
		if err = b.challenge(ctx, e); err != nil && b.Alone && ctx.Err() == nil {
			for _, p := range e.peers {
				p.close()
			}
			b.leave(fmt.Sprintf("PyTorch's step of %s: %s", e.name(), strings.TrimPrefix(err.Error(), "benchmark: ")))
			e.peers, err = nil, nil
		}
	}
	return e, err
}

// of is a line of the case.
func (c Case) of(l Line) Line {
	t := c.Run.Train
	l.Framework, l.Method, l.Scale, l.Set, l.Batch, l.Chunk = t.Framework.Name(), t.Method.Name, c.Scale, c.Set, t.BatchSize, t.Chunk
	if l.Kind == Step || l.Kind == Loader {
		l.Pairs = float64(max(1, l.Runs)*t.BatchSize) / l.Median
	}
	return l
}

// close frees everything.
func (e *entrant) close() {
	for _, p := range e.peers {
		p.close()
	}
	if e.dir != "" {
		os.RemoveAll(e.dir)
	}
	e.in.Release()
	e.probe.Close()
}
