package paper

import (
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Planned is an artifact with its plan, of which reports are made.
type Planned struct {
	plan.Plan
	// Artifact has the plan's rows, and columns for what the request's tasks measure.
	Artifact Artifact

	unseen bool // see Unsee

	answered answered // what tasks gave of the runs beside their own
}

// NewPlan works out which runs an artifact needs by a request. It reads the captions, for the vocabulary, but runs nothing.
func NewPlan(a Artifact, q plan.Request) (*Planned, error) {
	p, err := plan.New(a.Experiment(), q)
	if p == nil {
		return nil, err
	}
	a.Rows = p.Experiment.Rows
	return &Planned{Plan: *p, Artifact: a.measuredBy(q.Tasks)}, err
}

// Unsee makes the plan one of data that is not here, of which only shipped results tell. What it plans and finds in the store is of other
// data, and not shown.
func (p *Planned) Unsee(of *Reference) {
	p.unseen, p.Data, p.Blocks = true, run.Data{Name: of.Data, Hash: of.DataHash}, false
	for i := range p.Rows {
		p.Rows[i], p.Jobs[i] = nil, nil
	}
}

// Experiment is what is planned of the artifact.
func (a Artifact) Experiment() plan.Experiment {
	return plan.Experiment{ID: a.ID, Rows: a.Rows, Downstream: a.Downstream}
}
