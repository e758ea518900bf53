package lab

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/source"
)

// Page is one HTML page of artifacts, self-contained and without scripts: each with the papers' numbers, what the store has, the
// shipped reference results, the verdicts, the figure, and how to make it again. It is made of what the store has and runs nothing.
type Page struct {
	Date    time.Time
	Program string // the commit that the program was built from
	Scale   string
	Data    string // the collection's name
	// DataHash is the beginning of that of the data's content.
	DataHash string
	Seeds    []uint64
	Set      []string // what was changed of the scale; see paper.Plan.Settings
	// Engines and Commits are of the runs that the store has, with the number of runs of each.
	Engines, Commits map[string]int
	Have, Need       int // runs that the store has of those that the artifacts need, each counted once
	Papers           []PagePaper
	NotYet           []paper.Artifact

	name string
}

// PagePaper is the part of a page about one paper.
type PagePaper struct {
	Key      string // "falcon"
	Title    string
	Sections []PageSection
}

// PageSection is the part of a page about one artifact.
type PageSection struct {
	ID, Title, Look string
	Partial         bool // some rows or columns are not there yet
	Have, Need      int  // runs
	Table           template.HTML
	Letters         int // width of the table in a terminal, by which it is made to fit on paper
	Note            string
	Claims          []paper.Finding
	Figure          template.HTML // empty for none, or none yet
	Pending         bool          // there will be a figure once the store has results
	Shell, Cell     string        // what makes it again; Shell is empty where only a cell can
	Err             error         // why there is nothing else
	Damaged         error         // files that cannot be read, with what to do; the rest is there
}

// Anchor is the section's id in the page.
func (s PageSection) Anchor() string { return strings.ReplaceAll(s.ID, "/", "-") }

// NewPage gathers artifacts in the catalogue's order: those named by their ID or by their paper ("falcon"), or all if none is
// named. say, if not nil, hears of each before it is read. Names that are not there, and options that suit none of the artifacts, are an
// error; what is wrong with single artifacts stands in their sections, and Faults returns it.
func NewPage(ctx context.Context, names []string, o Options, say func(string)) (*Page, error) {
	artifacts, err := selected(names)
	if err != nil {
		return nil, err
	}
	o.View, o.known = View{}, new(plan.Known) // a view is of one artifact
	p := &Page{Date: time.Now(), Program: source.Commit(), Engines: map[string]int{}, Commits: map[string]int{}}
	var grids []*Grid // nil where it does not open, with the error in faults
	var faults []error
	var first *Grid // that opens
	var ready []paper.Artifact
	for _, a := range artifacts {
		if a.Status() == paper.NotYet {
			p.NotYet = append(p.NotYet, a)
			continue
		}
		grid, err := OpenShown(a.ID, o)
		if err == nil && first == nil {
			first = grid
		}
		ready, grids, faults = append(ready, a), append(grids, grid), append(faults, err)
	}
	if len(ready) == 0 {
		return nil, fmt.Errorf("nothing of %s is there yet; vlpx list says what is", strings.Join(names, ", "))
	}
	if first == nil {
		return nil, faults[0]
	}
	planned := first.Plan
	p.Scale, p.Data, p.DataHash, p.Seeds, p.Set = planned.Scale.Name, planned.Data.Name, plan.Abbreviated(planned.Data.Hash), planned.Seeds,
		planned.Settings()
	p.name = planned.FileName(strings.ReplaceAll(strings.Join(append([]string{"report"}, names...), "-"), "/", "-"))

	counted := map[string]bool{}
	for i, a := range ready {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if say != nil {
			say(fmt.Sprintf("%s (%d of %d)", a.ID, i+1, len(ready)))
		}
		s := PageSection{ID: a.ID, Title: a.Title, Look: a.Look, Partial: a.Status() == paper.Partial, Err: faults[i]}
		s.Shell, s.Cell = o.calls(a.ID)
		if s.Err == nil {
			if s.Err = p.count(&s, grids[i], counted); s.Err == nil {
				s.Err, s.Damaged = s.fill(grids[i]), errors.Join(grids[i].Damaged()...)
			}
		}
		if n := len(p.Papers); n == 0 || p.Papers[n-1].Key != a.Paper() {
			p.Papers = append(p.Papers, PagePaper{Key: a.Paper(), Title: catalogue.Title(a.Paper())})
		}
		part := &p.Papers[len(p.Papers)-1]
		part.Sections = append(part.Sections, s)
	}
	return p, nil
}

// selected are the artifacts that names stand for.
func selected(names []string) ([]paper.Artifact, error) {
	var known []string
	for _, a := range catalogue.List() {
		known = append(known, a.ID, a.Paper())
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no artifact or paper %q%s See them all with: vlpx list", name, scale.Suggest(name, known))
		}
	}
	return slices.DeleteFunc(catalogue.List(), func(a paper.Artifact) bool {
		return len(names) > 0 && !slices.Contains(names, a.ID) && !slices.Contains(names, a.Paper())
	}), nil
}

// count counts the runs of a section, and those of them that are new to the page. A damaged result counts as missing.
func (p *Page) count(s *PageSection, g *Grid, counted map[string]bool) error {
	for _, r := range g.Plan.Runs() {
		result, done, err := g.Store.Find(r)
		if err != nil && !isDamaged(err) {
			return err
		}
		s.Need++
		if done {
			s.Have++
		}
		if id := r.ID(); !counted[id] {
			counted[id] = true
			p.Need++
			if done {
				p.Have++
				p.Engines[result.Engine]++
				p.Commits[result.Commit]++
			}
		}
	}
	return nil
}

// fill puts the artifact's report into its section.
func (s *PageSection) fill(g *Grid) error {
	report, err := g.Report()
	if err != nil {
		return err
	}
	table := report.table
	s.Note, table.Title, table.Note = table.Note, "", "" // the page has them outside of the box in which a wide table scrolls
	var b bytes.Buffer
	if err := table.HTML(&b); err != nil {
		return err
	}
	if s.Letters, err = letters(table); err != nil {
		return err
	}
	if report.figure != nil {
		if s.Figure, err = svgElement(report.figure); err != nil {
			return err
		}
	}
	s.Pending = report.figure == nil && g.Plan.Artifact.Figure != nil
	s.Table, s.Claims = template.HTML(b.String()), report.Claims
	return nil
}

// letters is how wide a table is, folded as in its HTML.
func letters(t tables.Table) (int, error) {
	var b bytes.Buffer
	if err := t.Text(&b, tables.Terminal{Width: tables.HTMLLetters}); err != nil {
		return 0, err
	}
	widest := 0
	for line := range strings.Lines(b.String()) {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	return widest, nil
}

// FileName is a name for the page's file, which says what differs from the page of everything at the default settings.
func (p *Page) FileName() string { return p.name + ".html" }

// Faults are the errors of artifacts whose sections have nothing but an error, or lack what damaged files should tell; nil if none has.
func (p *Page) Faults() error {
	var faults []error
	for _, part := range p.Papers {
		for _, s := range part.Sections {
			if err := cmp.Or(s.Err, s.Damaged); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", s.ID, err))
			}
		}
	}
	return errors.Join(faults...)
}

// HasFigure reports whether any artifact of the page has a figure.
func (p *Page) HasFigure() bool {
	return slices.ContainsFunc(p.Papers, func(part PagePaper) bool {
		return slices.ContainsFunc(part.Sections, func(s PageSection) bool { return s.Figure != "" })
	})
}

// Claims are those of all artifacts on the page.
func (p *Page) Claims() []paper.Finding {
	var all []paper.Finding
	for _, part := range p.Papers {
		all = append(all, part.Claims()...)
	}
	return all
}
