package run

import (
	"context"
	"fmt"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// lockedBytes is Run.LockedBytes where it is 0.
const lockedBytes = 10e9

// tokens are what the run's locked encoder makes of the part of a split that is used, and how to close them; nil where the run has none.
func (e *Executor) tokens(ctx context.Context, r Run, c datasets.Collection, split string) (tokens loader.Features, close func(),
	err error) {
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
	by := *r.Locked
	if by.Run != "" {
		by.Read = func(scope string) (weights.Values, error) { return e.vision(by.Run, scope) }
	}
	cache, err := store.Open(ctx, by, set, c.Hash(), split)
	if err != nil {
		return nil, nil, fmt.Errorf("run: the locked image encoder, %s: %w", by.Name(), err)
	}
	return cache, func() { cache.Close() }, nil
}

// vision are the weights of the image encoder of a finished run, below a scope.
func (e *Executor) vision(id, scope string) (weights.Values, error) {
	kept, err := e.Store.Kept(id)
	if err != nil {
		return nil, err
	}
	if !kept.Done {
		return nil, fmt.Errorf("run: %s, whose image encoder is locked, is not trained yet; train it first", id)
	}
	tokenizer, err := e.Store.Tokenizer(kept)
	if err != nil {
		return nil, err
	}
	model, err := train.LoadTrained(e.Backend, kept.Run.Train, tokenizer, kept.Dir)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	all, err := model.Weights()
	if err != nil {
		return nil, err
	}
	values := weights.Values{}
	for path, value := range all {
		below, is := strings.CutPrefix(path, framework.Model+"/vision")
		if !is {
			continue
		}
		if values[scope+below], err = value.LocalClone(); err != nil {
			return nil, err
		}
	}
	return values, nil
}
