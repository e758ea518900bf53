package train

import (
	"context"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/random"
)

// miniBatch is a mini-batch with the pool that its method retrieves negatives from, which is empty where it retrieves none.
type miniBatch struct {
	loader.Batch
	pool   loader.Batch
	at     moment
	drafts *drafts             // of its captions; nil before they are made
	images <-chan field.Values // its images on the engine, once; nil where they are not sent ahead
}

// moment is a step's place in training.
type moment struct{ epoch, step, steps int }

// request asks for a mini-batch of a step with its pool.
func (t *trainer) request(batch []int, step int) loader.Request {
	pool := t.pool(moment{t.Epoch, step, t.steps})
	return loader.Request{Pairs: slices.Concat(batch, pool), Pool: len(pool), Epoch: t.Epoch, Step: step}
}

// pool draws the pairs of a step's pool, uniformly from the training set; none where the framework reads no pool.
func (i *input) pool(at moment) []int {
	if !slices.ContainsFunc(i.reads, func(f field.Field) bool { return f.Name == field.PoolCaptions }) {
		return nil
	}
	pairs := make([]int, i.job.Config.Method.Pool())
	r := random.Stream(i.job.Config.Seed, "pool", at.epoch, at.step)
	for k := range pairs {
		pairs[k] = r.IntN(len(i.pairs))
	}
	return pairs
}

// next is the mini-batch of the current step. Where the engine's memory is apart from the host's, the images of the one after it go there
// while the step runs: they are nearly all that a step reads. Of several devices each gets its part when the step begins,
// and so does each chunk.
func (t *trainer) next(ctx context.Context) (*miniBatch, error) {
	now := t.coming
	t.coming = nil
	if now == nil {
		var err error
		if now, err = t.arrive(ctx, t.Step); err != nil {
			return nil, err
		}
	}
	if len(t.ahead) > 1 && t.job.sends() {
		coming, err := t.arrive(ctx, t.Step+1)
		if err != nil {
			t.coming = now // and is released
			return nil, err
		}
		t.coming = coming
		coming.images = t.send(coming)
	}
	return now, nil
}

// sends reports whether images go to the engine before their step begins.
func (j Job) sends() bool {
	return !j.Backend.HasSharedBuffers() && j.Config.Devices < 2 && j.Config.Chunk == 0
}

// arrive waits for the loader, which has the mini-batch of a step next.
func (t *trainer) arrive(ctx context.Context, step int) (*miniBatch, error) {
	loaded, err := t.loader.Next(ctx)
	if err != nil {
		return nil, err
	}
	return t.apart(loaded, step), nil
}

// apart takes the pool of what was loaded for a step apart from the mini-batch.
func (t *trainer) apart(loaded loader.Batch, step int) *miniBatch {
	b := &miniBatch{Batch: loaded, at: moment{t.Epoch, step, t.steps}}
	pairs, all := t.job.Config.BatchSize, len(loaded.Pairs)
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

// send brings the images of a mini-batch to the engine, beside all else.
func (i *input) send(b *miniBatch) <-chan field.Values {
	sent := make(chan field.Values, 1)
	go func() {
		images := field.Values{}
		for _, f := range i.reads {
			if !f.Name.OfImages() {
				continue
			}
			x := tensors.FromFlatDataAndDimensions(reals[f.Name](i, b), f.Shape.Dimensions...)
			_ = x.MaterializeOnDevice(i.job.Backend, false, 0) // the step tries again, and says why it cannot
			images[f.Name] = x
		}
		sent <- images
	}()
	return sent
}

// release frees the images that were sent ahead; there may be no mini-batch.
func (b *miniBatch) release() {
	if b != nil && b.images != nil {
		(<-b.images).Release()
	}
}
