package lab

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// RunPage is all that the store has of one run: what it is, what it gave, how it got there. It shows itself on a page and in a terminal.
type RunPage struct {
	RunInfo
	Settings []Setting // its configuration, in the order of its JSON
	Metrics  map[string]float64
	Curves   train.Curves
	// Measured are what further tasks gave of it, and Outdated those of them that other code than this program's has measured.
	Measured map[string]float64
	Outdated []string `json:",omitempty"`

	tasks  eval.Tasks
	losses []negative.Loss
	needs  []run.Need
	scenes bool // the data are generated
}

// Run is the page of a run, named by its identity or the beginning of it.
func (s *Store) Run(id string) (*RunPage, error) {
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	e, err := s.find(all, id)
	if err != nil {
		return nil, err
	}
	p := &RunPage{RunInfo: about(e, run.NeededBy(all)[e.ID]), Metrics: e.Result.Metrics, tasks: e.Run.Tasks, needs: e.Needs(),
		scenes: e.Run.Data.Scenes != nil}
	if f := e.Run.Train.Framework.Framework; f != nil {
		p.losses = f.Losses()
	}
	if p.Settings, err = settingsOf(e.JSON); err != nil {
		return nil, err
	}
	p.OtherCode = otherCode(e, identified(all))
	answers, err := s.AnswersOf(e.ID, e.Run.Code())
	if err != nil {
		p.Problem = strings.TrimPrefix(cmp.Or(p.Problem, err.Error()), "run: ")
	}
	p.Measured = map[string]float64{}
	for _, a := range answers {
		maps.Copy(p.Measured, a.Metrics)
		if a.OtherCode {
			p.Outdated = append(p.Outdated, slices.Sorted(maps.Keys(a.Metrics))...)
		}
	}
	if p.Curves, err = train.ReadCurves(e.Dir); err != nil {
		p.Problem = cmp.Or(p.Problem, err.Error())
	}
	return p, nil
}

// tables are the run, its metrics, its epochs and its configuration.
func (p *RunPage) tables() []tables.Table {
	return slices.DeleteFunc([]tables.Table{p.summary(), p.metrics(), p.epochs(), p.configuration()},
		func(t tables.Table) bool { return len(t.Rows) == 0 })
}

func (p *RunPage) summary() tables.Table {
	t := tables.Table{Title: fmt.Sprintf("Run %s: %s, seed %d", p.ID, p.label(), p.Seed), Heading: "what",
		Columns: []tables.Column{{Name: "is"}}}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, words(name, value))
		}
	}
	add("framework", p.Framework)
	add("scale", strings.Trim(p.wholeScale(), "–"))
	add("data", fmt.Sprintf("%s, %.12s", p.data(), p.DataHash))
	add("state", p.progress())
	add("when", when(p.Time))
	if p.State == run.Finished {
		add("took", p.took()+" of training")
	}
	add("engine, commit", strings.Trim(p.Engine+", "+p.Commit, ", "))
	add("size", fmt.Sprintf("%s MB, of which %s are weights", megabytes(p.Bytes), megabytes(p.Model)))
	for _, need := range p.needs {
		add("needs", fmt.Sprintf("%s, %s", run.Short(need.ID), need.For))
	}
	var by []string
	for _, id := range p.NeededBy {
		by = append(by, run.Short(id))
	}
	add("needed by", strings.Join(by, ", "))
	add("folder", p.Dir)
	add("problem", p.Problem)
	return t
}

// metrics are those of the run and those that tasks gave besides, with the same without re-ranking beside them.
func (p *RunPage) metrics() tables.Table {
	t := tables.Table{Title: "Metrics, test split", Heading: "metric",
		Columns: []tables.Column{{Name: "value"}, {Name: "without re-ranking"}},
		Note:    "vlpx show tasks says what each is."}
	if len(p.Outdated) > 0 {
		t.Note += fmt.Sprintf(" Measured by other code, which may give other numbers today: %s.", strings.Join(p.Outdated, ", "))
	}
	left := maps.Clone(p.Measured)
	maps.Copy(left, p.Metrics)
	take := func(name, unit string) string {
		v, ok := left[name]
		delete(left, name)
		switch {
		case !ok:
			return ""
		case unit == "":
			return fmt.Sprintf("%.3f", v)
		}
		return fmt.Sprintf("%.2f %s", v, unit)
	}
	for _, info := range append(p.tasks.Metrics(), eval.Metrics()...) {
		name := string(info.Metric)
		if value, cosine := take(name, info.Unit), take(eval.CosinePrefix+name, info.Unit); value+cosine != "" {
			t.Rows = append(t.Rows, words(name, value, cosine))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		t.Rows = append(t.Rows, words(name, take(name, MetricUnit(name, p.Curves.Epochs))))
	}
	return t
}

// epochs are the losses and the mean recall after each epoch.
func (p *RunPage) epochs() tables.Table {
	t := tables.Table{Title: "Epochs", Heading: "epoch", Note: "Losses are means over the epoch, in nats; what is measured is of the " +
		"validation split."}
	losses, metric := p.lossNames(), p.metric()
	clips := slices.ContainsFunc(p.Curves.Epochs, func(e train.Record) bool { return e.Clipped > 0 })
	for _, name := range losses {
		t.Columns = append(t.Columns, tables.Column{Name: string(name), Format: "%.3f"})
	}
	if metric != "" {
		t.Columns = append(t.Columns, tables.Column{Name: metric})
	}
	if clips {
		t.Columns = append(t.Columns, tables.Column{Name: "clipped", Unit: "%"})
		t.Note += " Clipped are steps with a gradient longer than optimiser.clipnorm."
	}
	if len(t.Columns) == 0 {
		return tables.Table{}
	}
	for _, e := range p.Curves.Epochs {
		row := tables.Row{Name: fmt.Sprint(e.Epoch + 1)}
		for _, name := range losses {
			row.Cells = append(row.Cells, tables.Cell{})
			if v, ok := e.Losses[name]; ok {
				row.Cells[len(row.Cells)-1] = tables.Cell{tables.Number(v)}
			}
		}
		if v, ok := e.Metrics[metric]; ok {
			row.Cells = append(row.Cells, tables.Cell{tables.Number(v)})
		} else if clips && metric != "" {
			row.Cells = append(row.Cells, tables.Cell{})
		}
		if clips {
			row.Cells = append(row.Cells, tables.Cell{tables.Number(100 * e.Clipped)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// lossNames are the framework's losses, else those that the curves have.
func (p *RunPage) lossNames() []negative.Loss {
	if p.losses != nil {
		return p.losses
	}
	seen := map[negative.Loss]bool{}
	for _, at := range p.Curves.Points {
		for name := range at.Losses {
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// metric is the one that is followed over the epochs: mean recall, else the first that the run's tasks gave; empty for none.
func (p *RunPage) metric() string {
	if len(p.Curves.Epochs) == 0 {
		return ""
	}
	last := p.Curves.Epochs[len(p.Curves.Epochs)-1].Metrics
	if _, ok := last[string(eval.RMean)]; ok {
		return string(eval.RMean)
	}
	for _, info := range p.tasks.Metrics() {
		if _, ok := last[string(info.Metric)]; ok {
			return string(info.Metric)
		}
	}
	return ""
}

func (p *RunPage) configuration() tables.Table {
	t := tables.Table{Title: "Configuration", Heading: "setting", Columns: []tables.Column{{Name: "value"}}}
	for _, s := range p.Settings {
		t.Rows = append(t.Rows, words(s.Name, s.Value))
	}
	return t
}

// Figure draws the run's losses and what its parts told by names of their own step by step, and what was measured after each epoch; nil
// while there is nothing to draw.
func (p *RunPage) Figure() plots.Drawing {
	last := 0
	for _, at := range p.Curves.Points {
		last = max(last, at.Step+1)
	}
	epochs := func(at train.Point) float64 { return float64(at.Epoch) + float64(at.Step+1)/float64(last) }
	lines := plots.Lines{Title: fmt.Sprintf("Loss of %s, seed %d", p.label(), p.Seed), XLabel: "epoch", YLabel: "loss (nats)"}
	for _, name := range p.lossNames() {
		s := plots.Series{Name: string(name)}
		for _, at := range p.Curves.Points {
			if loss, ok := at.Losses[name]; ok {
				s.X, s.Mean = append(s.X, epochs(at)), append(s.Mean, loss)
			}
		}
		if len(s.X) > 0 {
			lines.Series = append(lines.Series, s)
		}
	}
	var f plots.Figure
	if len(lines.Series) > 0 {
		f.Panels = append(f.Panels, lines)
	}
	f.Panels = append(f.Panels, panelsOf(p.Curves.Points, "epoch", epochs, fmt.Sprintf(" by %s, seed %d", p.label(), p.Seed))...)
	if metric := p.metric(); metric != "" {
		s := plots.Series{Name: metric}
		for _, e := range p.Curves.Epochs {
			if v, ok := e.Metrics[metric]; ok {
				s.X, s.Mean = append(s.X, float64(e.Epoch+1)), append(s.Mean, v)
			}
		}
		f.Panels = append(f.Panels, plots.Lines{Title: "Validation split", XLabel: "epoch",
			YLabel: paper.Column{Name: metric, Unit: MetricUnit(metric, nil)}.Label(), Series: []plots.Series{s}})
	}
	if f.Panels == nil {
		return nil
	}
	return f
}

// HTML writes the page.
func (p *RunPage) HTML(w io.Writer) error {
	for _, t := range p.tables() {
		if err := t.HTML(w); err != nil {
			return err
		}
	}
	return nil
}

// Text writes the page for a terminal.
func (p *RunPage) Text(w io.Writer, terminal tables.Terminal) error {
	for i, t := range p.tables() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.Text(w, terminal); err != nil {
			return err
		}
	}
	return nil
}

// SaveFigure draws the curves into a file, .png, .svg or .pdf as its ending says, which appears whole or not at all.
func (p *RunPage) SaveFigure(path string) error {
	figure := p.Figure()
	if figure == nil {
		return fmt.Errorf("run %s has no curves yet to draw", run.Short(p.ID))
	}
	draw := map[string]func(io.Writer) error{
		".png": func(w io.Writer) error { return figure.PNG(w, 0) }, ".svg": figure.SVG, ".pdf": figure.PDF,
	}[filepath.Ext(path)]
	if draw == nil {
		return fmt.Errorf("%s: its ending says none of .png, .svg and .pdf", path)
	}
	var content bytes.Buffer
	if err := draw(&content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := disk.WriteFile(path, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
