package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/paper/catalogue"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Grid is an artifact's plan with the store that answers it.
type Grid struct {
	Plan  *paper.Plan
	Store *run.Store
	Home  string
	// View is what its report shows.
	View View
	// TensorBoard is the folder for event files; see [Options].
	TensorBoard string
}

// Open works out which runs an artifact needs; it runs nothing.
func Open(id string, o Options) (*Grid, error) {
	artifact, err := catalogue.Find(id)
	if err != nil {
		return nil, err
	}
	if artifact.Status() == paper.NotYet {
		return nil, fmt.Errorf("%s (%s) is not there yet; vlpx list, or vlpx.Show(\"\") in a notebook, tells what is", id, artifact.Title)
	}
	return open(artifact, o)
}

// OpenComparison works out which runs a comparison of methods needs, each method as Compare names it; it runs nothing.
func OpenComparison(methods []string, o Options) (*Grid, error) {
	var rows []paper.Row
	for _, name := range methods {
		row, err := paper.Variant(name, o.Own)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return openRows(rows, o)
}

// openRows works out which runs a comparison of rows needs.
func openRows(rows []paper.Row, o Options) (*Grid, error) {
	artifact, err := paper.Compared(rows)
	if err != nil {
		return nil, err
	}
	o.Own = nil // those that are asked for are rows by now
	return open(artifact, o)
}

func open(artifact paper.Artifact, o Options) (*Grid, error) {
	home, err := run.Home(o.Home)
	if err != nil {
		return nil, err
	}
	if o.Data == "" && o.Scale != "tiny" { // which is for trying things out
		o.Data = o.found(artifact.Data)
	}
	request, err := o.request(home)
	if err != nil {
		return nil, err
	}
	var plan *paper.Plan
	err = guard(func() error {
		plan, err = paper.NewPlan(artifact, request)
		return err
	})
	if err != nil {
		return nil, err
	}
	store := run.OpenStore(home)
	if err := plan.Measured(store); err != nil {
		return nil, err
	}
	if err := plan.CheckView(o.View); err != nil {
		return nil, err
	}
	return &Grid{Plan: plan, Store: store, Home: home, View: o.View, TensorBoard: o.TensorBoard}, nil
}

// left lists the jobs of the plan that the store does not have, runs before measures. One whose file is damaged is none of them: it is not made
// until the file is deleted.
func (g *Grid) left() ([]paper.Job, error) {
	var left []paper.Job
	for _, j := range g.Plan.All() {
		_, done, err := j.Metrics(g.Store)
		if err == nil && !done && j.Task != nil {
			_, _, err = g.Store.Find(j.Run)
		}
		if isDamaged(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !done {
			left = append(left, j)
		}
	}
	return left, nil
}

// Missing lists the runs that are left to make.
func (g *Grid) Missing() ([]run.Run, error) {
	left, err := g.left()
	return runsOf(left), err
}

// runsOf are the runs among jobs.
func runsOf(jobs []paper.Job) []run.Run {
	var runs []run.Run
	for _, j := range jobs {
		if j.Task == nil {
			runs = append(runs, j.Run)
		}
	}
	return runs
}

// Damaged lists files of the plan's jobs that cannot be read, with what to do. A comparison steps around them.
func (g *Grid) Damaged() []error {
	var all []error
	listed := map[string]bool{}
	for _, j := range g.Plan.All() {
		if _, _, err := j.Metrics(g.Store); isDamaged(err) && !listed[err.Error()] {
			listed[err.Error()] = true
			all = append(all, err)
		}
	}
	return all
}

// isDamaged tells of an error about a file of the store that can be stepped around.
func isDamaged(err error) bool { return errors.As(err, new(*run.Damaged)) }

// Remarks tells in lines what there is to know of the settings: what moved with others, a cosine that is too short, and what is set and
// changes nothing.
func (g *Grid) Remarks() (lines []string, err error) {
	err = guard(func() error {
		moved, err := g.Plan.Moved()
		if err != nil {
			return err
		}
		idle, err := g.Plan.Idle()
		lines = slices.Concat(moved, g.Plan.Swings(), idle)
		return err
	})
	return lines, err
}

// Outlook tells in lines what there is to run, on which engine and for about how long, and what is damaged; nothing where no run is missing and
// nothing is to ask. What a missing run cannot be made with is an error.
func (g *Grid) Outlook() ([]string, error) {
	left, err := g.left()
	if err != nil || len(left) == 0 {
		return nil, err
	}
	missing := runsOf(left)
	if err := guard(func() error { return checkRuns(missing) }); err != nil {
		return nil, err
	}
	choice, _ := engine.Choose(engine.Cache())
	what := fmt.Sprintf("%d of %d runs to make", len(missing), len(g.Plan.Runs()))
	if n := len(left) - len(missing); n > 0 {
		what += fmt.Sprintf(" and %d questions to ask of finished ones", n)
	}
	lines := []string{fmt.Sprintf("%s at %s on %s: %s on %s (%s)", g.Plan.Artifact.ID, g.Plan.Scale.Name, g.Plan.Data.Name, what, choice.Name, choice.Reason)}
	for _, line := range []string{g.Plan.Taken(), choice.Slower} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	for _, damaged := range g.Damaged() {
		lines = append(lines, fmt.Sprintf("left out: %v", damaged))
	}
	if len(missing) == 0 {
		return lines, nil
	}
	estimate, err := g.Estimate(len(missing), choice.Name)
	if err != nil {
		return nil, err
	}
	lines = append(lines, fmt.Sprintf("about %s in all; stopped, it keeps what is done, and the same call goes on from there", round(estimate)))
	return append(lines, g.Plan.Vague()...), nil
}

// checkRuns tells before the first run is made why one of them cannot be, as where its data lacks a split.
func checkRuns(runs []run.Run) error {
	opened := map[string]datasets.Collection{}
	for _, r := range runs {
		where := r.Data.Hash + r.Data.Dir
		if opened[where] == nil {
			collection, err := r.Data.Open()
			if err != nil {
				return err
			}
			opened[where] = collection
		}
		if err := r.Check(opened[where]); err != nil {
			return fmt.Errorf("%s, seed %d: %w", r.Train.Method.Name, r.Train.Seed, err)
		}
	}
	return nil
}

func round(d time.Duration) time.Duration {
	if d > 10*time.Minute {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}

// Progress is where a grid of runs stands.
type Progress struct {
	Run, Runs int  // the run at work, from 1, and how many this call makes; of questions the same
	Asking    bool // a finished run is asked
	Method    string
	Seed      uint64
	Training  train.Report // zero before the first step
	Message   string       // a line worth telling; empty otherwise

	at run.Run // the run that trains, which may be one that the run at work needs
}

// String tells the progress in a line.
func (p Progress) String() string {
	if p.Message != "" {
		return p.Message
	}
	if p.Asking {
		return fmt.Sprintf("question %d of %d, to %s, seed %d", p.Run, p.Runs, p.Method, p.Seed)
	}
	t := p.Training
	text := fmt.Sprintf("run %d of %d, %s, seed %d: step %d of %d, loss %.3f", p.Run, p.Runs, p.Method, p.Seed, t.Step, t.Steps, t.Loss)
	if t.PairsPerSecond > 0 {
		text += fmt.Sprintf(", %.0f pairs/s, %s left", t.PairsPerSecond, t.Left.Round(time.Second))
	}
	return text
}

// Make runs the missing runs, one after another, and then asks what rows ask of them; listen, if not nil, hears of every training step and of
// every question. A cancelled context stops it with what is finished kept and the run at work at a checkpoint: the error is then [Stopped].
func (g *Grid) Make(ctx context.Context, listen func(Progress)) error {
	err := g.make(ctx, listen)
	if !errors.Is(err, context.Canceled) {
		return err
	}
	kept, err := g.stopped()
	if err != nil {
		return err
	}
	return kept
}

func (g *Grid) make(ctx context.Context, listen func(Progress)) (err error) {
	stop, err := g.events()
	if err != nil {
		return err
	}
	defer func() {
		if failed := stop(); err == nil {
			err = failed
		}
	}()
	left, err := g.left()
	if err != nil {
		return err
	}
	if err := g.noteAsked(); err != nil {
		return err
	}
	return g.work(ctx, left, listen)
}

// work does jobs, runs before measures.
func (g *Grid) work(ctx context.Context, jobs []paper.Job, listen func(Progress)) error {
	if len(jobs) == 0 {
		return nil
	}
	runs := len(runsOf(jobs))
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	at := Progress{Runs: runs}
	tell := func(p Progress) {
		if listen != nil {
			listen(p)
		}
	}
	executor := run.Executor{
		Store: g.Store, Backend: backend, Engine: choice.Name, Versions: engine.Versions(),
		Report: func(r run.Run, t train.Report) {
			at.Training, at.at = t, r
			tell(at)
		},
		Say: func(line string) {
			message := at
			message.Message = line
			tell(message)
		},
		Label: g.label(),
	}
	for i, j := range jobs {
		at = Progress{Run: i + 1, Runs: runs, Method: j.Run.Train.Method.Name, Seed: j.Run.Train.Seed, at: j.Run}
		if j.Task != nil {
			at.Run, at.Runs, at.Asking = i+1-runs, len(jobs)-runs, true
			tell(at)
		}
		err := guard(func() error { return do(ctx, &executor, j) })
		switch {
		case err == nil:
		case j.Task != nil:
			return fmt.Errorf("asking %s, seed %d: %w", at.Method, at.Seed, err)
		case isDamaged(err): // of a run that this one needs, or that became so meanwhile
			executor.Say(fmt.Sprintf("%s, seed %d, is left out: %v", at.Method, at.Seed, err))
		default:
			return fmt.Errorf("%s, seed %d: %w", at.Method, at.Seed, err)
		}
	}
	return nil
}

// do makes a run, or measures a finished one. The store keeps what comes out.
func do(ctx context.Context, e *run.Executor, j paper.Job) (err error) {
	if j.Task == nil {
		_, err = e.Run(ctx, j.Run)
	} else {
		_, err = e.EvaluateBy(ctx, j.Run, j.Measure().Split, j.Task)
	}
	return err
}

// stopped is what a grid that was stopped keeps.
func (g *Grid) stopped() (Stopped, error) {
	missing, err := g.Missing()
	if err != nil {
		return "", err
	}
	total, kept := len(g.Plan.Runs()), "nothing of the next"
	switch {
	case len(missing) == 0:
		kept = "what was answered"
	case g.Store.Started(missing[0]):
		r := missing[0].Train
		kept = fmt.Sprintf("a checkpoint of %s, seed %d", r.Method.Name, r.Seed)
	}
	return Stopped(fmt.Sprintf("stopped: %d of %d runs are kept, and %s", total-len(missing), total, kept)), nil
}
