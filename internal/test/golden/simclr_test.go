package golden_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/simclr"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// viewer trains SogCLR's published model by the project's own step, on two views of images.
type viewer struct {
	machine
	c      golden.Case
	config train.Config
	tables []weights.Table // of the weights and of what the method keeps
	kept   weights.Values  // what it keeps besides, by its paths
}

// newViewer trains at a case's sizes, under a contrast and what it leaves out, by LARS.
func newViewer(m machine, c golden.Case, method negative.Method, tables ...weights.Table) *viewer {
	o := func(name string) float64 { return c.Float("params", "optimizer", name) }
	network := simclr.Model{
		ResNet: encoder.ResNet{Image: c.Int("params", "image"), Layers: c.Ints("params", "layers"), Width: c.Ints("params", "widths")[0]},
		Hidden: c.Int("params", "mlp_dim"), Embed: c.Int("params", "dim"), Temperature: c.Float("params", "temp"),
	}
	return &viewer{machine: m, c: c, config: train.Config{
		Framework: framework.Choice{Framework: network}, Method: method.WithDefaults(), BatchSize: c.Int("params", "batch"),
		Transform: transform.Pipeline{Size: network.ResNet.Image},
		LARS:      train.LARS{Trust: o("trust_coefficient"), Momentum: o("momentum"), WeightDecay: o("weight_decay")},
	}, tables: append([]weights.Table{weights.SimCLR(framework.Model)}, tables...)}
}

// store is a new one with the published weights and what the method keeps.
func (v *viewer) store(t *testing.T) *model.Store {
	t.Helper()
	store, all := model.NewStore(), values(t, v.c, "weights", v.tables...)
	maps.Copy(all, v.kept)
	for path, x := range all {
		if strings.HasPrefix(path, framework.State) { // published with a second axis, of 1
			all[path] = tensors.FromFlatDataAndDimensions(numbers(t, x), x.Shape().Size())
		}
	}
	must.Do(t, all.Put(store, v.dtype))
	for of := range store.Scope(framework.State).IterVariables() {
		of.SetTrainable(false)
	}
	must.Do(t, framework.Declare(v.config.Framework.Framework, v.config.Use(), v.Backend, store))
	must.Do(t, weights.Missing(store, framework.Model))
	return store
}

// inputs are those of a step of the case for a graph, in the order of Config.Inputs.
func (v *viewer) inputs(t *testing.T, step int, progress float64) []*tensors.Tensor {
	t.Helper()
	at := func(name string) []string { return []string{"inputs", "steps", strconv.Itoa(step), name} }
	scalar := func(x float64) *tensors.Tensor { return v.tensor(t, tensors.FromScalar(x)) }
	values := field.Values{
		field.Image: v.pixels(t, v.c, at("view1")...), field.View: v.pixels(t, v.c, at("view2")...), field.Index: ids(v.c, at("index")...),
		field.Progress: scalar(progress), field.Rate: scalar(v.c.Float("params", "optimizer", "lr")),
	}
	read(t, v.c)
	var in []*tensors.Tensor
	for _, f := range v.config.Inputs() {
		if values[f.Name] == nil {
			t.Fatalf("the case has no %s", f.Name)
		}
		in = append(in, values[f.Name])
	}
	return in
}

// nodes are the inputs in a graph by name.
func (v *viewer) nodes(in []*Node) field.Nodes {
	nodes := field.Nodes{}
	for k, f := range v.config.Inputs() {
		nodes[f.Name] = in[k]
	}
	return nodes
}

// check recomputes the gradients of the first step, then the steps, each with its loss, its embeddings and the numbers of samples that the
// method keeps by their paths, and last all tensors after them.
func (v *viewer) check(t *testing.T, progress float64, kept map[string]string) {
	c := v.c
	var paths []string
	got := v.run(t, v.store(t), v.inputs(t, 0, progress), func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), true)
		told := v.config.Framework.Step(s, v.config.Use(), v.nodes(in))
		var gradient []*Node
		paths, gradient = gradients(s.Store(), framework.Model, told.Losses[negative.ITC])
		return gradient
	})
	v.nearFile(t, c, "gradients", by(paths, got), v.tables...)

	store := v.store(t)
	step := v.prepared(t, store, func(s *model.Scope, in []*Node) []*Node {
		told := v.config.Learn(s, v.nodes(in), 0)
		return []*Node{told.Losses[negative.ITC], told.Outputs[field.ImageEmbedding], told.Outputs[field.TextEmbedding]}
	})
	for k := range c.Len("expected", "steps") {
		at := []string{"steps", strconv.Itoa(k)}
		told := step(v.inputs(t, k, progress))
		v.near(t, c, "loss of step "+at[1], told[0], append(at, "loss")...)
		for i, name := range []string{"projected1", "projected2"} {
			want := unit(c.Tensor("expected", "steps", at[1], name))
			v.close(t, name+" of step "+at[1], told[i+1], want, c.Float("float32_deviation", "expected", "steps"))
		}
		for _, path := range slices.Sorted(maps.Keys(kept)) {
			v.near(t, c, kept[path]+" of step "+at[1], numbers(t, store.GetVariable(path).MustValue()), append(at, kept[path])...)
		}
	}
	after := map[string][]float64{}
	for path := range values(t, c, "after", v.tables...) {
		after[path] = numbers(t, store.GetVariable(path).MustValue())
	}
	v.nearFile(t, c, "after", after, v.tables...)
}

// checkSogCLRStep recomputes two steps of SimCLR's network under SogCLR's contrast: the estimates u, LARS.
func checkSogCLRStep(t *testing.T, m machine, c golden.Case) {
	method := negative.Plain()
	method.Contrast = negative.SogCLR{Gamma: c.Float("params", "gamma")}
	v := newViewer(m, c, method)
	path := framework.State + "/" + negative.ImageAnchors + "/samples/average"
	v.kept = weights.Values{path: value(c, "inputs", "u")}
	v.check(t, 0, map[string]string{path: "u"})
	read(t, c)
}

// checkGloFNDStep recomputes two steps of SimCLR with GloFND: thresholds and their moments, what they leave out, LARS.
func checkGloFNDStep(t *testing.T, m machine, c golden.Case) {
	path := func(name string) string {
		return framework.State + strings.TrimSuffix(negative.ThresholdPath(negative.ImageAnchors), negative.Lambda) + name
	}
	const names = "lambda_threshold.0."
	table := weights.Table{Rules: []weights.Rule{
		{Variable: path(negative.Lambda), Tensors: []string{names + "lda"}},
		{Variable: path("mean"), Tensors: []string{names + "m_grad"}},
		{Variable: path("variance"), Tensors: []string{names + "v_grad"}},
	}, Ignored: []string{names + "*"}}
	method := negative.Plain()
	method.LeftOut = negative.Thresholds{
		Alpha: c.Float("params", "alpha"), Learn: c.Float("params", "start_update"), Use: c.Float("params", "lda_start"),
		Rate:  c.Float("params", "lr_lda"),
		Beta1: c.Float("params", "beta1"), Beta2: c.Float("params", "beta2"), Epsilon: c.Float("params", "eps"),
	}
	v := newViewer(m, c, method, table)
	read(t, c)
	v.check(t, c.Float("params", "epoch"), map[string]string{path(negative.Lambda): "lambda_", path("mean"): "m", path("variance"): "v"})
	read(t, c)
}
