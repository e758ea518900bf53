package framework

import (
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Call runs a graph on inputs and frees them; what the call was given has a copy in the engine that the garbage collector does
// not free. The caller frees the results with Release.
func Call(exec *model.Exec, inputs ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	defer Release(inputs)
	return Run(exec, inputs...)
}

// Run runs a graph on inputs, which stay.
//
// ONNX Runtime has been seen to refuse a graph once in many times and to take it at the next try, so a compilation that fails
// is tried once more, by the call itself; its failure is the error. A graph that is compiled already is not compiled again.
func Run(exec *model.Exec, inputs ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	args, of := make([]any, len(inputs)), make([]shapes.Shape, len(inputs))
	for i, x := range inputs {
		args[i], of[i] = x, x.Shape()
	}
	_, _ = exec.Compile(of...) // a failure is not the last word
	return exec.Call(args...)
}

// Orderly, deferred in a function that builds a graph, makes a panic with something else than an error one with an error. A part of
// one's own may have such a panic, and GoMLX would wait for ever for the graph that was not finished.
func Orderly() {
	p := recover()
	if p == nil {
		return
	}
	if _, ok := p.(error); !ok {
		exceptions.Panicf("%v", p)
	}
	panic(p)
}

// Rows is a tensor [rows, dims...] of numbers, with as many rows as they make.
func Rows(numbers []float32, dims ...int) *tensors.Tensor {
	size := 1
	for _, d := range dims {
		size *= d
	}
	return tensors.FromFlatDataAndDimensions(numbers, append([]int{len(numbers) / size}, dims...)...)
}

// Release frees tensors at once.
func Release(all []*tensors.Tensor) {
	for _, t := range all {
		t.FinalizeAll()
	}
}
