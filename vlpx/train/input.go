package train

import (
	"math"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// input completes a mini-batch with the step's own draws: masks and matching noise.
func (t *trainer) input(b loader.Batch) Input {
	c := t.job.Config
	k := t.job.Tokenizer
	special := objective.Special{Pad: k.PAD(), CLS: k.CLS(), Mask: k.MASK()}
	draws := objective.DrawMask(random.Stream(c.Seed, "mask", t.Epoch, t.Step), len(b.IDs), c.Method.Masking, k.Size())
	masked, labels := objective.MaskTokens(b.IDs, draws, special)
	noise := make([]float32, 2*c.BatchSize*c.BatchSize)
	r := random.Stream(c.Seed, "matching", t.Epoch, t.Step)
	for i := range noise {
		noise[i] = float32(-math.Log(r.ExpFloat64()))
	}
	in := Input{
		Pixels: b.Pixels, IDs: b.IDs, Masked: masked, Labels: labels, Noise: noise,
		Progress: float64(t.Epoch) + float64(t.Step)/float64(t.steps),
		Rate:     c.Schedule.At(t.Epoch, t.Step),
		Room:     t.room(),
		Soft:     t.Epoch == c.Epochs-1,
	}
	needs := framework.NeedsOf(c.Method, c.objectives())
	if needs.Items {
		for _, p := range b.Pairs {
			in.Items = append(in.Items, int32(t.pairs[p].Image))
		}
	}
	if needs.Truth {
		in.Truth = t.truth(b.Pairs)
	}
	if needs.Fresh {
		r := random.Stream(c.Seed, "mask of new positives", t.Epoch, t.Step)
		in.Fresh = objective.DrawMask(r, 2*len(b.IDs), c.Method.Masking, k.Size()).Codes(special)
	}
	return in
}

// truth tells which captions of a mini-batch are true of which images, 1 or 0, [batch, batch] with images in rows; a pair that
// the relation does not know counts as 0.
func (t *trainer) truth(batch []int) []float32 {
	truth := make([]float32, 0, len(batch)*len(batch))
	for _, image := range batch {
		for _, text := range batch {
			var holds float32
			if is, known := t.relation.Holds(t.pairs[image].Image, text); is && known {
				holds = 1
			}
			truth = append(truth, holds)
		}
	}
	return truth
}
