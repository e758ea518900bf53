package lab

import (
	"context"

	"vlpx.internal/vlpx/cell"
)

// MakeAndShow runs what is missing, following it on a screen, and shows the report.
func (g *Grid) MakeAndShow(ctx context.Context, s cell.Screen) (*Report, error) {
	if err := g.makeOn(ctx, s, s.Block()); err != nil {
		return nil, err
	}
	report, err := g.Report()
	if err != nil {
		return nil, err
	}
	return report, report.Show(s)
}

// makeOn runs what is missing, following it on a block of the screen, which is empty in the end.
func (g *Grid) makeOn(ctx context.Context, s cell.Screen, b cell.Block) error {
	s.Say(g.Remarks()...)
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

// Show shows the report, and its figure, if it has one.
func (r *Report) Show(s cell.Screen) error { return s.Show(r.parts()...) }

// parts are the report and its figure, if it has one.
func (r *Report) parts() []any {
	if r.figure == nil {
		return []any{r}
	}
	return []any{r, r.figure}
}

// Show shows, and runs nothing: an artifact by its name, as far as the store and the shipped reference results have it; a list, as List
// names it, of settings also some; or a value. It returns the report of an artifact.
func Show(s cell.Screen, what any, o Options) (*Report, error) {
	switch what := what.(type) {
	case string:
		if table, asks, err := listedSettings(what, o); err != nil {
			return nil, err
		} else if asks {
			return nil, s.Show(table)
		}
		if table, ok := List(what, o.Own...); ok {
			return nil, s.Show(table)
		}
		grid, err := OpenShown(what, o)
		if err != nil {
			return nil, err
		}
		report, err := grid.Report()
		if err != nil {
			return nil, err
		}
		return report, report.Show(s)
	case *Report:
		viewed, err := what.Viewed(o.View)
		if err != nil {
			return nil, err
		}
		return viewed, viewed.Show(s)
	}
	return nil, s.Show(what)
}
