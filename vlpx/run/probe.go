package run

import (
	"cmp"
	"context"
	"fmt"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// Probe is a run that is not made, with its data and a model of first values: how fast it is does not depend on what the models that it
// starts from and refers to have learned. Not for concurrent use.
type Probe struct {
	*train.Probe

	executor *Executor
	run      Run
	data     data
	close    func()
}

// Probe opens a run's data and prepares its first step. Nothing is kept in the store but a locked encoder's tokens, where the run has one.
// A locked encoder and a frozen language model of other runs must be there. The caller closes it.
func (e *Executor) Probe(ctx context.Context, r Run, count train.Count) (*Probe, error) {
	r = e.Store.Placed(r)
	for what, needed := range map[string]*Run{"image encoder": r.Encoder, "language model": r.Language} {
		if needed == nil {
			continue
		}
		if there, err := e.Store.hasModel(*needed); err != nil || !there {
			return nil, cmp.Or(err, fmt.Errorf("run: %s has the %s of another run, %s, seed %d, which is not trained yet; train %s "+
				"first, at the same scale",
				r.Train.Framework.Name(), what, needed.Train.Framework.Name(), needed.Train.Seed, r.Train.Framework.Name()))
		}
	}
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
		return nil, err
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
