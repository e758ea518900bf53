package vlpx

import (
	"context"
	"errors"
	"fmt"
	"os"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/paper"
)

// The functions of this file are the one call of a cell. They show what they have: in a notebook of the kernel "Go (vlpx)" tables, figures
// and, while runs train, their curves; anywhere else tables on standard output and a line of progress on standard error. When
// one fails it ends the program, which makes the cell fail, with the error and nothing else on standard error and exit status 1.
// An interrupt stops the runs; what they have done is kept.

// Reproduce runs what is missing of an artifact, such as "falcon/table1", and shows it beside the paper's numbers. A second call answers
// from the store.
func Reproduce(id string, options ...Options) *Report {
	return must(id, options, func(ctx context.Context, s cell.Screen, o Options) (*Report, error) {
		grid, err := Open(id, o)
		if err != nil {
			return nil, err
		}
		return grid.show(ctx, s)
	})
}

// Run trains a method, once a seed, and shows its retrieval and its curves. A method is a row of falcon/table1 or one of Options.Own, with
// settings of the scale behind it: "GRIT-VLP" or "GRIT-VLP, searchspace=20, temperature=.1".
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

// Show shows, and runs nothing: an artifact by its name, as far as the store and the shipped reference results have it; a paper by its
// name, as a list of its artifacts, "" for all papers; or a value, such as a Report, a [plots.Table] or a [plots.Drawing].
func Show(what any, options ...Options) {
	must(label(what), options, func(_ context.Context, s cell.Screen, o Options) (*Report, error) {
		switch what := what.(type) {
		case string:
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
			return nil, report.show(s)
		case *Report:
			return nil, what.show(s)
		}
		return nil, s.Show(what)
	})
}

// Save writes a report to files, as their endings say: the figure to .png, .svg or .pdf, the table to .md, .csv, .html or .json.
func Save(r *Report, paths ...string) {
	must("save", nil, func(_ context.Context, s cell.Screen, _ Options) (*Report, error) {
		for _, path := range paths {
			if err := r.Save(path); err != nil {
				return nil, err
			}
			s.Say("wrote " + path)
		}
		return nil, nil
	})
}

// label names what is shown, for an error.
func label(what any) string {
	if id, ok := what.(string); ok {
		return id
	}
	return "show"
}

// must does what a cell asks for and ends the program if that fails.
func must(what string, options []Options, do func(context.Context, cell.Screen, Options) (*Report, error)) *Report {
	ctx, stop := cell.Context()
	defer stop()
	screen := cell.Open()
	var report *Report
	err := fmt.Errorf("a call takes one Options, not %d", len(options))
	switch len(options) {
	case 0:
		report, err = do(ctx, screen, Options{})
	case 1:
		report, err = do(ctx, screen, options[0])
	}
	if closing := screen.Close(); err == nil {
		err = closing
	}
	if err == nil {
		return report
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		err = fmt.Errorf("stopped; what was finished is kept, and the same call goes on from there")
		if errors.Is(context.Cause(ctx), cell.ErrOrphaned) {
			err = cell.ErrOrphaned
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	os.Exit(1)
	return nil
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
	outlook, err := g.Outlook()
	if err != nil || len(outlook) == 0 {
		return err
	}
	b.Head(outlook...)
	l := follow(g, b, s.Live())
	err = g.Make(ctx, l.hear)
	s.Say(l.close()...)
	return err
}

func (r *Report) show(s cell.Screen) error { return s.Show(r.parts()...) }

// parts are the report and its figure, if it has one.
func (r *Report) parts() []any {
	if r.figure == nil {
		return []any{r}
	}
	return []any{r, r.figure}
}

// List is the table of a paper's artifacts, or of all with an empty name, and whether there is such a paper.
func List(name string) (plots.Table, bool) {
	t := plots.Table{
		Title: "What vlpx regenerates", Heading: "artifact",
		Note:    "Times are of three seeds with ONNX Runtime on two cores.",
		Columns: []plots.Column{{Name: "shows"}, {Name: "status"}, {Name: "at tiny"}, {Name: "at mini"}},
	}
	for _, a := range paper.All() {
		if name != "" && a.Paper() != name {
			continue
		}
		runs, tiny, mini := 3*a.RunsASeed(), "", ""
		if runs > 0 && a.Status() != paper.NotYet {
			tiny, mini = paper.Cost("tiny", runs), paper.Cost("mini", runs)
		}
		t.Rows = append(t.Rows, plots.TableRow{Name: a.ID, Cells: []plots.Cell{{{Text: a.Title}}, {{Text: string(a.Status())}}, {{Text: tiny}}, {{Text: mini}}}})
	}
	return t, len(t.Rows) > 0
}
