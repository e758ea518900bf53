package vlpx

import (
	"context"
	"errors"
	"fmt"
	"os"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/identity"
)

// The functions of this file are the one call of a cell. They show what they have: in a notebook of the kernel "Go (vlpx)" tables, figures
// and, while runs train, their curves; anywhere else tables on standard output and a line of progress on standard error. When
// one fails it ends the program, which makes the cell fail, with the error and nothing else on standard error and exit status 1.
// An interrupt stops the runs; what they have done is kept.

// Reproduce runs what is missing of an artifact, such as "falcon/table1", and shows it beside the paper's numbers. A second call answers
// from the store.
func Reproduce(id string, options ...Options) *Report {
	return must("reproduce", options, func(ctx context.Context, s cell.Screen, o Options) (*Report, error) {
		grid, err := Open(id, o)
		if err != nil {
			return nil, err
		}
		return grid.show(ctx, s)
	})
}

// Run trains a method, once a seed, and shows its retrieval and its curves. A method is one that Show("methods") lists or one of Options.Own,
// with settings of the scale or of its parts behind it: "GRIT-VLP", "GRIT-VLP, searchspace=960, temperature=.1" or "Mine, tauplus=.05".
func Run(method string, options ...Options) *Report { return compare("run", []string{method}, options) }

// Compare trains methods, named as for Run, and shows them side by side, each against the first by a paired t-test over seeds.
func Compare(methods []string, options ...Options) *Report {
	return compare("compare", methods, options)
}

func compare(what string, methods []string, options []Options) *Report {
	return must(what, options, func(ctx context.Context, s cell.Screen, o Options) (*Report, error) {
		grid, err := OpenComparison(methods, o)
		if err != nil {
			return nil, err
		}
		return grid.show(ctx, s)
	})
}

// Show shows, and runs nothing: an artifact by its name, as far as the store and the shipped reference results have it, and returns its
// report; a list, as List names it, of settings also some, as "settings schedule" or one in full, as "settings epochs"; or a value, such as a Report,
// a plots.Table or a plots.Drawing. A report is shown, and returned, with the view of the options.
func Show(what any, options ...Options) *Report {
	return must("show", options, func(_ context.Context, s cell.Screen, o Options) (*Report, error) {
		switch what := what.(type) {
		case string:
			if table, asks, err := listedSettings(what, o); err != nil {
				return nil, err
			} else if asks {
				return nil, s.Show(table)
			}
			if table, ok := List(what); ok {
				return nil, s.Show(table)
			}
			grid, err := Open(what, o)
			if err != nil {
				return nil, err
			}
			report, err := grid.Report()
			if err != nil {
				return nil, err
			}
			return report, report.show(s)
		case *Report:
			viewed, err := what.Viewed(o.View)
			if err != nil {
				return nil, err
			}
			return viewed, viewed.show(s)
		}
		return nil, s.Show(what)
	})
}

// Save writes a report to files, as their endings say: the figure to .png, .svg or .pdf, the table to .md, .csv, .html,
// .json or, for a paper in LaTeX, .tex, its claims to .claims.tex, and what every run gave to .seeds.csv.
func Save(r *Report, paths ...string) {
	must("save", nil, func(_ context.Context, s cell.Screen, _ Options) (*Report, error) {
		if len(paths) == 0 {
			return nil, errors.New("to which file? Name some, such as figure.pdf and table.csv")
		}
		for _, path := range paths {
			if err := r.Save(path); err != nil {
				return nil, err
			}
			s.Say("wrote " + path)
		}
		return nil, nil
	})
}

// must does what a cell asks for and ends the program if that fails.
func must[T any](what string, options []Options, do func(context.Context, cell.Screen, Options) (T, error)) (none T) {
	identity.ReadCaller()
	ctx, stop := cell.Context()
	defer stop()
	screen := cell.Open()
	var result T
	err := fmt.Errorf("a call takes one Options, not %d", len(options))
	switch len(options) {
	case 0:
		result, err = do(ctx, screen, Options{})
	case 1:
		result, err = do(ctx, screen, options[0])
	}
	if closing := screen.Close(); err == nil {
		err = closing
	}
	if err == nil {
		return result
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) && !errors.Is(err, cell.ErrOrphaned) {
		err = errors.New("stopped")
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	os.Exit(1)
	return none
}

// show runs what is missing, following it on the screen, and shows the report.
func (g *Grid) show(ctx context.Context, s cell.Screen) (*Report, error) {
	if err := g.makeOn(ctx, s, s.Block()); err != nil {
		return nil, err
	}
	report, err := g.Report()
	if err != nil {
		return nil, err
	}
	return report, report.show(s)
}

// makeOn runs what is missing, following it on a block of the screen, which is empty in the end.
func (g *Grid) makeOn(ctx context.Context, s cell.Screen, b cell.Block) error {
	remarks, err := g.Remarks()
	if err != nil {
		return err
	}
	s.Say(remarks...)
	outlook, err := g.Outlook()
	if err != nil || len(outlook) == 0 {
		return err
	}
	b.Head(outlook...)
	l := follow(g, b, s.Live())
	err = g.Make(ctx, l.hear)
	s.Say(l.close()...)
	if !errors.Is(err, context.Canceled) {
		return err
	}
	kept, err := g.Stopped()
	if err != nil {
		return err
	}
	return wasStopped(kept)
}

// wasStopped is what a grid keeps whose runs were stopped.
type wasStopped string

func (s wasStopped) Error() string { return string(s) + "; the same call goes on from there" }

// Is makes it a cancellation.
func (wasStopped) Is(err error) bool { return err == context.Canceled }

func (r *Report) show(s cell.Screen) error { return s.Show(r.parts()...) }

// parts are the report and its figure, if it has one.
func (r *Report) parts() []any {
	if r.figure == nil {
		return []any{r}
	}
	return []any{r, r.figure}
}
