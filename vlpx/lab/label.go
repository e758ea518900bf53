package lab

import (
	"slices"

	"vlpx.internal/vlpx/run"
)

// requested are the identities of the runs that rows show or measure; those that only these need are not among them.
func (g *Grid) requested() map[string]run.Run {
	own := map[string]run.Run{}
	for _, j := range slices.Concat(slices.Concat(g.Plan.Jobs...)...) {
		own[j.Run.ID()] = j.Run
		if j.Of != nil {
			own[j.Of.ID()] = *j.Of
		}
	}
	return own
}

// label gives a run that this grid makes its scale and settings.
func (g *Grid) label() func(run.Run) run.Label {
	own := g.requested()
	return func(r run.Run) run.Label {
		_, is := own[r.ID()]
		return run.Label{Scale: g.Plan.Scale.Name, Set: g.Plan.Settings(), Needed: !is}
	}
}

// labelRequested labels runs anew that were made for others, and that a row of this grid is.
func (g *Grid) labelRequested() error {
	for _, r := range g.requested() {
		if err := g.Store.Requested(r); err != nil && !isDamaged(err) {
			return err
		}
	}
	return nil
}
