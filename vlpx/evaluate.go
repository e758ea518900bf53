package vlpx

import (
	"context"

	"github.com/gomlx/compute"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
)

// Evaluate measures zero-shot retrieval of a finished run's model on a split, with and without re-ranking. It changes nothing
// in the store.
func (g *Grid) Evaluate(ctx context.Context, r run.Run, split string) (metrics map[string]float64, err error) {
	err = onEngine(func(backend compute.Backend, name string) error {
		executor := run.Executor{Store: g.Store, Backend: backend, Engine: name}
		metrics, err = executor.Evaluate(ctx, r, split)
		return err
	})
	return metrics, err
}

// onEngine calls do with the engine that is there.
func onEngine(do func(backend compute.Backend, name string) error) error {
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		return err
	}
	defer backend.Finalize()
	return do(backend, choice.Name)
}
