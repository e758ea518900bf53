package train

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Output is what one step gives of the mini-batch, as it was before the update. The caller releases its values.
type Output struct {
	Losses map[negative.Loss]float64 // in nats
	field.Values
	// Joined is the number of new positives with rows of their own. With more than there was room for the step has changed nothing: make it
	// again with more.
	Joined int
	// Numbers are metrics that parts report by names of their own.
	Numbers field.Numbers
}

// Loss is the sum of the losses, in the order of their names.
func (o Output) Loss() float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(o.Losses)) {
		sum += o.Losses[name]
	}
	return sum
}

// numbers are the losses and the scalars of a step by their names.
func (o Output) numbers() map[string]float64 {
	numbers := map[string]float64{}
	for name, loss := range o.Losses {
		numbers[string(name)] = loss
	}
	for _, name := range []field.Name{field.GradientNorm, field.Temperature, field.Improvement} {
		if o.Has(name) {
			numbers[string(name)] = o.Float(name)
		}
	}
	return numbers
}

// String lists the numbers, losses first.
func (o Output) String() string {
	numbers := o.numbers()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		all = append(all, fmt.Sprintf("%s %g", name, numbers[name]))
	}
	return strings.Join(all, ", ")
}

// strayed lists the losses and scalars that are no numbers or infinite, such as "ITC is NaN", losses first.
func (o Output) strayed() string {
	numbers := o.numbers()
	var losses, others []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		x := numbers[name]
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			continue
		}
		text := fmt.Sprintf("%s is %g", name, x)
		if _, is := o.Losses[negative.Loss(name)]; is {
			losses = append(losses, text)
		} else {
			others = append(others, text)
		}
	}
	return strings.Join(append(losses, others...), ", ")
}

// Step is the compiled training step: losses, gradients, the update and what it improved in one call.
type Step struct {
	compiled map[int]*compiledStep // by the room for new positives
	config   Config
	backend  compute.Backend
	store    *model.Store
	inputs   []field.Field
	windows  *negative.Windows // on what the method keeps of each sample; nil before the first step
	split    *split            // nil on one device, and before the first step
	layout   *layout           // of the whole step; nil where split is
	chunks   *chunks           // nil where the mini-batch is encoded as a whole, and before the first run
	tellers  []string          // who reports each of Output.Numbers
	last     Part              // what is built
	// built hears of the results of a graph that was built, which is called so many times a step; nil for nobody.
	built func(of string, calls int, results []*Node)
}

// compiledStep is a graph with the names of its results: losses first, and last the sums of numbers, if there are any.
type compiledStep struct {
	exec    *model.Exec
	losses  []negative.Loss
	outputs []field.Name
	numbers field.Numbers
}

// NewStep prepares the step of a configuration on a backend; the store holds the initialised model. It compiles at the
// first call with each room.
func NewStep(backend compute.Backend, store *model.Store, c Config) *Step {
	return &Step{compiled: map[int]*compiledStep{}, config: c, backend: backend, store: store, inputs: c.Inputs(), last: Whole}
}

// compile prepares the graph for so many rows of new positives.
func (s *Step) compile(room int) (*compiledStep, error) {
	c := &compiledStep{}
	var err error
	c.exec, err = model.NewExec(s.backend, s.store, func(scope *model.Scope, in []*Node) []*Node {
		defer framework.Orderly()
		return s.build(c, scope, in, room)
	})
	if err != nil {
		return nil, fmt.Errorf("train: building the step: %w", err)
	}
	if s.layout != nil {
		s.layout.over(c.exec)
	}
	s.compiled[room] = c
	return c, nil
}

// build builds the graph of a step on the fields of Step.inputs and notes the names of its results.
func (s *Step) build(c *compiledStep, scope *model.Scope, in []*Node, room int) []*Node {
	nodes := field.Nodes{}
	for k, f := range s.inputs {
		nodes[f.Name] = in[k]
	}
	out := s.results(c, s.config.upTo(s.last, scope, nodes, room))
	s.heard("step", 1, out)
	return out
}

// heard reports the results of a graph that was built.
func (s *Step) heard(of string, calls int, results []*Node) {
	if s.built != nil {
		s.built(of, calls, results)
	}
}

// results are what a step gives, with their names: losses first, and last the sums of numbers.
func (s *Step) results(c *compiledStep, forward framework.Forward) (out []*Node) {
	c.losses, c.outputs = nil, slices.Sorted(maps.Keys(forward.Outputs))
	for _, name := range s.config.Framework.Losses() {
		if loss := forward.Losses[name]; loss != nil {
			c.losses, out = append(c.losses, name), append(out, loss)
		}
	}
	for _, name := range c.outputs {
		out = append(out, forward.Outputs[name])
	}
	c.numbers, s.tellers = forward.Reports.Numbers()
	if sums := forward.Reports.Sums(); sums != nil {
		out = append(out, sums)
	}
	return out
}

// Run makes one step. The inputs stay, so that it can be made again.
//
//   - in: the fields of Config.Inputs.
//   - room: the number of rows for new positives, at most twice the batch; each number is a graph of its own to compile.
func (s *Step) Run(in field.Values, room int) (Output, error) {
	if err := s.open(); err != nil {
		return Output{}, err
	}
	if s.config.Chunk > 0 && s.chunks == nil {
		s.chunks = newChunks(s)
	}
	c := s.compiled[room]
	if c == nil && s.chunks == nil {
		var err error
		if c, err = s.compile(room); err != nil {
			return Output{}, err
		}
	}
	inputs := make([]*tensors.Tensor, len(s.inputs))
	for k, f := range s.inputs {
		x := in[f.Name]
		if x == nil || !x.Shape().Equal(f.Shape) {
			return Output{}, fmt.Errorf("train: %s of a mini-batch has another shape than the step reads, which is %s", f.Name, f.Shape)
		}
		inputs[k] = x
	}
	c, results, err := s.run(c, in, inputs)
	if err != nil {
		return Output{}, fmt.Errorf("train: running the step: %w", err)
	}
	out := Output{Losses: map[negative.Loss]float64{}, Values: field.Values{}}
	for k, name := range c.losses {
		out.Losses[name] = number(results[k])
	}
	framework.Release(results[:len(c.losses)])
	for k, name := range c.outputs {
		out.Values[name] = results[len(c.losses)+k]
	}
	out.Joined = int(out.Float(field.Joined))
	if len(c.numbers) > 0 {
		sums := results[len(results)-1]
		defer sums.FinalizeAll()
		if out.Numbers, err = withSums(c.numbers, sums); err != nil {
			return Output{}, err
		}
	}
	return out, nil
}

// open makes the windows on what the method keeps of each sample, and divides the step among devices, once.
func (s *Step) open() (err error) {
	if s.windows != nil {
		return nil
	}
	if s.config.Devices > 1 {
		if s.split, err = newSplit(s.backend, s.store, s.config); err != nil {
			return err
		}
		var of []shapes.Shape
		for _, f := range s.inputs {
			of = append(of, f.Shape)
		}
		if s.layout, err = s.split.layout(s.config.BatchSize, of); err != nil {
			return err
		}
	}
	s.windows, err = negative.OpenWindows(s.store, s.config.BatchSize)
	return err
}

// run calls the graph, with what the method keeps of the mini-batch's samples.
func (s *Step) run(c *compiledStep, in field.Values, inputs []*tensors.Tensor) (*compiledStep, []*tensors.Tensor, error) {
	call := func() ([]*tensors.Tensor, error) {
		if s.chunks != nil {
			var results []*tensors.Tensor
			var err error
			c, results, err = s.chunks.run(in)
			return results, err
		}
		if s.layout != nil {
			return s.layout.run(c.exec, inputs)
		}
		return framework.Run(c.exec, inputs...)
	}
	if !s.windows.Any() || !in.Has(field.Index) {
		results, err := call()
		return c, results, err
	}
	index, err := in.Ints(field.Index)
	if err == nil {
		err = s.windows.Load(index)
	}
	if err != nil {
		return nil, nil, err
	}
	results, err := call()
	if err == nil {
		err = s.windows.Keep(index)
	}
	return c, results, err
}

// Close frees the compiled steps.
func (s *Step) Close() {
	for _, c := range s.compiled {
		c.exec.Finalize()
	}
	if s.chunks != nil {
		s.chunks.close()
	}
}
