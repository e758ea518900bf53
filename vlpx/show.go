package vlpx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/signal"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"golang.org/x/term"

	"vlpx.internal/plots"
)

// Show reproduces an artifact, as Reproduce does, and shows it: in a notebook of the kernel "Go (vlpx)" its tables and its
// figure, under a line that follows the runs while they train; anywhere else its tables on standard output, and that line
// on standard error if it is a terminal.
//
// It is the one call of a cell. So when it fails it ends the program, which makes the cell fail: with the error, and
// nothing else, on standard error and exit status 1. An interrupt stops the runs; what they have done is kept.
func Show(id string, o Options) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	show := showInTerminal
	if gonbui.IsNotebook {
		show = showInNotebook
	}
	err := show(ctx, id, o)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("stopped; what was finished is kept, and the same call goes on from there")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", id, err)
		os.Exit(1)
	}
}

func showInNotebook(ctx context.Context, id string, o Options) error {
	defer deliver()
	block := "vlpx_" + gonbui.UniqueId()
	line := statusLine{each: time.Second, write: func(text string) { gonbui.UpdateHTML(block, text) }}
	report, err := Reproduce(ctx, id, o, func(p Progress) {
		line.show(time.Now(), "<pre>"+html.EscapeString(p.String())+"</pre>")
	})
	line.erase()
	if err != nil {
		return err
	}
	var page, figure bytes.Buffer
	if err := report.HTML(&page); err != nil {
		return err
	}
	gonbui.DisplayHTML(page.String())
	if report.HasFigure() {
		if err := report.PNG(&figure); err != nil {
			return err
		}
		gonbui.DisplayPng(figure.Bytes())
	}
	return gonbui.Error()
}

// deliver waits until the page has what was sent to it, which the program's end would lose. The wait is bounded: a kernel
// that died meanwhile never answers.
func deliver() {
	done := make(chan struct{})
	go func() {
		gonbui.Sync()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
	}
}

func showInTerminal(ctx context.Context, id string, o Options) error {
	line := statusLine{each: 200 * time.Millisecond, write: func(text string) { fmt.Fprint(os.Stderr, "\r\x1b[K"+text) }}
	var listen func(Progress)
	if term.IsTerminal(int(os.Stderr.Fd())) {
		listen = func(p Progress) { line.show(time.Now(), p.String()) }
	}
	report, err := Reproduce(ctx, id, o, listen)
	line.erase()
	if err != nil {
		return err
	}
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	return report.Text(os.Stdout, plots.Terminal{Width: width, Style: err == nil})
}

// statusLine is one line of text that is written over and over, no more often than a reader can follow. In a notebook
// each writing is a message to the page: a training step is too often.
type statusLine struct {
	each    time.Duration
	write   func(text string)
	written time.Time
}

// show writes the text unless the last one is too young.
func (l *statusLine) show(now time.Time, text string) {
	if now.Sub(l.written) < l.each {
		return
	}
	l.written = now
	l.write(text)
}

// erase writes the empty text over what show wrote, if it wrote any.
func (l *statusLine) erase() {
	if !l.written.IsZero() {
		l.write("")
	}
}
