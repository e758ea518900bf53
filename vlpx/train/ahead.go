package train

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/vlpx/field"
)

// next is the mini-batch of the current step. Where the engine's memory is apart from the host's, the images of the one after it go there while the
// step runs: they are nearly all that a step reads. Of several devices each gets its part when the step begins.
func (t *trainer) next(ctx context.Context) (miniBatch, error) {
	now := t.coming
	t.coming = nil
	if now == nil {
		var err error
		if now, err = t.arrive(ctx); err != nil {
			return miniBatch{}, err
		}
	}
	if len(t.ahead) > 1 && t.job.sends() {
		coming, err := t.arrive(ctx)
		if err != nil {
			t.coming = now // and is released
			return miniBatch{}, err
		}
		t.coming = coming
		coming.images = t.send(*coming)
	}
	return *now, nil
}

// sends tells whether images go to the engine before their step begins.
func (j Job) sends() bool { return !j.Backend.HasSharedBuffers() && j.Config.Devices < 2 }

// arrive waits for the loader.
func (t *trainer) arrive(ctx context.Context) (*miniBatch, error) {
	loaded, err := t.loader.Next(ctx)
	if err != nil {
		return nil, err
	}
	b := apart(loaded, t.job.Config.BatchSize)
	return &b, nil
}

// send brings the images of a mini-batch to the engine, beside all else.
func (t *trainer) send(b miniBatch) <-chan field.Values {
	sent := make(chan field.Values, 1)
	go func() {
		images := field.Values{}
		for _, f := range t.step.inputs {
			if !f.Name.OfImages() {
				continue
			}
			x := tensors.FromFlatDataAndDimensions(reals[f.Name](t, b), f.Shape.Dimensions...)
			_ = x.MaterializeOnDevice(t.job.Backend, false, 0) // the step tries again, and tells why it cannot
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
