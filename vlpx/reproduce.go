package vlpx

import (
	"context"
	"fmt"
	"io"
	"time"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Options are what a user may ask of an artifact; the zero value is the default scale on generated scenes.
type Options struct {
	Scale      string   // "tiny", "mini" (the default), "small" or "paper"
	Data       string   // "scenes" (the default), or a folder with dataset_*.json[.gz] and images/
	Seeds      []uint64 // 1, 2 and 3 if empty
	Methods    []string // rows to run; all if empty
	Set        []string // changes of the scale, "key=value"
	Vocabulary string   // a BERT vocab.txt or tokenizer.json; built from the training captions if empty
	Home       string   // the store's place; $VLPX_HOME or the user's cache folder if empty
	// Own are methods of one's own: further rows of the artifact, which are always run. A part that is defined outside of this
	// module, as in a cell, is identified by the whole program too, so that a change of its code runs it anew.
	Own []negative.Method
}

// Progress is where a grid of runs stands.
type Progress struct {
	Run, Runs int // the run at work, from 1, and how many this call makes
	Method    string
	Seed      uint64
	Training  train.Report // zero before the first step
	Message   string       // a line worth telling; empty otherwise
}

// String tells the progress in a line.
func (p Progress) String() string {
	if p.Message != "" {
		return p.Message
	}
	t := p.Training
	return fmt.Sprintf("run %d of %d, %s, seed %d: step %d of %d, loss %.3f, %.0f pairs/s, %s left", p.Run, p.Runs, p.Method, p.Seed,
		t.Step, t.Steps, t.Loss, t.PairsPerSecond, t.Left.Round(time.Second))
}

// Report is an artifact with its results.
type Report struct {
	*paper.Report
	table  plots.Table
	claims plots.Table
	figure plots.Drawing // nil for none
}

// Grid is an artifact's plan with the store that answers it.
type Grid struct {
	Plan  *paper.Plan
	Store *run.Store
	Home  string
}

// Open works out which runs an artifact needs; it runs nothing.
func Open(id string, o Options) (*Grid, error) {
	artifact, err := paper.Find(id)
	if err != nil {
		return nil, err
	}
	if artifact.Status() == paper.NotYet {
		return nil, fmt.Errorf("%s (%s) is not there yet; vlpx list tells what is", id, artifact.Title)
	}
	home, err := run.Home(o.Home)
	if err != nil {
		return nil, err
	}
	plan, err := paper.NewPlan(artifact, paper.Request{
		Scale: o.Scale, Data: o.Data, Seeds: o.Seeds, Methods: o.Methods, Own: o.Own, Set: o.Set, Vocabulary: o.Vocabulary,
	})
	if err != nil {
		return nil, err
	}
	return &Grid{Plan: plan, Store: run.OpenStore(home), Home: home}, nil
}

// Missing lists the runs that the store has no result of.
func (g *Grid) Missing() ([]run.Run, error) {
	var missing []run.Run
	for _, r := range g.Plan.Runs() {
		_, done, err := g.Store.Find(r)
		if err != nil {
			return nil, err
		}
		if !done {
			missing = append(missing, r)
		}
	}
	return missing, nil
}

// Make runs the missing runs, one after another. A cancelled context stops it with what is finished kept and the run at work
// at a checkpoint.
func (g *Grid) Make(ctx context.Context, listen func(Progress)) error {
	missing, err := g.Missing()
	if err != nil || len(missing) == 0 {
		return err
	}
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	at := Progress{Runs: len(missing)}
	tell := func(p Progress) {
		if listen != nil {
			listen(p)
		}
	}
	executor := run.Executor{
		Store: g.Store, Backend: backend, Engine: choice.Name, Versions: engine.Versions(),
		Report: func(_ run.Run, t train.Report) {
			at.Training = t
			tell(at)
		},
		Say: func(line string) {
			message := at
			message.Message = line
			tell(message)
		},
	}
	for i, r := range missing {
		at = Progress{Run: i + 1, Runs: len(missing), Method: r.Train.Method.Name, Seed: r.Train.Seed}
		if _, err := executor.Run(ctx, r); err != nil {
			return fmt.Errorf("%s, seed %d: %w", at.Method, at.Seed, err)
		}
	}
	return nil
}

// Report gathers what the store has.
func (g *Grid) Report() (*Report, error) {
	inner, err := paper.NewReport(g.Plan, g.Store)
	if err != nil {
		return nil, err
	}
	r := &Report{Report: inner, claims: inner.ClaimsTable()}
	if r.table, err = inner.Table(); err != nil {
		return nil, err
	}
	if r.figure, err = inner.Figure(); err != nil {
		return nil, err
	}
	return r, nil
}

// Reproduce runs what is missing of an artifact and reports it; a second call answers from the store. listen, if not nil,
// hears of every training step.
func Reproduce(ctx context.Context, id string, o Options, listen func(Progress)) (*Report, error) {
	grid, err := Open(id, o)
	if err != nil {
		return nil, err
	}
	if err := grid.Make(ctx, listen); err != nil {
		return nil, err
	}
	return grid.Report()
}

// Text writes the table and the claims for a terminal.
func (r *Report) Text(w io.Writer, terminal plots.Terminal) error {
	if err := r.table.Text(w, terminal); err != nil || len(r.Claims) == 0 {
		return err
	}
	fmt.Fprintln(w)
	return r.claims.Text(w, terminal)
}

// Markdown writes the table and the claims in Markdown.
func (r *Report) Markdown(w io.Writer) error {
	if err := r.table.Markdown(w); err != nil || len(r.Claims) == 0 {
		return err
	}
	fmt.Fprintln(w)
	return r.claims.Markdown(w)
}

// HTML writes the table and the claims in HTML, for a notebook.
func (r *Report) HTML(w io.Writer) error {
	if err := r.table.HTML(w); err != nil || len(r.Claims) == 0 {
		return err
	}
	return r.claims.HTML(w)
}

// CSV writes the table, one line a value.
func (r *Report) CSV(w io.Writer) error { return r.table.CSV(w) }

// HasFigure tells whether there is a figure to draw.
func (r *Report) HasFigure() bool { return r.figure != nil }

// PNG draws the figure.
func (r *Report) PNG(w io.Writer) error {
	if r.figure == nil {
		return fmt.Errorf("%s has no figure", r.ID)
	}
	return r.figure.PNG(w, 0)
}
