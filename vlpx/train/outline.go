package train

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Outline is the graph of a configuration's step on a backend. The model's variables have shapes alone; what a contrast keeps, such as a
// queue, takes its memory in the store. The caller closes the outline and finalises the store.
//
//   - pairs: the number of training pairs.
//   - room: for new positives, see Step.Run.
func (c Config) Outline(backend compute.Backend, pairs, room int) (*framework.Outline, *model.Store, error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	store := model.NewStore()
	start := negative.Start{Pairs: pairs, BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: c.Epochs, Seed: c.Seed}
	if err := framework.DeclareAll(c.Framework.Framework, c.Use(), backend, store, start); err != nil {
		return nil, nil, err
	}
	if c.Method.NeedsReference() {
		framework.DeclareFrozen(store)
	}
	s := NewStep(backend, store, c)
	if err := s.open(); err != nil {
		return nil, nil, err
	}
	var names []string
	var of []shapes.Shape
	for _, f := range s.inputs {
		names, of = append(names, string(f.Name)), append(of, f.Shape)
	}
	o, err := framework.NewOutline("step", backend, store, names, of, func(scope *model.Scope, in []*Node) []*Node {
		return s.build(&compiledStep{}, scope, in, room)
	})
	if err != nil {
		store.Finalize()
		return nil, nil, fmt.Errorf("train: %s with %s: %w", c.Framework.Name(), c.Method.Name, err)
	}
	return o, store, nil
}
