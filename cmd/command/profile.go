package command

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/pprof"
	"runtime/trace"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/lab"
)

// profile writes where the time of training goes: a profile of all of it, and a trace of one step.
type profile struct {
	processor, trace string // files; empty for none

	steps   int // seen so far
	tracing bool
	traced  bytes.Buffer
}

// tracedStep is the step that is traced: those before it compile, and fill what is kept.
const tracedStep = 10

func (p *profile) bind(c *cobra.Command) {
	c.Flags().StringVar(&p.processor, "pprof", "", "a `file` for a profile of the processor's time, which go tool pprof reads; what the "+
		"engine's library does counts as the call (default none)")
	c.Flags().StringVar(&p.trace, "trace", "", fmt.Sprintf("a `file` for a trace of step %d, which go tool trace reads (default none)",
		tracedStep))
}

// around calls what trains, which tells listen of each step, and writes the files, also where it failed.
func (p *profile) around(train func(listen func(lab.Progress)) error) error {
	var processor bytes.Buffer
	if p.processor != "" {
		if err := pprof.StartCPUProfile(&processor); err != nil {
			return fmt.Errorf("-pprof: %w", err)
		}
	}
	err := train(p.listen)
	if p.processor != "" {
		pprof.StopCPUProfile()
		err = errors.Join(err, disk.WriteFile(p.processor, processor.Bytes(), 0o644))
	}
	if p.tracing {
		trace.Stop()
	}
	if p.trace == "" {
		return err
	}
	if p.steps < tracedStep {
		return errors.Join(err, fmt.Errorf("-trace: %d steps were made, and step %d is traced; take a run that is not finished, and has more",
			p.steps, tracedStep))
	}
	return errors.Join(err, disk.WriteFile(p.trace, p.traced.Bytes(), 0o644))
}

// listen begins the trace before a step and ends it behind that.
func (p *profile) listen(at lab.Progress) {
	if p.trace == "" || at.Message != "" || at.Asking {
		return
	}
	p.steps++
	switch p.steps {
	case tracedStep - 1:
		p.tracing = trace.Start(&p.traced) == nil
	case tracedStep:
		trace.Stop()
		p.tracing = false
	}
}
