package train

import (
	"slices"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/random"
)

// miniBatch is a mini-batch with the pool that its method retrieves negatives from, which is empty where it retrieves none.
type miniBatch struct {
	loader.Batch
	pool   loader.Batch
	images <-chan field.Values // its images on the engine, once; nil where they are not sent ahead
}

// request asks for a mini-batch of a step with its pool.
func (t *trainer) request(batch []int, step int) loader.Request {
	pool := t.pool(step)
	return loader.Request{Pairs: slices.Concat(batch, pool), Pool: len(pool), Epoch: t.Epoch, Step: step}
}

// pool draws the pairs of a step's pool, uniformly from the training set; none where the framework reads no pool.
func (t *trainer) pool(step int) []int {
	if !slices.ContainsFunc(t.step.inputs, func(f field.Field) bool { return f.Name == field.PoolCaptions }) {
		return nil
	}
	pairs := make([]int, t.job.Config.Method.Pool())
	r := random.Stream(t.job.Config.Seed, "pool", t.Epoch, step)
	for k := range pairs {
		pairs[k] = r.IntN(len(t.pairs))
	}
	return pairs
}

// apart takes the pool of what was loaded for a step apart from the mini-batch, which has so many pairs.
func apart(loaded loader.Batch, pairs int) miniBatch {
	b := miniBatch{Batch: loaded}
	all := len(loaded.Pairs)
	b.Pairs, b.pool.Pairs = loaded.Pairs[:pairs:pairs], loaded.Pairs[pairs:]
	cut := len(loaded.Pixels) / all * pairs
	b.Pixels, b.pool.Pixels = loaded.Pixels[:cut:cut], loaded.Pixels[cut:]
	cut = len(loaded.Other) / all * pairs
	b.Other = loaded.Other[:cut:cut]
	cut = len(loaded.View) / all * pairs
	b.View = loaded.View[:cut:cut]
	cut = len(loaded.IDs) / all * pairs
	b.IDs, b.pool.IDs = loaded.IDs[:cut:cut], loaded.IDs[cut:]
	return b
}
