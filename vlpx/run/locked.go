package run

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/locked"
)

// lockedBytes is Run.LockedBytes where it is 0.
const lockedBytes = 10e9

// tokens are what the run's locked encoder makes of the part of a split that is used, and how to close them; nil where the run has none.
func (e *Executor) tokens(ctx context.Context, r Run, c datasets.Collection, split string) (tokens loader.Features, close func(), err error) {
	if r.Locked == nil {
		return nil, func() {}, nil
	}
	set, err := r.Data.split(c, split)
	if err != nil {
		return nil, nil, err
	}
	store := locked.Store{Dir: e.Store.LockedDir(), Backend: e.Backend, Bytes: r.LockedBytes, Say: e.Say}
	if store.Bytes == 0 {
		store.Bytes = lockedBytes
	}
	cache, err := store.Open(ctx, *r.Locked, set, c.Hash(), split)
	if err != nil {
		return nil, nil, fmt.Errorf("run: the locked image encoder %s: %w", r.Locked.Weights.Name, err)
	}
	return cache, func() { cache.Close() }, nil
}
