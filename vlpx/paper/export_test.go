package paper

import (
	"vlpx.internal/vlpx/run"
)

// What the tests outside of the package, which take artifacts of the catalogue, look at inside of it.

var Leading = leading

func (r *Report) SetReference(of *Reference) { r.ship([]Reference{*of}) }

func (r *Report) SetReferences(all ...Reference) { r.ship(all) }

func (r *Report) Judge() { r.judge() }

func (p *Planned) Seeded(row int, seed uint64) (run.Run, error) {
	of, err := p.RunsOf(p.Artifact.Rows[row], []uint64{seed})
	if err != nil {
		return run.Run{}, err
	}
	return of.Runs[0], nil
}
