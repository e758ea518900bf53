package vlpx

import (
	"context"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
)

// Evaluate measures zero-shot retrieval of a finished run's model on a split, with and without re-ranking. It changes nothing
// in the store.
func (g *Grid) Evaluate(ctx context.Context, r run.Run, split string) (map[string]float64, error) {
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		return nil, err
	}
	defer backend.Finalize()
	executor := run.Executor{Store: g.Store, Backend: backend, Engine: choice.Name}
	return executor.Evaluate(ctx, r, split)
}
