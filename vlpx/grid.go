package vlpx

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

// Missing lists the runs that the store has no result of. One whose result is damaged is none of them: it is not made until its file is deleted.
func (g *Grid) Missing() ([]run.Run, error) {
	var missing []run.Run
	for _, r := range g.Plan.Runs() {
		_, done, err := g.Store.Find(r)
		if isDamaged(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !done {
			missing = append(missing, r)
		}
	}
	return missing, nil
}

// Damaged lists files of the plan's runs that cannot be read, with what to do. A comparison steps around them.
func (g *Grid) Damaged() []error {
	var all []error
	told := map[string]bool{}
	note := func(err error) {
		if isDamaged(err) && !told[err.Error()] {
			told[err.Error()] = true
			all = append(all, err)
		}
	}
	for _, r := range g.Plan.Runs() {
		_, _, err := g.Store.Find(r)
		note(err)
	}
	for _, questions := range g.Plan.Questions {
		for _, q := range questions {
			_, _, err := q.Answer(g.Store)
			note(err)
		}
	}
	for _, seeds := range g.Plan.Outcomes {
		for _, o := range slices.Concat(seeds...) {
			_, _, err := o.Metrics(g.Store)
			note(err)
		}
	}
	return all
}

// isDamaged tells of an error about a file of the store that can be stepped around.
func isDamaged(err error) bool { return errors.As(err, new(*run.Damaged)) }

// Unanswered lists the questions of the plan's rows that the store has no answer to, each once.
func (g *Grid) Unanswered() ([]paper.Question, error) {
	var open []paper.Question
	listed := map[string]bool{}
	for _, questions := range g.Plan.Questions {
		for _, q := range questions {
			_, done, err := q.Answer(g.Store)
			if isDamaged(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if id := q.ID(); !done && !listed[id] {
				listed[id] = true
				open = append(open, q)
			}
		}
	}
	return open, nil
}

// asking is what a finished run is asked.
type asking struct {
	of run.Run
	by run.Measure
}

// left are the runs to make, and what finished ones are then to be asked.
func (g *Grid) left() (missing []run.Run, ask []asking, err error) {
	if missing, err = g.Missing(); err != nil {
		return nil, nil, err
	}
	questions, err := g.Unanswered()
	if err != nil {
		return nil, nil, err
	}
	outcomes, err := g.Unmeasured()
	if err != nil {
		return nil, nil, err
	}
	for _, q := range questions {
		ask = append(ask, asking{q.Asked, q.Measure()})
	}
	for _, o := range outcomes {
		ask = append(ask, asking{o.Run, o.Measure()})
	}
	ask = slices.DeleteFunc(ask, func(a asking) bool {
		_, _, err := g.Store.Find(a.of)
		return isDamaged(err)
	})
	return missing, ask, nil
}

// Unmeasured lists what downstream tasks ask of finished runs and the store has no answer to, each once.
func (g *Grid) Unmeasured() ([]paper.Outcome, error) {
	var open []paper.Outcome
	listed := map[string]bool{}
	for _, seeds := range g.Plan.Outcomes {
		for _, o := range slices.Concat(seeds...) {
			if o.Task == nil || listed[o.ID()] {
				continue
			}
			listed[o.ID()] = true
			_, done, err := o.Metrics(g.Store)
			if isDamaged(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if !done {
				open = append(open, o)
			}
		}
	}
	return open, nil
}

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
	missing, questions, err := g.left()
	if err != nil || len(missing)+len(questions) == 0 {
		return nil, err
	}
	if err := guard(func() error { return checkRuns(missing) }); err != nil {
		return nil, err
	}
	choice, _ := engine.Choose(engine.Cache())
	what := fmt.Sprintf("%d of %d runs to make", len(missing), len(g.Plan.Runs()))
	if len(questions) > 0 {
		what += fmt.Sprintf(" and %d questions to ask of finished ones", len(questions))
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
// every question. A cancelled context stops it with what is finished kept and the run at work at a checkpoint.
func (g *Grid) Make(ctx context.Context, listen func(Progress)) (err error) {
	stop, err := g.events()
	if err != nil {
		return err
	}
	defer func() {
		if failed := stop(); err == nil {
			err = failed
		}
	}()
	missing, questions, err := g.left()
	if err != nil {
		return err
	}
	if err := g.noteAsked(); err != nil {
		return err
	}
	return g.work(ctx, missing, questions, listen)
}

// work runs runs, and then asks questions.
func (g *Grid) work(ctx context.Context, missing []run.Run, questions []asking, listen func(Progress)) error {
	if len(missing)+len(questions) == 0 {
		return nil
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
	for i, r := range missing {
		at = Progress{Run: i + 1, Runs: len(missing), Method: r.Train.Method.Name, Seed: r.Train.Seed, at: r}
		err := guard(func() error {
			_, err := executor.Run(ctx, r)
			return err
		})
		if isDamaged(err) { // of a run that this one needs, or that became so meanwhile
			executor.Say(fmt.Sprintf("%s, seed %d, is left out: %v", at.Method, at.Seed, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", at.Method, at.Seed, err)
		}
	}
	for i, q := range questions {
		asked := q.of.Train
		at = Progress{Run: i + 1, Runs: len(questions), Asking: true, Method: asked.Method.Name, Seed: asked.Seed, at: q.of}
		tell(at)
		err := guard(func() error {
			_, err := executor.EvaluateBy(ctx, q.of, q.by.Split, q.by.Tasks[0])
			return err
		})
		if err != nil {
			return fmt.Errorf("asking %s, seed %d: %w", at.Method, at.Seed, err)
		}
	}
	return nil
}

// Stopped tells what a grid that was stopped keeps.
func (g *Grid) Stopped() (string, error) {
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
	return fmt.Sprintf("stopped: %d of %d runs are kept, and %s", total-len(missing), total, kept), nil
}
