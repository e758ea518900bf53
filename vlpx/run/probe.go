package run

import (
	"context"
	"fmt"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// Probe is a run that is not made, with its data and a model of first values: what is measured of its speed depends on no other run. Not for
// concurrent use.
type Probe struct {
	*train.Probe

	executor *Executor
	run      Run
	data     data
	close    func()
}

// Probe opens a run's data and prepares its first step. Nothing is kept in the store but a locked encoder's tokens, where the run has one. The
// caller closes it.
func (e *Executor) Probe(ctx context.Context, r Run, count train.Count) (*Probe, error) {
	r = e.Store.Placed(r)
	collection, err := r.Data.Open()
	if err == nil {
		err = r.Check(collection)
	}
	if err != nil {
		return nil, err
	}
	set, err := r.Data.split(collection, "train")
	if err != nil {
		return nil, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return nil, err
	}
	features, closeFeatures, err := e.Features(ctx, r, collection, "train")
	if err != nil {
		return nil, err
	}
	p := &Probe{executor: e, run: r, close: closeFeatures}
	p.Probe, err = train.NewProbe(train.Job{
		Config: r.Train, Set: set, Features: features, Tokenizer: tokenizer, Backend: e.Backend, Taken: r.taken(),
	}, count)
	if err == nil {
		p.data, err = e.look(ctx, r, collection, "test")
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("run: preparing %s to be measured: %w", r.Train.Method.Name, err)
	}
	return p, nil
}

// Evaluate measures the model by tasks, those of the run where none are named, on the test split.
func (p *Probe) Evaluate(ctx context.Context, tasks ...eval.Task) error {
	if len(tasks) == 0 {
		tasks = p.run.Tasks
	}
	_, err := p.executor.evaluate(ctx, p.run, p.data, p.Model(), "test", tasks, false)
	return err
}

// Close frees everything.
func (p *Probe) Close() {
	if p.Probe != nil {
		p.Probe.Close()
	}
	p.close()
}
