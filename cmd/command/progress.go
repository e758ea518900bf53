package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"vlpx.internal/vlpx/lab"
)

// bars shows the progress of a grid: a bar a run in a terminal, a line now and then elsewhere.
type bars struct {
	w        io.Writer
	terminal bool
	wide     bool // room for everything in a line
	run      int
	bar      *progressbar.ProgressBar
	printed  time.Time
}

func newBars(w io.Writer) *bars {
	columns, _, err := term.GetSize(int(os.Stderr.Fd()))
	return &bars{w: w, terminal: err == nil, wide: columns >= 120}
}

func (b *bars) listen(p lab.Progress) {
	if p.Message != "" {
		b.finish()
		fmt.Fprintln(b.w, p.Message)
		return
	}
	if p.Asking {
		b.finish()
		fmt.Fprintln(b.w, p)
		return
	}
	last := p.Training.Step == p.Training.Steps
	if !b.terminal {
		if last || time.Since(b.printed) > 10*time.Second {
			b.printed = time.Now()
			fmt.Fprintln(b.w, p)
		}
		return
	}
	if b.bar == nil || b.run != p.Run {
		b.finish()
		b.run = p.Run
		options := []progressbar.Option{progressbar.OptionSetWriter(b.w), progressbar.OptionSetWidth(10),
			progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetPredictTime(true)}
		if b.wide {
			options = append(options, progressbar.OptionSetWidth(24), progressbar.OptionShowCount())
		}
		b.bar = progressbar.NewOptions(p.Training.Steps, options...)
	}
	text := fmt.Sprintf("%d/%d %s seed %d loss %.3f", p.Run, p.Runs, p.Method, p.Seed, p.Training.Loss)
	if b.wide {
		text += fmt.Sprintf(" %5.0f pairs/s", p.Training.PairsPerSecond)
	}
	b.bar.Describe(text)
	b.bar.Set(p.Training.Step)
}

// finish ends the line of the bar in progress.
func (b *bars) finish() {
	if b.bar != nil {
		fmt.Fprintln(b.w)
		b.bar = nil
	}
}
