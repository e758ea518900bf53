package train

import (
	"context"
	"fmt"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/negative"
)

// looks reports whether the sampler has an epoch before training, in which it sees the embeddings of the model that the run starts from.
func (c Config) looks() bool { return c.Look && negative.ByEmbeddings(c.Method.Batches) }

// samplerEpoch is the sampler's of an epoch of training.
func (c Config) samplerEpoch(epoch int) int {
	if c.looks() {
		return epoch + 1
	}
	return epoch
}

// look takes the sampler through its first epoch, which is uniform, by the model that the run starts from. Nothing is trained. A run that
// is stopped meanwhile looks again.
func (t *trainer) look(ctx context.Context) error {
	if !t.job.Config.looks() || len(t.Sampler) > 0 {
		return nil
	}
	steps, err := t.sampler.Epoch(0)
	if err != nil {
		return err
	}
	for step := range steps {
		pairs, err := t.sampler.Next()
		if err != nil {
			return err
		}
		if err := t.loader.Submit(loader.Request{Pairs: pairs, Step: step}); err != nil {
			return err
		}
		batch, err := t.loader.Next(ctx)
		if err != nil {
			return err
		}
		image, text, err := t.embed(batch)
		if err != nil {
			return fmt.Errorf("train: %s: before the first step: %w", t.job.Config.Method.Name, err)
		}
		clearReplaced(pairs, batch.Pairs, image, text)
		if err := t.sampler.Observe(negative.Observation{Pairs: pairs, Image: image, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// embed gives the embeddings of a mini-batch, [batch, dim] each; of an image with several vectors the one nearest to its caption.
func (t *trainer) embed(b loader.Batch) (image, text []float32, err error) {
	inference, err := t.model.Inference()
	if err != nil {
		return nil, nil, err
	}
	images, err := inference.Images(b.Pixels)
	if err != nil {
		return nil, nil, err
	}
	texts, err := inference.Texts(b.IDs)
	if err != nil {
		return nil, nil, err
	}
	return nearest(images.Features, texts.Features, len(b.Pairs), inference.Vectors()), texts.Features, nil
}

// nearest is objective.Nearest on the host: of each image's vectors [batch, vectors, dim] the one most similar to its text [batch, dim].
func nearest(images, texts []float32, batch, vectors int) []float32 {
	dim := len(texts) / batch
	chosen := make([]float32, 0, len(texts))
	for k := range batch {
		text, best, highest := texts[k*dim:(k+1)*dim], 0, float32(0)
		for v := range vectors {
			var cosine float32
			for d, x := range images[(k*vectors+v)*dim : (k*vectors+v+1)*dim] {
				cosine += x * text[d]
			}
			if v == 0 || cosine > highest {
				best, highest = v, cosine
			}
		}
		chosen = append(chosen, images[(k*vectors+best)*dim:(k*vectors+best+1)*dim]...)
	}
	return chosen
}
