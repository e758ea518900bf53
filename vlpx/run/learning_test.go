package run

import (
	"math"
	"testing"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// learned trains InfoNCE for 250 steps on 600 scenes of two captions, of which a share are another scene's, and measures it on 100
// scenes whose captions are their own.
func learned(t *testing.T, backend compute.Backend, shuffled float64, seed uint64) Result {
	t.Helper()
	r, vocab := onScenes(t, scenes.Config{Train: 600, Val: 16, Test: 100, Captions: 2, Size: 16, Density: "half", Noise: -1,
		CaptionNoise: shuffled}, 8)
	r.Train = train.Config{
		Framework: framework.Choice{Framework: albef.Model{
			Vision: encoder.ViT{Image: 16, Patch: 8, Width: 48, Layers: 1, Heads: 2, MLP: 96},
			Text:   encoder.BERT{Vocab: vocab, Positions: 16, Width: 48, Heads: 2, MLP: 96, Layers: 1, Fusion: 1},
			Embed:  48, MeanPool: true,
		}},
		Method: negative.Plain(), BatchSize: 24, Epochs: 5, MaxLen: 14,
		Transform: transform.Pipeline{Size: 16},
		Optimiser: train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1},
		Schedule:  train.Schedule{Warmup: 1e-4, Rate: 2e-3, Min: 1e-4, Units: 5, Unit: 2, Epochs: 5},
		Seed:      seed,
	}
	e := &Executor{Store: OpenStore(t.TempDir()), Backend: backend, Engine: "onnx:cpu"}
	result := must.Get(e.Run(t.Context(), r))(t)
	return result
}

// Training learns which caption belongs to which image, and learns nothing of the kind where the captions are shuffled among the
// images: then ITC stays that of a guess among the mini-batch, and recall that of chance.
//
// Measured with the seeds 1, 2 and 3: with their own captions ITC ends at 1.59 to 1.61 and recall at 10 is 63 to 73 per cent, shuffled
// 3.17 to 3.18 and 4 to 12. A guess costs ln 24 = 3.18, and finds one of a hundred images among ten in 10 per cent.
func TestItLearns(t *testing.T) {
	backend := enginetest.Open(t, "onnx:cpu")
	metrics := []eval.Metric{eval.TR10, eval.IR10}
	guess := math.Log(24)
	for name, c := range map[string]struct {
		shuffled           float64
		leastITC, mostITC  float64 // of the last epoch
		leastR10, mostR10  float64 // by the cosine, per cent
		mostMLM, leastFall float64 // MLM of the last epoch; of ITC over the epochs
	}{
		"own captions":      {0, 0, 2.2, 40, 100, 2, 0.8},
		"shuffled captions": {1, guess - 0.1, guess + 0.1, 0, 25, 2, -0.1},
	} {
		t.Run(name, func(t *testing.T) {
			result := learned(t, backend, c.shuffled, 1)
			first, last := result.Epochs[0], result.Epochs[len(result.Epochs)-1]
			t.Logf("ITC %.2f to %.2f, MLM %.2f to %.2f, recall at 10 of texts %.1f and of images %.1f", first.Losses[negative.ITC],
				last.Losses[negative.ITC], first.Losses[negative.MLM], last.Losses[negative.MLM],
				result.Metrics[eval.CosinePrefix+string(eval.TR10)], result.Metrics[eval.CosinePrefix+string(eval.IR10)])
			if last.Losses[negative.ITC] < c.leastITC || last.Losses[negative.ITC] > c.mostITC || first.Losses[negative.ITC]-
				last.Losses[negative.ITC] < c.leastFall {
				t.Errorf("ITC goes from %.3f to %.3f, want it between %.3f and %.3f at the end, %.1f lower than at first",
					first.Losses[negative.ITC], last.Losses[negative.ITC],
					c.leastITC, c.mostITC, c.leastFall)
			}
			if last.Losses[negative.MLM] > c.mostMLM || last.Losses[negative.MLM] >= first.Losses[negative.MLM] {
				t.Errorf("MLM goes from %.3f to %.3f, want at most %.1f: words can be told from words either way",
					first.Losses[negative.MLM], last.Losses[negative.MLM], c.mostMLM)
			}
			for _, m := range metrics {
				if got := result.Metrics[eval.CosinePrefix+string(m)]; got < c.leastR10 || got > c.mostR10 {
					t.Errorf("%s by the cosine: got %.1f, want %.0f to %.0f; chance is 10", m, got, c.leastR10, c.mostR10)
				}
			}
		})
	}
}
