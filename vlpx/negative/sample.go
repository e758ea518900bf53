package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// DeclareSamples makes a variable with a number for each of n training samples, [n], all of the same first value. It is saved and resumed
// with the weights, and no optimiser moves it. Its cost is 4 bytes a sample, in memory and in a checkpoint.
func DeclareSamples(state *model.Scope, name string, n int, first float64) error {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(first)
	}
	v, err := state.CreateVariable(name, tensors.FromFlatDataAndDimensions(values, n))
	if err != nil {
		return fmt.Errorf("negative: a %s for each of %d samples: %w", name, n, err)
	}
	v.SetTrainable(false)
	return nil
}

// Samples is a variable with a number for each training sample, as a mini-batch sees it.
type Samples struct {
	variable *model.Variable
	index    *Node // [batch, 1]
}

// SamplesOf finds the variable of a name that [DeclareSamples] made.
//
//   - index: the samples of the mini-batch, int32, [batch], each there once; field.Index.
func SamplesOf(state *model.Scope, name string, index *Node) Samples {
	v := state.GetVariable(name)
	if v == nil {
		exceptions.Panicf("negative: no variable %q of samples; declare it with the part's state", name)
	}
	return Samples{v, InsertAxes(index, -1)}
}

// Get is the number of each sample of the mini-batch, [batch].
func (s Samples) Get() *Node { return Gather(s.variable.NodeValue(s.index.Graph()), s.index) }

// Set gives the samples of the mini-batch other numbers, [batch]; all other samples keep theirs.
func (s Samples) Set(values *Node) {
	all := s.variable.NodeValue(s.index.Graph())
	s.variable.SetNodeValue(ScatterUpdate(all, s.index, StopGradient(values), false, true))
}
