package lab

import (
	"slices"

	"vlpx.internal/vlpx/run"
)

// asked are the identities of the runs that rows show or ask; those that only these need are not among them.
func (g *Grid) asked() map[string]run.Run {
	own := map[string]run.Run{}
	for _, j := range slices.Concat(slices.Concat(g.Plan.Jobs...)...) {
		own[j.Run.ID()] = j.Run
		if j.Of != nil {
			own[j.Of.ID()] = *j.Of
		}
	}
	return own
}

// label tells of a run that this grid makes what it is called.
func (g *Grid) label() func(run.Run) run.Label {
	own := g.asked()
	return func(r run.Run) run.Label {
		_, asked := own[r.ID()]
		return run.Label{Scale: g.Plan.Scale.Name, Set: g.Plan.Settings(), Needed: !asked}
	}
}

// noteAsked labels runs anew that were made for others, and that a row of this grid is.
func (g *Grid) noteAsked() error {
	for _, r := range g.asked() {
		if err := g.Store.Asked(r); err != nil && !isDamaged(err) {
			return err
		}
	}
	return nil
}
