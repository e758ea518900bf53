package vlpx

import (
	"context"
	"errors"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/lab"
)

// Show shows, and runs nothing: an artifact by its name, as far as the store and the shipped reference results have it, and returns its
// report; a list, such as "methods", "frameworks", "tasks" or the name of a paper, of settings also some, as "settings schedule" or one in
// full, as "settings epochs"; or a value, such as a Report, a plots.Table or a plots.Drawing. A report is shown, and returned, with the
// view of the options.
func Show(what any, options ...Options) *Report {
	return must("show", options, func(_ context.Context, s cell.Screen, o Options) (*Report, error) {
		return lab.Show(s, what, o)
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
