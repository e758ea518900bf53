package golden_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// learner trains a published model by the project's own step.
type learner struct {
	machine
	c      golden.Case
	model  framework.Framework
	config train.Config
	tables []weights.Table // of the weights
	// prepare gives a fresh store what the weights do not hold, such as queues.
	prepare func(t *testing.T, store *model.Store)
}

// newLearner trains ALBEF at a case's sizes, under a method, with the published optimiser.
func newLearner(m machine, c golden.Case, method negative.Method, tables ...weights.Table) *learner {
	return learnerOf(m, c, published(c), c.Int("params", "tokens"), method, tables...)
}

// learnerOf is newLearner of a framework, for captions of so many tokens.
func learnerOf(m machine, c golden.Case, f framework.Framework, tokens int, method negative.Method, tables ...weights.Table) *learner {
	o := func(name string, otherwise float64) float64 {
		if c.Has("params", "optimizer", name) {
			return c.Float("params", "optimizer", name)
		}
		return otherwise
	}
	return &learner{machine: m, c: c, tables: tables, prepare: func(*testing.T, *model.Store) {}, model: f, config: train.Config{
		Framework: framework.Choice{Framework: f}, Transform: transform.Pipeline{Size: c.Int("params", "image")},
		Method: method.WithDefaults(), BatchSize: c.Int("params", "batch"), MaxLen: tokens,
		Optimiser: train.AdamW{Beta1: o("beta1", 0.9), Beta2: o("beta2", 0.999), Epsilon: o("eps", 1e-8),
			WeightDecay: o("weight_decay", 0.02)},
	}}
}

// store is a new one with the published weights.
func (l *learner) store(t *testing.T) *model.Store {
	t.Helper()
	store := model.NewStore()
	l.load(t, store, l.c, "weights", l.tables...)
	l.prepare(t, store)
	complete(t, l.machine, store, l.model, l.config.Transform.Size)
	return store
}

// minibatch is one of a case's.
type minibatch struct {
	pixels, ids, masked, labels *tensors.Tensor
	images, texts               []int // what ITM's negatives are to be, where the published code drew them
	items                       *tensors.Tensor
	fresh                       *tensors.Tensor // the codes of new positives' masks
	progress                    float64
}

// minibatch reads one from below a path; without MLM the ids stand for the masked ones.
func (l *learner) minibatch(t *testing.T, path ...string) minibatch {
	t.Helper()
	c := l.c
	at := func(name string) []string { return append(path[:len(path):len(path)], name) }
	b := minibatch{pixels: l.pixels(t, c, at("pixels")...), ids: ids(c, at("input_ids")...), progress: 1}
	b.masked, b.labels = b.ids, b.ids
	if c.Has(at("mlm_labels")...) {
		b.masked, b.labels = ids(c, at("mlm_input_ids")...), ids(c, at("mlm_labels")...)
	}
	if c.Has(at("negative_image_of_text")...) {
		b.images, b.texts = c.Ints(at("negative_image_of_text")...), c.Ints(at("negative_text_of_image")...)
	}
	if c.Has(at("idx")...) {
		b.items = ids(c, at("idx")...)
	}
	read(t, c)
	return b
}

// inputs are the mini-batch's for a graph, in the order of Config.Inputs.
func (l *learner) inputs(t *testing.T, b minibatch) []*tensors.Tensor {
	t.Helper()
	batch := l.config.BatchSize
	noise := make([]float64, 2*batch*batch)
	if b.images != nil {
		noise = decisive(b.images, b.texts)
	}
	scalar := func(x float64) *tensors.Tensor { return l.tensor(t, tensors.FromScalar(x)) }
	rate := 0.0
	if l.c.Has("params", "optimizer") {
		rate = l.c.Float("params", "optimizer", "lr")
	}
	values := field.Values{
		field.Image: b.pixels, field.Captions: b.ids, field.Masked: b.masked, field.Words: b.labels,
		field.Noise:    l.tensor(t, tensors.FromFlatDataAndDimensions(noise, 2, batch, batch)),
		field.Progress: scalar(b.progress), field.Rate: scalar(rate), field.Items: b.items, field.Fresh: b.fresh,
	}
	var in []*tensors.Tensor
	for _, f := range l.config.Inputs() {
		if values[f.Name] == nil {
			t.Fatalf("the case has no %s", f.Name)
		}
		in = append(in, values[f.Name])
	}
	return in
}

// nodes are the inputs in a graph by name.
func (l *learner) nodes(in []*Node) field.Nodes {
	nodes := field.Nodes{}
	for k, f := range l.config.Inputs() {
		nodes[f.Name] = in[k]
	}
	return nodes
}

// decisive is noise that makes the sampler pick these images of the texts and texts of the images.
func decisive(images, texts []int) []float64 {
	batch := len(images)
	noise := make([]float64, 2*batch*batch)
	for k := range batch {
		noise[k*batch+texts[k]] = 1e9
		noise[batch*batch+k*batch+images[k]] = 1e9
	}
	return noise
}

// outcome is what a step tells.
type outcome struct {
	itc, itm, mlm, itg, temperature          float64
	image, text, hardestImages, hardestTexts []float64
	imageScores, textScores                  []float64 // Con-D's
}

// steps compiles the training step of a store: in float64 the graph that train.Step compiles, in float32 train.Step itself.
func (l *learner) steps(t *testing.T, store *model.Store) func(minibatch) outcome {
	t.Helper()
	if l.dtype == dtypes.Float32 {
		return l.compiled(t, store)
	}
	var names []field.Name
	run := l.prepared(t, store, func(s *model.Scope, in []*Node) []*Node {
		told := l.config.Learn(s, l.nodes(in), 2*l.config.BatchSize)
		for _, name := range l.model.Losses() {
			told.Outputs.Add(field.Name(name), told.Losses[name])
		}
		names = slices.Sorted(maps.Keys(told.Outputs))
		var out []*Node
		for _, name := range names {
			out = append(out, told.Outputs[name])
		}
		return out
	})
	return func(b minibatch) outcome {
		got := map[field.Name][]float64{}
		for k, numbers := range run(l.inputs(t, b)) {
			got[names[k]] = numbers
		}
		return outcomeOf(func(name field.Name) []float64 { return got[name] })
	}
}

// told is the outcome of a step by the numbers of each name, nil for what it does not tell.
func outcomeOf(of func(field.Name) []float64) outcome {
	scalar := func(name field.Name) float64 {
		if x := of(name); x != nil {
			return x[0]
		}
		return 0
	}
	return outcome{
		itc: scalar(field.Name(negative.ITC)), itm: scalar(field.Name(negative.ITM)), mlm: scalar(field.Name(negative.MLM)),
		itg:         scalar(field.Name(negative.ITG)),
		temperature: scalar(field.Temperature), image: of(field.ImageEmbedding), text: of(field.TextEmbedding),
		hardestImages: of(field.HardestImages), hardestTexts: of(field.HardestTexts), imageScores: of(field.ImageScores),
		textScores: of(field.TextScores),
	}
}

func (l *learner) compiled(t *testing.T, store *model.Store) func(minibatch) outcome {
	t.Helper()
	step := train.NewStep(l.Backend, store, l.config)
	t.Cleanup(step.Close)
	return func(b minibatch) outcome {
		values := field.Values{}
		for k, in := range l.inputs(t, b) {
			values[l.config.Inputs()[k].Name] = in
		}
		out := must.Get(step.Run(values, 2*l.config.BatchSize))(t)
		defer out.Release()
		return outcomeOf(func(name field.Name) []float64 {
			if loss, ok := out.Losses[negative.Loss(name)]; ok {
				return []float64{loss}
			}
			if !out.Has(name) {
				return nil
			}
			return numbers(t, out.Values[name])
		})
	}
}

// gradientsOfEach compares the gradients of each loss alone with the files that the case names.
func (l *learner) gradientsOfEach(t *testing.T, b minibatch) {
	t.Helper()
	store := l.store(t)
	var paths [3][]string
	files := map[negative.Loss]string{negative.ITC: "gradients_ita", negative.ITM: "gradients_itm", negative.MLM: "gradients_mlm",
		negative.ITG: "gradients_lm"}
	if !l.c.Has("files", files[negative.ITC]) {
		files[negative.ITC] = "gradients_itc"
	}
	got := l.run(t, store, l.inputs(t, b), func(s *model.Scope, in []*Node) []*Node {
		use := l.config.Use()
		use.Objectives, use.Room = negative.All, 2*l.config.BatchSize
		losses := l.model.Step(s, use, l.nodes(in)).Losses
		var out []*Node
		for i, name := range l.model.Losses() {
			var of []*Node
			paths[i], of = gradients(store, framework.Model, losses[name])
			out = append(out, of...)
		}
		return out
	})
	for i, name := range l.model.Losses() {
		// These files are in float32.
		single := l.machine
		single.dtype = dtypes.Float32
		single.nearFile(t, l.c, files[name], by(paths[i], got), l.tables...)
		got = got[len(paths[i]):]
	}
}

// gradientsOfSum compares the gradients that the first step gave the optimiser, whose first moments hold them.
func (l *learner) gradientsOfSum(t *testing.T, store *model.Store) {
	t.Helper()
	got := l.variables(t, store, train.Optimiser+"/mean", framework.Model)
	for path := range got {
		for i := range got[path] {
			got[path][i] /= 1 - l.config.Optimiser.Beta1
		}
	}
	l.nearFile(t, l.c, "gradients", got, l.tables...)
}

// forget takes the optimiser back to before its first step. At a learning rate of zero the next step is the first again.
func (l *learner) forget(t *testing.T, store *model.Store) {
	t.Helper()
	for v := range store.Scope(train.Optimiser).IterVariables() {
		must.Do(t, v.SetValue(tensors.FromShape(v.Shape())))
	}
}

// variables are those below a path of the store.
func (l *learner) variables(t *testing.T, store *model.Store, before, root string) map[string][]float64 {
	t.Helper()
	got := map[string][]float64{}
	for v := range store.Scope(before + root).IterVariables() {
		got[v.Path()[len(before):]] = numbers(t, v.MustValue())
	}
	return got
}

// after compares the weights after the first update. Where a gradient is next to nothing, as that of keys' biases always is, rounding
// alone decides where a step of Adam goes in float32, in the published code, too: these weights are held in float64 only.
func (l *learner) after(t *testing.T, store *model.Store) {
	t.Helper()
	got, gradients := l.variables(t, store, "", framework.Model), values(t, l.c, "gradients", l.tables...)
	for path, x := range values(t, l.c, "after", l.tables...) {
		want := numbers(t, x)
		if l.dtype == dtypes.Float32 {
			for i, d := range numbers(t, gradients[path]) {
				if math.Abs(d) < 1e-6 {
					got[path][i] = want[i]
				}
			}
		}
		l.close(t, "after of "+path, got[path], want, 1e-6)
	}
}

// queues puts a case's momentum queues into a store; the momentum copy lacks what only the online model uses.
func (l *learner) queues(t *testing.T, store *model.Store) {
	t.Helper()
	f := must.Get(weights.Open(l.c.Beside("weights")))(t)
	defer f.Close()
	queue := l.config.Method.Contrast.(negative.Distilled)
	block := int32(l.c.Int("params", "queue_ptr") / l.config.BatchSize)
	read(t, l.c)
	put := func(side string, rows *tensors.Tensor) {
		must.Do(t, queue.Put(store.Scope(framework.State), side, rows, tensors.FromScalar(block)))
	}
	for _, side := range []string{"image", "text"} {
		x := must.Get(f.Tensor(side + "_queue"))(t)
		dim, length := x.Shape().Dim(0), x.Shape().Dim(1)
		put(side, l.tensor(t, tensors.FromFlatDataAndDimensions(transposed(numbers(t, x), dim, length), length, dim)))
	}
	if queue.Items {
		x := must.Get(f.Tensor("idx_queue"))(t)
		var items []int32
		for _, item := range tensors.MustCopyFlatData[int64](x) {
			items = append(items, int32(item))
		}
		put("item", tensors.FromFlatDataAndDimensions(items, len(items), 1))
	}
}

// queued compares the queues after a step with what is expected below a path.
func (l *learner) queued(t *testing.T, store *model.Store, path ...string) {
	t.Helper()
	expected := func(name string) []string { return append(path[:len(path):len(path)], name) }
	state := func(name string) []float64 {
		return numbers(t, store.GetVariable(framework.State+"/"+name).MustValue())
	}
	for _, side := range []string{"image", "text"} {
		got := state(side + "/queue")
		dim := framework.Dim(l.model)
		l.near(t, l.c, side+" queue", transposed(got, len(got)/dim, dim), expected(side+"_queue")...)
		l.near(t, l.c, side+" pointer", []float64{state(side + "/pointer")[0] * float64(l.config.BatchSize)}, expected("queue_ptr")...)
	}
	if l.config.Method.Contrast.(negative.Distilled).Items {
		l.near(t, l.c, "item queue", state("item/queue"), expected("idx_queue")...)
	}
}

// losses compares the losses and the temperature with what is expected below a path.
func (l *learner) losses(t *testing.T, got outcome, path ...string) {
	t.Helper()
	for name, value := range map[string]float64{"loss_ita": got.itc, "loss_itm": got.itm, "loss_mlm": got.mlm, "loss_itc": got.itc,
		"loss_itg": got.itg, "temp": got.temperature} {
		at := append(path[:len(path):len(path)], name)
		if l.c.Has(append([]string{"expected"}, at...)...) {
			l.near(t, l.c, name, []float64{value}, at...)
		}
	}
}
