package golden_test

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/weights"
)

// residual is a network of a case: what it makes of images, the maps after each of its stages, and its names.
type residual struct {
	output func(s *model.Scope, images *Node) *Node
	stages func(s *model.Scope, images *Node) []*Node
	tables []weights.Table
}

// checkResNet recomputes torchvision's ResNet with its classifier.
func checkResNet(t *testing.T, m machine, c golden.Case) {
	r := encoder.ResNet{Image: c.Int("params", "image"), Layers: c.Ints("params", "layers"), Width: c.Ints("params", "widths")[0]}
	classes := c.Int("params", "classes")
	read(t, c)
	classifier := weights.Table{Rules: []weights.Rule{
		{Variable: "/classifier/" + encoder.Weights, Layout: weights.Linear, Tensors: []string{"fc.weight"}},
		{Variable: "/classifier/" + encoder.Bias, Layout: weights.Same, Tensors: []string{"fc.bias"}},
	}}
	checkResidual(t, m, c, residual{
		func(s *model.Scope, images *Node) *Node {
			return encoder.Linear(s.At("classifier"), r.Encode(s.At("vision"), images, false), classes, false)
		},
		func(s *model.Scope, images *Node) []*Node { return r.Stages(s.At("vision"), images, false) },
		[]weights.Table{weights.ResNet("", "/vision"), classifier},
	})
}

// checkCLIPResNet recomputes CLIP's ModifiedResNet.
func checkCLIPResNet(t *testing.T, m machine, c golden.Case) {
	r := encoder.CLIPResNet{Image: c.Int("params", "image"), Layers: c.Ints("params", "layers"), Width: c.Int("params", "width"),
		Heads: c.Int("params", "heads"), Output: c.Int("params", "output_dim")}
	read(t, c)
	checkResidual(t, m, c, residual{
		func(s *model.Scope, images *Node) *Node { return r.Encode(s.At("vision"), images, false) },
		func(s *model.Scope, images *Node) []*Node { return r.Stages(s.At("vision"), images, false) },
		[]weights.Table{weights.CLIPResNet("", "/vision")},
	})
}

// checkResidual recomputes a network in evaluation, a step of training with its gradients and the running statistics after it, and the
// evaluation that follows.
func checkResidual(t *testing.T, m machine, c golden.Case, of residual) {
	store := model.NewStore()
	m.load(t, store, c, "weights", of.tables...)
	pixels, cotangent := m.pixels(t, c, "inputs", "pixels"), m.value(t, c, "inputs", "cotangent")
	read(t, c)
	evaluated := m.prepared(t, store, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), false)
		return []*Node{of.output(s, in[0])}
	})
	m.near(t, c, "output in evaluation", evaluated([]*tensors.Tensor{pixels})[0], "eval", "output")

	var paths []string
	got := m.run(t, store, []*tensors.Tensor{pixels, cotangent}, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), true)
		output := of.output(s, in[0])
		loss := ReduceAllSum(Mul(output, in[1]))
		var gradient []*Node
		paths, gradient = gradients(store, "/", loss)
		return append([]*Node{output, loss}, gradient...)
	})
	m.near(t, c, "output in training", got[0], "train", "output")
	m.near(t, c, "loss", got[1], "train", "loss")
	m.nearFile(t, c, "gradients", by(paths, got[2:]), of.tables...)

	after, statistics := values(t, c, "running_after", of.tables...), map[string][]float64{}
	for path := range after {
		statistics[path] = numbers(t, store.GetVariable(path).MustValue())
	}
	m.nearFile(t, c, "running_after", statistics, of.tables...)
	m.near(t, c, "output in evaluation after the step", evaluated([]*tensors.Tensor{pixels})[0], "eval_after_train_step", "output")

	store = model.NewStore() // whose running statistics the step has not moved
	m.load(t, store, c, "weights", of.tables...)
	maps := m.run(t, store, []*tensors.Tensor{pixels}, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), true)
		var means []*Node
		for _, maps := range of.stages(s, in[0]) {
			means = append(means, ReduceMean(maps, 1, 2))
		}
		return means
	})
	for i, means := range maps {
		stage := fmt.Sprintf("layer%d", i+1)
		m.near(t, c, "mean of the maps of "+stage, means, "train", "layer_channel_means", stage)
	}
}
