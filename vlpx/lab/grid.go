package lab

import (
	"cmp"
	"errors"
	"fmt"

	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Grid is an artifact's plan with the store that answers it.
type Grid struct {
	Plan  *paper.Planned
	Store *run.Store
	Home  string
	// View is what its report shows.
	View View
	// TensorBoard is the folder for event files; see [Options].
	TensorBoard string

	say func(line string) // may be nil
}

// Open works out which runs an artifact needs; it runs nothing.
func Open(id string, o Options) (*Grid, error) {
	artifact, err := catalogue.Find(id)
	if err != nil {
		return nil, err
	}
	if artifact.Status() == paper.NotYet {
		return nil, fmt.Errorf("%s (%s) is not there yet; vlpx list, or vlpx.Show(\"\") in a notebook, says what is", id, artifact.Title)
	}
	return open(artifact, o)
}

// OpenShown is Open for showing what there is: of data that is not here it is what is shipped of the artifact on that data, if anything.
func OpenShown(id string, o Options) (*Grid, error) {
	artifact, err := catalogue.Find(id)
	if err != nil {
		return nil, err
	}
	wanted := cmp.Or(o.Data, artifact.Data)
	if wanted == "" || o.found(wanted) != "" || o.Scale == "tiny" && o.Data == "" {
		return Open(id, o)
	}
	scale := cmp.Or(o.Scale, "mini")
	reference, err := paper.ReferenceOn(artifact.ID, scale, wanted)
	if err != nil || reference == nil {
		return Open(id, o)
	}
	o.Data = "scenes" // whose results in the store are others
	grid, err := Open(id, o)
	if err != nil {
		return nil, err
	}
	if len(grid.Plan.Settings()) == 0 {
		grid.Plan.Unsee(reference)
	}
	return grid, nil
}

// OpenComparison works out which runs a comparison of methods needs, each method as Compare names it; it runs nothing.
func OpenComparison(methods []string, o Options) (*Grid, error) {
	var rows []plan.Row
	for _, name := range methods {
		row, err := plan.Variant(name, o.Own)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return openRows(rows, o)
}

// openRows works out which runs a comparison of rows needs.
func openRows(rows []plan.Row, o Options) (*Grid, error) {
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
	if line := request.Ahead(); line != "" && o.Say != nil {
		o.Say(line)
	}
	var plan *paper.Planned
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
	return &Grid{Plan: plan, Store: store, Home: home, View: o.View, TensorBoard: o.TensorBoard, say: o.Say}, nil
}

// left lists the jobs of the plan that the store does not have, runs before measures. One whose file is damaged is none of them: it is not
// made until the file is deleted.
func (g *Grid) left() ([]plan.Job, error) {
	var left []plan.Job
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
func runsOf(jobs []plan.Job) []run.Run {
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

// isDamaged reports whether an error is about a file of the store that can be stepped around.
func isDamaged(err error) bool {
	return errors.As(err, new(*run.Damaged)) || errors.As(err, new(*train.DamagedCheckpoint))
}
