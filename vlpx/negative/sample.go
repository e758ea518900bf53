package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// samplesScope is where variables of samples lie below a part's scope.
const samplesScope = "samples"

// DeclareSamples makes a variable with a number for each of n training samples, [n], all of the same first value. It is saved and resumed
// with the weights, and no optimiser moves it. Its cost is 4 bytes a sample, in memory and in a checkpoint.
func DeclareSamples(state *model.Scope, name string, n int, first float64) error {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(first)
	}
	v, err := state.At(samplesScope).CreateVariable(name, tensors.FromFlatDataAndDimensions(values, n))
	if err != nil {
		return fmt.Errorf("negative: a %s for each of %d samples: %w", name, n, err)
	}
	v.SetTrainable(false)
	return nil
}

// Samples is a variable with a number for each training sample, as a mini-batch sees it.
type Samples struct {
	variable *model.Variable
	index    *Node // [batch, 1]; nil where the variable is a window
	graph    *Graph
}

// SamplesOf finds the variable of a name that [DeclareSamples] made, or its window, where [OpenWindows] made one.
//
//   - index: the samples of the mini-batch, int32, [batch], each there once; field.Index.
func SamplesOf(state *model.Scope, name string, index *Node) Samples {
	v := state.At(samplesScope).GetVariable(name)
	if v == nil {
		exceptions.Panicf("negative: no variable %q of samples; declare it with the part's state", name)
	}
	if seen := state.Store().GetVariable(WindowScope + v.Path()); seen != nil {
		index.AssertDims(seen.Shape().Dim(0))
		return Samples{seen, nil, index.Graph()}
	}
	return Samples{v, InsertAxes(index, -1), index.Graph()}
}

// Get is the number of each sample of the mini-batch, [batch].
func (s Samples) Get() *Node {
	if s.index == nil {
		return s.variable.NodeValue(s.graph)
	}
	return Gather(s.variable.NodeValue(s.graph), s.index)
}

// Set gives the samples of the mini-batch other numbers, [batch]; all other samples keep theirs.
func (s Samples) Set(values *Node) {
	values = StopGradient(values)
	if s.index != nil {
		values = ScatterUpdate(s.variable.NodeValue(s.graph), s.index, values, false, true)
	}
	s.variable.SetNodeValue(values)
}
