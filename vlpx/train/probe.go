package train

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Probe is a job at its first step, whose parts can be called one by one and be measured. It keeps nothing: its folder is a temporary one.
// The models that the job starts from and refers to are not needed, its own first values stand for them. Not for concurrent use.
type Probe struct {
	trainer    *trainer
	dir        string
	steps      map[Part]*Step
	count      Count
	operations map[Part]map[string]float64 // by the graphs of a step
	uncounted  error
}

// Count counts the operations that results of a graph depend on, as engine.Operations does.
type Count func(results ...*graph.Node) (float64, error)

// NewProbe prepares a job. The caller closes it.
func NewProbe(job Job, count Count) (_ *Probe, err error) {
	if err := job.Config.Validate(); err != nil {
		return nil, err
	}
	if half, ok := job.Config.Framework.Framework.(framework.InHalf); ok && half.InHalf() &&
		!job.Backend.Capabilities().DTypes[dtypes.BFloat16] {
		return nil, fmt.Errorf("train: %s has no products in bfloat16; set half=false", job.Backend.Name())
	}
	p := &Probe{steps: map[Part]*Step{}, count: count, operations: map[Part]map[string]float64{}}
	if p.dir, err = os.MkdirTemp("", "vlpx-bench-"); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	job.Dir, job.untrained = p.dir, true
	if p.trainer, err = newTrainer(job); err != nil {
		os.RemoveAll(p.dir)
		return nil, err
	}
	for _, part := range []Part{Forward, Backward, Whole} {
		step := NewStep(job.Backend, p.trainer.store, job.Config)
		step.last, step.inputs, step.windows = part, p.trainer.step.inputs, p.trainer.step.windows
		p.operations[part] = map[string]float64{}
		step.built = func(of string, calls int, results []*graph.Node) { p.counted(part, of, calls, results) }
		p.steps[part] = step
	}
	return p, nil
}

// counted notes the operations of a graph of a part, with those of what it changes.
func (p *Probe) counted(part Part, of string, calls int, results []*graph.Node) {
	g := results[0].Graph()
	for v := range p.trainer.store.IterVariables() {
		if v.ChangedInGraph(g) {
			results = append(results, v.NodeValue(g))
		}
	}
	operations, err := p.count(results...)
	if err != nil {
		p.uncounted = err
	}
	p.operations[part][of] = operations * float64(calls)
}

// Load takes a mini-batch from the sampler through the loader: the inputs of a step, as behind the first epoch and the warm-up. The caller
// releases them.
func (p *Probe) Load(ctx context.Context) (field.Values, error) {
	t := p.trainer
	var err error
	if t.steps, err = t.sampler.Epoch(0); err != nil {
		return nil, err
	}
	batch, err := t.sampler.Next()
	if err == nil {
		err = t.loader.Submit(t.request(batch, 0))
	}
	if err != nil {
		return nil, err
	}
	loaded, err := t.loader.Next(ctx)
	if err != nil {
		return nil, err
	}
	in := t.fields(t.apart(loaded, 0))
	for name, value := range map[field.Name]float64{field.Rate: t.job.Config.Schedule.Rate, field.Progress: 1} {
		if in.Has(name) {
			in[name].FinalizeAll()
			in[name] = tensors.FromScalar(float32(value))
		}
	}
	return in, nil
}

// Ahead brings the images of a mini-batch to the engine where training does while the step before runs.
func (p *Probe) Ahead(in field.Values) error {
	if !p.trainer.job.sends() {
		return nil
	}
	for name, x := range in {
		if !name.OfImages() {
			continue
		}
		if err := x.MaterializeOnDevice(p.trainer.job.Backend, false, 0); err != nil {
			return fmt.Errorf("train: bringing the images of a mini-batch to %s: %w", p.trainer.job.Backend.Name(), err)
		}
	}
	return nil
}

// Run makes a step as far as a part, with the room for new positives that a first step has. The inputs stay; the caller releases what it
// reports.
func (p *Probe) Run(part Part, in field.Values) (Output, error) {
	return p.steps[part].Run(in, p.trainer.room())
}

// Operations are those of a part that was run, as they were counted.
func (p *Probe) Operations(part Part) (sum float64, err error) {
	for _, operations := range p.operations[part] {
		sum += operations
	}
	return sum, p.uncounted
}

// Crossing makes a step as far as a part and returns the bytes that crossed between host and engine for it: the inputs went up, and of the
// variables those that the engine did not have before it, and what the step gives can come down. What a method keeps of the samples of the
// mini-batch goes both ways.
func (p *Probe) Crossing(part Part, in field.Values) (up, down int64, err error) {
	var absent []*model.Variable
	for v := range p.trainer.store.IterVariables() {
		window := strings.HasPrefix(v.Path(), negative.WindowScope+"/")
		switch {
		case window:
			up, down = up+int64(v.Shape().ByteSize()), down+int64(v.Shape().ByteSize())
		case !v.MustValue().IsOnAnyDevice():
			absent = append(absent, v)
		}
	}
	out, err := p.Run(part, in)
	if err != nil {
		return 0, 0, err
	}
	defer out.Release()
	for _, v := range absent {
		if v.MustValue().IsOnAnyDevice() { // else the graph does not read it
			up += int64(v.Shape().ByteSize())
		}
	}
	for _, x := range in {
		up += x.ByteSize()
	}
	for _, x := range out.Values {
		down += x.ByteSize()
	}
	const scalar = 4
	return up, down + scalar*int64(len(out.Losses)) + 2*scalar*int64(len(out.Numbers)), nil
}

// Room is the number of rows for new positives that Run has.
func (p *Probe) Room() int { return p.trainer.room() }

// Pairs are how many the training set has.
func (p *Probe) Pairs() int { return len(p.trainer.pairs) }

// Loader is one as training has it, with so many workers and without its memory of decoded images, so that every image is opened, as in a
// first epoch. The caller closes it.
func (p *Probe) Loader(workers int) *loader.Loader {
	config := p.trainer.loading()
	config.Workers, config.CacheBytes = workers, 0
	return loader.New(config)
}

// Model is the model with its first values; the probe closes it.
func (p *Probe) Model() *Model { return p.trainer.model }

// Values are copies of the variables below a root, by their paths.
func (p *Probe) Values(root string) (map[string]*tensors.Tensor, error) {
	values := map[string]*tensors.Tensor{}
	for v := range p.trainer.store.Scope(root).IterVariables() {
		value, err := v.Value()
		if err == nil {
			value, err = value.LocalClone()
		}
		if err != nil {
			return nil, fmt.Errorf("train: variable %s: %w", v.Path(), err)
		}
		values[v.Path()] = value
	}
	return values, nil
}

// Close frees everything.
func (p *Probe) Close() {
	for _, step := range p.steps {
		step.Close()
	}
	p.trainer.close()
	p.trainer.model.Close()
	os.RemoveAll(p.dir)
}
