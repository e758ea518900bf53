// Package steptest runs graphs and steps of frameworks in tests.
package steptest

import (
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Run runs a graph by the weights of a store. Its results are flat, float32 and int32 alike.
func Run(t *testing.T, on compute.Backend, store *model.Store, build func(s *model.Scope, in []*Node) []*Node,
	args ...*tensors.Tensor) (flat [][]float64) {
	t.Helper()
	exec := must.Get(model.NewExec(on, store, build))(t)
	defer exec.Finalize()
	results := must.Get(framework.Call(exec, args...))(t)
	defer framework.Release(results)
	for _, x := range results {
		var numbers []float64
		if x.DType().IsInt() {
			for _, v := range tensors.MustCopyFlatData[int32](x) {
				numbers = append(numbers, float64(v))
			}
		} else {
			for _, v := range tensors.MustCopyFlatData[float32](x) {
				numbers = append(numbers, float64(v))
			}
		}
		flat = append(flat, numbers)
	}
	return flat
}

// Step is what a step in training reports.
type Step struct {
	Losses       map[negative.Loss]float64
	Total, Again float64 // the weighted sum of the losses, and the same computed a second time by a framework that can
	Outputs      map[field.Name][]float64
	Gradients    map[string]float64 // of Total, the sum of the absolute numbers by the variable's path below the model
}

// Of makes a step of a framework, with its inputs in their order.
func Of(t *testing.T, on compute.Backend, store *model.Store, m framework.Framework, u framework.Use, in ...*tensors.Tensor) Step {
	t.Helper()
	inputs := m.Inputs(u)
	var losses []negative.Loss
	var outputs []field.Name
	var paths []string
	results := Run(t, on, store, func(s *model.Scope, args []*Node) []*Node {
		s.Store().SetTraining(args[0].Graph(), true)
		nodes := field.Nodes{}
		for k, f := range inputs {
			nodes[f.Name] = args[k]
		}
		of := m.Step(s, u, nodes)
		total := of.Of(m, negative.All)
		again := total
		if of.Again != nil {
			again = of.Again(negative.All)
		}
		out := []*Node{total, again}
		for _, name := range m.Losses() {
			if of.Losses[name] != nil {
				losses, out = append(losses, name), append(out, of.Losses[name])
			}
		}
		for name, node := range of.Outputs {
			outputs, out = append(outputs, name), append(out, node)
		}
		var weights []*Node
		for v := range store.Scope(framework.Model).IterVariables() {
			if v.Trainable && v.InUseByGraph(total.Graph()) {
				paths, weights = append(paths, v.Path()), append(weights, v.NodeValue(total.Graph()))
			}
		}
		for _, d := range Gradient(total, weights...) {
			out = append(out, ReduceAllSum(Abs(d)))
		}
		return out
	}, in...)
	step := Step{map[negative.Loss]float64{}, results[0][0], results[1][0], map[field.Name][]float64{}, map[string]float64{}}
	results = results[2:]
	for k, name := range losses {
		step.Losses[name] = results[k][0]
	}
	for k, name := range outputs {
		step.Outputs[name] = results[len(losses)+k]
	}
	for k, path := range paths {
		step.Gradients[path[len(framework.Model):]] = results[len(losses)+len(outputs)+k][0]
	}
	return step
}
