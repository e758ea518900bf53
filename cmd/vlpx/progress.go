package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"vlpx.internal/vlpx"
)

// bars shows the progress of a grid: a bar a run in a terminal, a line now and then elsewhere.
type bars struct {
	w        io.Writer
	terminal bool
	run      int
	bar      *progressbar.ProgressBar
	told     time.Time
}

func newBars(w io.Writer) *bars {
	return &bars{w: w, terminal: term.IsTerminal(int(os.Stderr.Fd()))}
}

func (b *bars) listen(p vlpx.Progress) {
	if p.Message != "" {
		fmt.Fprintln(b.w, p.Message)
		return
	}
	last := p.Training.Step == p.Training.Steps
	if !b.terminal {
		if last || time.Since(b.told) > 10*time.Second {
			b.told = time.Now()
			fmt.Fprintln(b.w, p)
		}
		return
	}
	if b.run != p.Run {
		b.finish()
		b.run = p.Run
		b.bar = progressbar.NewOptions(p.Training.Steps, progressbar.OptionSetWriter(b.w), progressbar.OptionSetWidth(24),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true))
	}
	b.bar.Describe(fmt.Sprintf("%2d/%d %-22s seed %d  loss %6.3f  %5.0f pairs/s", p.Run, p.Runs, p.Method, p.Seed, p.Training.Loss,
		p.Training.PairsPerSecond))
	b.bar.Set(p.Training.Step)
}

// finish ends the line of the bar in progress.
func (b *bars) finish() {
	if b.bar != nil {
		fmt.Fprintln(b.w)
		b.bar = nil
	}
}
