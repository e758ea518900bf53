package paper

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// BenchmarkStep is a training step of the mini preset, on random input, on the engine that vlpx would choose. The compilation
// of the step is not counted.
func BenchmarkStep(b *testing.B) {
	const vocab = 37 // of the captions of mini
	backend, scale := usual(b)
	for _, name := range []string{"InfoNCE", "GRIT-VLP", "ALBEF"} {
		m := MethodRow(name).Method(scale)
		b.Run(m.Name, func(b *testing.B) {
			c := scale.Runs(run.Data{}, run.Vocabulary{}, vocab, m, []uint64{1})[0].Train
			store := model.NewStore()
			defer store.Finalize()
			start := negative.Start{Pairs: 10_000, BatchSize: c.BatchSize, Dim: c.Framework.Embed, Epochs: 1, Seed: c.Seed}
			if err := c.Framework.Initialise(backend, store, c.Method, start); err != nil {
				b.Fatal(err)
			}
			step, err := train.NewStep(backend, store, c)
			if err != nil {
				b.Fatal(err)
			}
			defer step.Close()
			in := randomInput(c)
			if _, err := step.Run(in); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := step.Run(in); err != nil {
					b.Fatal(err)
				}
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each)/float64(time.Millisecond), "ms/step")
			b.ReportMetric(float64(c.BatchSize)/each.Seconds(), "pairs/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// usual is the engine that vlpx would choose, and the mini preset for scenes.
func usual(b *testing.B) (compute.Backend, Scale) {
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(backend.Finalize)
	scale, err := Preset("mini", false)
	if err != nil {
		b.Fatal(err)
	}
	return backend, scale
}

// inShort makes a benchmark of seconds out of one of minutes where -short asks for it, to see that it still runs: its training set is
// then of eight mini-batches, and its numbers mean nothing.
func inShort(s Scale) Scale {
	if testing.Short() {
		s.Scenes.Train, s.SearchSpace, s.GroupQueue = 8*s.BatchSize, 2*s.BatchSize, 4*s.BatchSize
	}
	return s
}

// randomInput is a mini-batch of noise and of captions that fill their tokens.
func randomInput(c train.Config) train.Input {
	r := rand.New(rand.NewPCG(1, 2))
	in := train.Input{
		Pixels: make([]float32, c.BatchSize*c.Transform.Size*c.Transform.Size*3),
		Noise:  make([]float32, 2*c.BatchSize*c.BatchSize),
		Rate:   c.Schedule.Rate,
	}
	for i := range in.Pixels {
		in.Pixels[i] = float32(r.NormFloat64())
	}
	for i := range in.Noise {
		in.Noise[i] = float32(-math.Log(r.ExpFloat64()))
	}
	vocab := c.Framework.Text.Vocab
	for range c.BatchSize * c.MaxLen {
		in.IDs = append(in.IDs, 5+r.Int32N(int32(vocab)-5)) // above the special tokens
	}
	in.Masked, in.Labels = objective.MaskTokens(in.IDs, objective.DrawMask(r, len(in.IDs), c.Method.Masking, vocab),
		objective.Special{Pad: 0, CLS: 2, Mask: 4})
	return in
}
