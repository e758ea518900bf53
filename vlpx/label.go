package vlpx

import (
	"vlpx.internal/vlpx/run"
)

// asked are the identities of the runs that rows show or ask; those that only these need are not among them.
func (g *Grid) asked() map[string]run.Run {
	own := map[string]run.Run{}
	add := func(r run.Run) { own[r.ID()] = r }
	for i, runs := range g.Plan.Rows {
		for _, r := range runs {
			add(r)
		}
		for _, q := range g.Plan.Questions[i] {
			add(q.Asked)
			add(q.Of)
		}
		for _, outcomes := range g.Plan.Outcomes[i] {
			for _, o := range outcomes {
				add(o.Run)
			}
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
