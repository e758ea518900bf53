package bench

import (
	"context"
	"fmt"
	"os"
	"strings"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/train"
)

// apart measures whole steps, those of each case in a process of its own, one after another, so that the memory is that of the case. A case
// whose process ends, as where its step does not fit into memory, is left out with the reason.
func (b *bench) apart(ctx context.Context, cases []Case) error {
	for index, c := range cases {
		b.say(c.name())
		line, err := b.alone(ctx, index)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			b.leave(fmt.Sprintf("%s: %s", c.name(), strings.TrimPrefix(err.Error(), "benchmark: ")))
		default:
			line.Precision = string(c.precision(b.executor.Engine))
			b.result.Lines = append(b.result.Lines, c.of(line))
		}
	}
	undivided(b.result.Lines)
	return nil
}

// alone measures the whole steps of a case by its index.
func (b *bench) alone(ctx context.Context, index int) (Line, error) {
	p, err := startOurs(ctx, b.Again(ctx, index), nil)
	if err != nil {
		return Line{}, err
	}
	defer p.close()
	process := p.command.Process.Pid
	// A system without memory ends it before others (Linux, proc(5)); others do not know of that.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", process), []byte("1000"), 0)
	times, err := inTurns(ctx, b.rounds(), []contender{&peerPart{peer: p, part: train.Whole}})
	if err != nil {
		return Line{}, err
	}
	line := newLine(train.Whole.String(), Step, times[0])
	line.Memory = engine.PeakMemory(process)
	if onGPU(b.executor.Engine) {
		line.Memory = engine.GPUMemory(ctx, process)
	}
	return line, nil
}

// undivided gives steps in chunks their time over that of the same mini-batch as a whole.
func undivided(lines []Line) {
	for i, l := range lines {
		for _, whole := range lines {
			if l.Chunk > 0 && whole.Chunk == 0 && whole.Framework == l.Framework && whole.Method == l.Method && whole.Scale == l.Scale &&
				whole.Set == l.Set && whole.Batch == l.Batch {
				lines[i].Undivided = l.Median / whole.Median
			}
		}
	}
}
