package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/paper"
)

// Report is an artifact with its results. It shows itself on a page and in a terminal, and writes itself to files.
type Report struct {
	*paper.Report              // of all rows and columns
	whole         tables.Table // likewise, for files of data

	table, claims tables.Table  // of the view
	short         tables.Table  // the claims as a paper prints them
	figure        plots.Drawing // of the view; nil for none
}

// Report gathers what the store has.
func (g *Grid) Report() (*Report, error) {
	inner, err := paper.NewReport(g.Plan, g.Store)
	if err != nil {
		return nil, err
	}
	return newReport(inner, g.View)
}

// newReport lays a report out, with a view of it.
func newReport(inner *paper.Report, v View) (r *Report, err error) {
	r = &Report{Report: inner}
	if r.whole, err = inner.Table(); err != nil {
		return nil, err
	}
	viewed, err := r.Viewed(v)
	if err != nil {
		return nil, fmt.Errorf("%w. Nothing is lost: the finished runs are kept, so the same call with a name that there is shows "+
			"them at once",
			err)
	}
	return viewed, nil
}

// Viewed is the report with another view of its rows and columns: its table, claims and figure are of these. What is data, CSV and JSON,
// has everything.
func (r *Report) Viewed(v View) (*Report, error) {
	viewed, err := r.Report.Viewed(v)
	if err != nil {
		return nil, err
	}
	one := *r
	one.table, one.claims, one.short = r.whole, viewed.ClaimsTable(), viewed.ClaimsInShort()
	if v.Title != "" {
		one.table.Title, one.table.Label = v.Title, v.Title
	}
	if v.Selects() {
		if one.table, err = viewed.Table(); err != nil {
			return nil, err
		}
	}
	if one.figure, err = viewed.Figure(); err != nil {
		return nil, err
	}
	return &one, nil
}

// Text writes the table and the claims for a terminal.
func (r *Report) Text(w io.Writer, terminal tables.Terminal) error {
	if err := r.table.Text(w, terminal); err != nil || len(r.claims.Rows) == 0 {
		return err
	}
	fmt.Fprintln(w)
	return r.claims.Text(w, terminal)
}

// Markdown writes the table and the claims in Markdown.
func (r *Report) Markdown(w io.Writer) error {
	if err := r.table.Markdown(w); err != nil || len(r.claims.Rows) == 0 {
		return err
	}
	fmt.Fprintln(w)
	return r.claims.Markdown(w)
}

// HTML writes the table and the claims in HTML, for a notebook.
func (r *Report) HTML(w io.Writer) error {
	if err := r.table.HTML(w); err != nil || len(r.claims.Rows) == 0 {
		return err
	}
	return r.claims.HTML(w)
}

// LaTeX writes the table for a paper.
func (r *Report) LaTeX(w io.Writer) error { return r.table.LaTeX(w) }

// ClaimsLaTeX writes the table of the claims for a paper.
func (r *Report) ClaimsLaTeX(w io.Writer) error {
	if !r.HasClaims() {
		return fmt.Errorf("%s has no claims", r.ID)
	}
	return r.short.LaTeX(w)
}

// CSV writes the table of all rows and columns, one line a value.
func (r *Report) CSV(w io.Writer) error { return r.whole.CSV(w) }

// JSON writes everything.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// HasClaims reports whether there are claims between what the report shows.
func (r *Report) HasClaims() bool { return len(r.claims.Rows) > 0 }

// HasFigure reports whether there is a figure to draw.
func (r *Report) HasFigure() bool { return r.figure != nil }

// PNG draws the figure.
func (r *Report) PNG(w io.Writer) error {
	return r.drawn(func(d plots.Drawing) error { return d.PNG(w, 0) })
}

// SVG draws the figure, with text as text.
func (r *Report) SVG(w io.Writer) error {
	return r.drawn(func(d plots.Drawing) error { return d.SVG(w) })
}

// PDF draws the figure, with its fonts embedded.
func (r *Report) PDF(w io.Writer) error {
	return r.drawn(func(d plots.Drawing) error { return d.PDF(w) })
}

func (r *Report) drawn(draw func(plots.Drawing) error) error {
	if r.figure == nil {
		return fmt.Errorf("%s has no figure, or no results to draw yet", r.ID)
	}
	return draw(r.figure)
}

// endings are what a report can be written as; one that is the end of another comes behind it.
var endings = []struct {
	name   string
	figure bool
	render func(*Report, io.Writer) error
}{
	{"md", false, (*Report).Markdown}, {"seeds.csv", false, (*Report).SeedsCSV}, {"csv", false, (*Report).CSV},
	{"json", false, (*Report).JSON},
	{"html", false, (*Report).HTML}, {"claims.tex", false, (*Report).ClaimsLaTeX}, {"tex", false, (*Report).LaTeX},
	{"png", true, (*Report).PNG}, {"svg", true, (*Report).SVG}, {"pdf", true, (*Report).PDF},
}

// FigureEndings are the endings of files that hold the figure.
func FigureEndings() []string { return endingsOf(true) }

// TableEndings are the endings of files that hold the table or what it is made of.
func TableEndings() []string { return endingsOf(false) }

func endingsOf(figure bool) []string {
	var names []string
	for _, e := range endings {
		if e.figure == figure {
			names = append(names, e.name)
		}
	}
	return names
}

// Save writes the report to a file as the ending of its name says: the figure to .png, .svg or .pdf, the table to .md, .csv, .html, .json
// or, for a paper in LaTeX, .tex, its claims to .claims.tex, and what every run gave to .seeds.csv. The file appears whole or not at all.
func (r *Report) Save(path string) error {
	var names []string
	for _, e := range endings {
		if names = append(names, "."+e.name); !strings.HasSuffix(path, "."+e.name) {
			continue
		}
		var content bytes.Buffer
		if err := e.render(r, &content); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: there is no folder %s; make it first", path, filepath.Dir(path))
		}
		if err := disk.WriteFile(path, content.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		return nil
	}
	return fmt.Errorf("%s: its ending says none of %s", path, strings.Join(slices.Sorted(slices.Values(names)), ", "))
}
