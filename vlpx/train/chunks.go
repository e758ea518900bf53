package train

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Gradients is the root of the gradients that a step sums up over chunks.
const Gradients = "/gradient"

// chunks is how a step trains a mini-batch in chunks, by cached gradients (Gao et al., 2021, section 3). It encodes all chunks, builds the
// losses and their gradient by what is encoded, and encodes each chunk once more for the gradient of its weights: that of the sum of what
// it encodes times that gradient. A chunk's draws are the same both times. Losses, gradients and the one update are those of the whole
// mini-batch but for rounding, and of what lies within the encoders there is a chunk's in memory at a time.
type chunks struct {
	step     *Step
	model    framework.Divisible
	use      framework.Use
	rewarded negative.Rewarded // nil where nobody asks what a step improved

	part, whole []field.Field // what encoders read of a chunk, and what losses read
	graphs      map[string]*chunkGraph

	// What is known once graphs are built.
	used     map[string]*model.Variable // trainable variables that a graph of the step reads, by their paths
	summed   map[string]*model.Variable // gradients, by the paths of their variables
	direct   []*model.Variable          // variables that the losses themselves read
	assessed compiledStep               // names of what the losses' graph gives
	repeats  bool                       // see framework.Forward
	reports  int                        // 1 where parts report numbers
	others   framework.Seen             // what else encoders give, by its length alone
}

// newChunks prepares the chunks of a step.
func newChunks(s *Step) *chunks {
	c := &chunks{step: s, model: s.config.Framework.Framework.(framework.Divisible), use: s.config.Use(),
		graphs: map[string]*chunkGraph{}, used: map[string]*model.Variable{}, summed: map[string]*model.Variable{}}
	c.rewarded, _ = s.config.Method.Batches.(negative.Rewarded)
	for _, f := range s.inputs {
		divided := f.Shape.Rank() > 0 && f.Shape.Dim(0) == s.config.BatchSize
		if divided || f.Shape.Rank() == 0 {
			c.part = append(c.part, f)
		}
		if !divided || !f.Name.OfImages() {
			c.whole = append(c.whole, f)
		}
	}
	return c
}

// chunkable says why mini-batches cannot be encoded in chunks.
func (c Config) chunkable() error {
	if c.Chunk == 0 {
		return nil
	}
	if c.Chunk < 0 || c.BatchSize%c.Chunk != 0 {
		fits := max(1, min(c.Chunk, c.BatchSize))
		for c.BatchSize%fits != 0 {
			fits--
		}
		return fmt.Errorf("train: a mini-batch of %d pairs in chunks of %d; take a chunk that divides it, such as %d, or 0 for the whole",
			c.BatchSize, c.Chunk, fits)
	}
	of, divisible := c.Framework.Framework.(framework.Divisible)
	if !divisible {
		return fmt.Errorf("train: chunk=%d, and the step of %s is not divided into encoders and losses; set chunk=0, or take a framework "+
			"whose is, such as CLIP", c.Chunk, c.Framework.Name())
	}
	if err := of.Divides(c.Use()); err != nil {
		return fmt.Errorf("train: chunk=%d: %w; or set chunk=0", c.Chunk, err)
	}
	learner, rewarded := c.Method.Batches.(negative.Rewarded)
	switch {
	case c.Devices > 1 && c.Chunk%c.Devices != 0:
		return fmt.Errorf("train: chunk=%d beside devices=%d: each device encodes an equal part of a chunk; set chunk to a multiple of "+
			"%[2]d that divides the mini-batch", c.Chunk, c.Devices)
	case rewarded && (c.Method.LeftOut != nil || learner.Reward().Has(negative.ITM)):
		return fmt.Errorf("train: chunk=%d: what a step of %s improved is measured on the same pairs of ITM and negatives left out, which "+
			"chunks do not keep; set chunk=0, or reward another loss", c.Chunk, c.Method.Name)
	}
	return nil
}

// builder builds one of a step's graphs on the fields and other nodes that it reads.
type builder func(s *model.Scope, in field.Nodes, further []*Node) []*Node

// chunkGraph is one of a step's graphs.
type chunkGraph struct {
	exec   *model.Exec
	shapes []shapes.Shape // of its inputs
	layout *layout        // nil on one device
}

// prepared is one of a step's graphs, which it prepares at first.
//
//   - rows: how many pairs it reads at a time, a chunk's or the mini-batch's.
//   - inputs: shapes of fields, and then of further inputs.
func (c *chunks) prepared(name string, rows int, build builder, of []field.Field, inputs []shapes.Shape) (*chunkGraph, error) {
	if g := c.graphs[name]; g != nil {
		return g, nil
	}
	graph := &chunkGraph{shapes: inputs}
	var err error
	graph.exec, err = model.NewExec(c.step.backend, c.step.store, func(s *model.Scope, in []*Node) []*Node {
		defer framework.Orderly()
		nodes := field.Nodes{}
		for k, f := range of {
			nodes[f.Name] = in[k]
		}
		g := in[0].Graph()
		s.Store().SetTraining(g, true)
		out := build(s, nodes, in[len(of):])
		for _, v := range inUse(s.Store(), g) {
			c.used[v.Path()] = v
		}
		c.step.heard(name, c.step.config.BatchSize/rows, out)
		return out
	})
	if err == nil && c.step.split != nil {
		if graph.layout, err = c.step.split.layout(rows, inputs); err == nil {
			graph.layout.over(graph.exec)
		}
	}
	if err != nil {
		return nil, err
	}
	c.graphs[name] = graph
	return graph, nil
}

// call runs one of a step's graphs on fields and further inputs. See prepared.
func (c *chunks) call(name string, rows int, build builder, of []field.Field, in field.Values, further ...*tensors.Tensor) (
	out []*tensors.Tensor, err error,
) {
	var inputs []*tensors.Tensor
	for _, f := range of {
		inputs = append(inputs, in[f.Name])
	}
	inputs = append(inputs, further...)
	var all []shapes.Shape
	for _, x := range inputs {
		all = append(all, x.Shape())
	}
	graph, err := c.prepared(name, rows, build, of, all)
	switch {
	case err != nil:
	case graph.layout != nil:
		out, err = graph.layout.run(graph.exec, inputs)
	default:
		out, err = framework.Run(graph.exec, inputs...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// each calls a function for each chunk with its fields, which it frees.
func (c *chunks) each(in field.Values, do func(chunk int, part field.Values) error) error {
	size := c.step.config.Chunk
	for chunk := range c.number() {
		err := func() error {
			part, own := field.Values{}, field.Values{}
			defer own.Release()
			for _, f := range c.part {
				part[f.Name] = in[f.Name]
				if f.Shape.Rank() == 0 {
					continue
				}
				x, err := rows(in[f.Name], chunk*size, (chunk+1)*size)
				if err != nil {
					return fmt.Errorf("%s of chunk %d: %w", f.Name, chunk, err)
				}
				part[f.Name], own[f.Name] = x, x
			}
			return do(chunk, part)
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// all is how many pairs the mini-batch has.
func (c *chunks) all() int { return c.step.config.BatchSize }

// number is that of the chunks.
func (c *chunks) number() int { return c.step.config.BatchSize / c.step.config.Chunk }

// names of a step's graphs.
const (
	preparing  = "preparing the step"
	consulting = "asking other encoders"
	encoding   = "encoding a chunk"
	assessing  = "the losses"
	returning  = "the gradient of a chunk"
	updating   = "the update"
	looking    = "encoding a chunk anew"
	judging    = "the losses anew"
)

// run makes a step on the fields of a mini-batch, which stay: the names of what it gives, and that.
func (c *chunks) run(in field.Values) (_ *compiledStep, results []*tensors.Tensor, err error) {
	defer func() {
		if err != nil {
			framework.Release(results)
			results = nil
		}
	}()
	if _, distils := c.use.Method.Contrast.(negative.Distiller); distils {
		if _, err := c.call(preparing, c.all(), c.prepare, c.scalars(), in); err != nil {
			return nil, nil, err
		}
	}
	draws := make([]*tensors.Tensor, c.number())
	seen := make([]gathered, 2) // of other encoders and of the trained ones
	defer func() { framework.Release(slices.Concat(seen[0].all, seen[1].all)) }()
	err = c.each(in, func(chunk int, part field.Values) error {
		if c.consults() {
			if err := c.gather(&seen[0], chunk, consulting, c.consult, part); err != nil {
				return err
			}
		}
		if draws[chunk], err = c.state(); err != nil {
			return err
		}
		return c.gather(&seen[1], chunk, encoding, c.encode, part)
	})
	if err != nil {
		return nil, nil, err
	}
	out, err := c.call(assessing, c.all(), c.assess, c.whole, in, slices.Concat(seen[0].all, seen[1].all)...)
	if err != nil {
		return nil, nil, err
	}
	named := c.assessed
	given := len(named.losses) + len(named.outputs)
	results, reports, cached := out[:given:given], out[given:given+c.reports], out[given+c.reports:]
	defer func() { framework.Release(cached) }()
	var before *tensors.Tensor
	if c.step.last == Whole && c.rewarded != nil {
		before, cached = cached[len(cached)-1], cached[:len(cached)-1]
		defer func() { before.FinalizeAll() }()
		if !c.repeats {
			before.FinalizeAll()
			if before, err = c.judge(in, seen[0].all); err != nil {
				return nil, results, err
			}
		}
	}
	if c.step.last > Forward {
		if err := c.backward(in, cached, draws); err != nil {
			return nil, results, err
		}
		norm, err := c.call(updating, c.all(), c.update, c.scalars(), in)
		if err != nil {
			return nil, results, err
		}
		named.outputs = append(slices.Clone(named.outputs), field.GradientNorm)
		results = append(results, norm...)
	}
	if before != nil {
		after, err := c.judge(in, seen[0].all)
		if err != nil {
			return nil, results, err
		}
		defer after.FinalizeAll()
		named.outputs = append(named.outputs, field.Improvement)
		results = append(results, less(before, after))
	}
	return &named, append(results, reports...), nil
}

// scalars are the fields that have no row a pair, nor a row of anything.
func (c *chunks) scalars() (fields []field.Field) {
	for _, f := range c.part {
		if f.Shape.Rank() == 0 {
			fields = append(fields, f)
		}
	}
	return fields
}

// consults reports whether the method asks other encoders than those that are trained.
func (c *chunks) consults() bool {
	_, distils := c.use.Method.Contrast.(negative.Distiller)
	_, informed := c.use.Method.Contrast.(negative.Informed)
	return distils || informed
}

// gathered is what chunks gave so far, each with a row a pair of the mini-batch.
type gathered struct{ all []*tensors.Tensor }

// gather encodes a chunk and adds what it gives.
func (c *chunks) gather(to *gathered, chunk int, name string, build builder, part field.Values) error {
	out, err := c.call(name, c.step.config.Chunk, build, c.part, part)
	if err != nil {
		return err
	}
	defer framework.Release(out)
	for k, x := range out {
		if chunk == 0 {
			dims := slices.Clone(x.Shape().Dimensions)
			dims[0] = c.step.config.BatchSize
			to.all = append(to.all, tensors.FromShape(shapes.Make(x.DType(), dims...)))
		}
		var failed error
		err := to.all[k].MutableBytes(func(all []byte) {
			failed = x.ConstBytes(func(own []byte) { copy(all[chunk*len(own):], own) })
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

// state is the random numbers' state.
func (c *chunks) state() (*tensors.Tensor, error) {
	value, err := c.draws().Value()
	if err != nil {
		return nil, err
	}
	return value.LocalClone()
}

// draws is the variable of the random numbers' state.
func (c *chunks) draws() *model.Variable {
	return c.step.store.GetVariable("/" + model.RNGStateVariableName)
}

// backward sums up the gradients of all chunks by those of what they encode, with the draws that each had.
func (c *chunks) backward(in field.Values, cached, draws []*tensors.Tensor) error {
	end, err := c.state()
	if err != nil {
		return err
	}
	size := c.step.config.Chunk
	err = c.each(in, func(chunk int, part field.Values) (err error) {
		if err = c.draws().SetValue(draws[chunk]); err != nil {
			return err
		}
		further := []*tensors.Tensor{tensors.FromScalar(int32(chunk))}
		defer func() { framework.Release(further) }()
		for _, x := range cached {
			own, err := rows(x, chunk*size, (chunk+1)*size)
			if err != nil {
				return err
			}
			further = append(further, own)
		}
		out, err := c.call(returning, size, c.back, c.part, part, further...)
		framework.Release(out)
		return err
	})
	return errors.Join(err, c.draws().SetValue(end))
}

// judge are the rewarded losses of the mini-batch with the weights as they are, without dropout.
func (c *chunks) judge(in field.Values, others []*tensors.Tensor) (*tensors.Tensor, error) {
	var anew gathered
	defer func() { framework.Release(anew.all) }()
	err := c.each(in, func(chunk int, part field.Values) error { return c.gather(&anew, chunk, looking, c.look, part) })
	if err != nil {
		return nil, err
	}
	out, err := c.call(judging, c.all(), c.reassess, c.whole, in, slices.Concat(others, anew.all)...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// close frees the graphs.
func (c *chunks) close() {
	for _, g := range c.graphs {
		g.exec.Finalize()
	}
}

// ==== Graphs ====

// prepare builds what comes before anything is encoded. Its result is of no use.
func (c *chunks) prepare(s *model.Scope, in field.Nodes, _ []*Node) []*Node {
	framework.Prepare(s.Store(), in.Of(field.Rate).Graph(), c.use)
	return []*Node{in.Of(field.Rate)}
}

// consult builds what other encoders see of a chunk: momentum encoders first.
func (c *chunks) consult(s *model.Scope, in field.Nodes, _ []*Node) []*Node {
	c.others = framework.Consult(s.Store(), c.use, in, c.model)
	return slices.Concat(c.others.Momentum, c.others.Reference)
}

// encode builds what the trained encoders see of a chunk.
func (c *chunks) encode(s *model.Scope, in field.Nodes, _ []*Node) []*Node {
	return c.model.Encode(s.Store().Scope(framework.Model), c.use, in)
}

// look is encode for the rewarded losses, without dropout.
func (c *chunks) look(s *model.Scope, in field.Nodes, _ []*Node) (out []*Node) {
	u := c.use
	u.Objectives = c.rewarded.Reward()
	framework.Evaluating(s.Store(), in.Of(field.Rate).Graph(), func() { out = c.model.Encode(s.Store().Scope(framework.Model), u, in) })
	return out
}

// seen are nodes of all encoders, in the order of consult and encode.
func (c *chunks) seen(nodes []*Node) (seen framework.Seen) {
	take := func(n int) (some []*Node) {
		some, nodes = nodes[:n:n], nodes[n:]
		if n == 0 {
			return nil
		}
		return some
	}
	seen.Momentum, seen.Reference = take(len(c.others.Momentum)), take(len(c.others.Reference))
	seen.Online = nodes
	return seen
}

// assess builds what a step gives, the gradient by what the trained encoders give, and, where that is rewarded, the losses that are. It
// begins the sums of the gradients with those of the variables that the losses read by themselves.
func (c *chunks) assess(s *model.Scope, in field.Nodes, encoded []*Node) []*Node {
	step, reports := c.step, field.NewReports(in)
	u, store, seen := c.use, s.Store(), c.seen(encoded)
	u.Reporter = reports.By(field.Part("framework", c.model))
	forward, _ := c.model.Assess(s, u, in, seen)
	forward.Reports = reports
	reports.End()
	c.repeats = forward.Repeats
	out := step.results(&c.assessed, forward)
	c.reports = len(out) - len(c.assessed.losses) - len(c.assessed.outputs)
	if step.last == Forward {
		return out
	}
	loss := forward.Of(c.model, c.use.Objectives)
	c.use.Method.AssertTrained(store.Scope(framework.State), loss)
	for _, v := range inUse(store, loss.Graph()) {
		c.sum(v).NodeValue(loss.Graph()) // pure Go has no parameter behind all results
	}
	learned, cached := learnBy(store, loss, seen.Online...)
	c.direct = learned.weights
	for i, v := range learned.weights {
		c.sum(v).SetNodeValue(learned.gradients[i])
	}
	out = append(out, cached...)
	if step.last == Whole && c.rewarded != nil {
		out = append(out, forward.Of(c.model, c.rewarded.Reward()))
	}
	return out
}

// sum is the variable that sums up the gradient of another.
func (c *chunks) sum(v *model.Variable) *model.Variable {
	of := c.step.store.VariableWithShape(Gradients+v.Path(), v.Shape(), initializer.Zero).SetTrainable(false)
	c.summed[v.Path()] = of
	return of
}

// back adds the gradient of a chunk to the sums.
//
//   - further: the chunk's number, and the gradients by what it encodes.
func (c *chunks) back(s *model.Scope, in field.Nodes, further []*Node) []*Node {
	number, by := further[0], further[1:]
	g := number.Graph()
	var surrogate *Node
	for k, x := range c.encode(s, in, nil) {
		product := ReduceAllSum(Mul(x, StopGradient(by[k])))
		if surrogate == nil {
			surrogate = product
		} else {
			surrogate = Add(surrogate, product)
		}
	}
	learned := learn(s.Store(), surrogate)
	first := Equal(number, ZerosLike(number))
	for i, v := range learned.weights {
		sum := c.sum(v)
		before := sum.NodeValue(g)
		if !slices.Contains(c.direct, v) {
			before = Where(first, ZerosLike(before), before)
		}
		sum.SetNodeValue(Add(before, learned.gradients[i]))
	}
	return []*Node{number}
}

// update builds the update by the sums, and the norm of the gradient.
func (c *chunks) update(s *model.Scope, in field.Nodes, _ []*Node) []*Node {
	rate := in.Of(field.Rate)
	var by learned
	for _, path := range slices.Sorted(maps.Keys(c.used)) {
		v := c.used[path]
		value := v.NodeValue(rate.Graph())
		gradient := ZerosLike(value)
		if sum := c.summed[path]; sum != nil {
			gradient = sum.NodeValue(rate.Graph())
		}
		by.weights, by.values, by.gradients = append(by.weights, v), append(by.values, value), append(by.gradients, gradient)
	}
	if c.step.last == Backward {
		return []*Node{by.norm()}
	}
	norm := c.step.config.optimiser().update(s.Store(), by, rate, nil)
	c.step.config.average(s.Store(), rate.Graph(), nil)
	return []*Node{norm}
}

// reassess builds the rewarded losses without dropout.
func (c *chunks) reassess(s *model.Scope, in field.Nodes, encoded []*Node) (out []*Node) {
	u := c.use
	u.Objectives = c.rewarded.Reward()
	framework.Evaluating(s.Store(), in.Of(field.Rate).Graph(), func() {
		forward, _ := c.model.Assess(s, u, in, c.seen(encoded))
		out = []*Node{forward.Of(c.model, u.Objectives)}
	})
	return out
}

// rows is a copy of a tensor's rows from one to before another.
func rows(x *tensors.Tensor, from, to int) (*tensors.Tensor, error) {
	dims := slices.Clone(x.Shape().Dimensions)
	row := int(x.ByteSize()) / dims[0]
	dims[0] = to - from
	part := tensors.FromShape(shapes.Make(x.DType(), dims...))
	var failed error
	err := part.MutableBytes(func(own []byte) {
		failed = x.ConstBytes(func(all []byte) { copy(own, all[from*row:to*row]) })
	})
	return part, errors.Join(err, failed)
}

// less is the difference of two scalars, in their type.
func less(x, y *tensors.Tensor) *tensors.Tensor {
	if x.DType() == dtypes.Float64 {
		return tensors.FromScalar(number(x) - number(y))
	}
	return tensors.FromScalar(float32(number(x) - number(y)))
}

// number is a scalar of either type.
func number(x *tensors.Tensor) float64 {
	if x.DType() == dtypes.Float64 {
		return tensors.ToScalar[float64](x)
	}
	return float64(tensors.ToScalar[float32](x))
}
