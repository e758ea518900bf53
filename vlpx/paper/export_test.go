package paper

import (
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// What the tests outside of the package, which take artifacts of the catalogue, look at inside of it.

var Leading = leading

func (r *Report) SetReference(of *Reference) { r.reference = of }

func (p *Planned) Seeded(row int, seed uint64) (run.Run, error) {
	of, err := p.seeded(p.Artifact.Rows[row], []uint64{seed})
	if err != nil {
		return run.Run{}, err
	}
	return of.runs[0], nil
}

func (q Request) Published(s Scale) (run.Weights, error) { return q.published(s) }

func (s Scale) FineTuned(from run.Run, data run.Data, m negative.Method) run.Run {
	return s.tuned(from, data, m)
}

func (s Scale) Answering(from run.Run, data run.Data, m negative.Method) (run.Run, error) {
	return s.answering(planner{sizes: map[string]textSizes{}}, from, data, m)
}

func (s Scale) Reasoning(from run.Run, data run.Data, m negative.Method) (run.Run, error) {
	return s.reasoning(planner{sizes: map[string]textSizes{}}, from, data, m)
}
