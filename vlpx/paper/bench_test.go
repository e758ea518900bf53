package paper

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// BenchmarkStep is a training step of the mini preset, on random input, on the engine that vlpx would choose. The compilation
// of the step is not counted.
func BenchmarkStep(b *testing.B) {
	const vocab = 37 // of the captions of mini
	backend, scale := usual(b)
	for _, name := range []string{"InfoNCE", "GRIT-VLP", "ALBEF"} {
		m := plan.MethodRow(name).Method(scale)
		b.Run(m.Name, func(b *testing.B) {
			c := scale.Runs(run.Data{}, run.Vocabulary{}, vocab, m, []uint64{1})[0].Train
			store := model.NewStore()
			defer store.Finalize()
			start := negative.Start{Pairs: 10_000, BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: 1,
				Seed: c.Seed}
			must.Do(b, framework.Initialise(c.Framework.Framework, c.Use(), backend, store, start))
			step := train.NewStep(backend, store, c)
			defer step.Close()
			one, in := func(in field.Values) {
				out := must.Get(step.Run(in, 0))(b)
				out.Release()
			}, randomInput(b, c)
			one(in)
			for b.Loop() {
				fresh := copied(b, in) // as a mini-batch comes from the host
				one(fresh)
				fresh.Release()
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each)/float64(time.Millisecond), "ms/step")
			b.ReportMetric(float64(c.BatchSize)/each.Seconds(), "pairs/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// usual is the engine that vlpx would choose, and the mini preset for scenes.
func usual(b *testing.B) (compute.Backend, scale.Scale) {
	choice, _ := engine.Choose(engine.Cache())
	backend := must.Get(engine.Open(choice))(b)
	b.Cleanup(backend.Finalize)
	scale := must.Get(scale.Preset("mini", false))(b)
	return backend, scale
}

// inShort makes a benchmark of seconds out of one of minutes where -short asks for it, to see that it still runs: its training set is
// then of eight mini-batches, and its numbers mean nothing.
func inShort(s scale.Scale) scale.Scale {
	if testing.Short() {
		s.Scenes.Train, s.SearchSpace, s.GroupQueue = 8*s.BatchSize, 2*s.BatchSize, 4*s.BatchSize
	}
	return s
}

// randomInput is a mini-batch of noise and of captions that fill their tokens, for a model that reads ALBEF's fields.
func randomInput(b *testing.B, c train.Config) field.Values {
	r := rand.New(rand.NewPCG(1, 2))
	const vocab = 37
	captions := make([]int32, c.BatchSize*c.MaxLen)
	for i := range captions {
		captions[i] = 5 + r.Int32N(vocab-5) // above the special tokens
	}
	masked, words := objective.MaskTokens(captions, objective.DrawMask(r, len(captions), c.Method.Masking, vocab),
		objective.Special{Pad: 0, CLS: 2, Mask: 4})
	ids := map[field.Name][]int32{field.Captions: captions, field.Masked: masked, field.Words: words}
	in := field.Values{}
	for _, f := range c.Inputs() {
		if of, ok := ids[f.Name]; ok {
			in[f.Name] = tensors.FromFlatDataAndDimensions(of, f.Shape.Dimensions...)
			continue
		}
		if f.Shape.DType.IsInt() {
			in[f.Name] = wholes(r, f)
			continue
		}
		numbers := make([]float32, f.Shape.Size())
		for i := range numbers {
			switch f.Name {
			case field.Image, field.View, field.PoolImages:
				numbers[i] = float32(r.NormFloat64())
			case field.Noise:
				numbers[i] = float32(-math.Log(r.ExpFloat64()))
			case field.Rate:
				numbers[i] = float32(c.Schedule.Rate)
			case field.Refills:
				numbers[i] = r.Float32()
			case field.Progress:
			default:
				b.Fatalf("no noise for %s", f.Name)
			}
		}
		in[f.Name] = tensors.FromFlatDataAndDimensions(numbers, f.Shape.Dimensions...)
	}
	return in
}

// wholes are ids above the special tokens, of words of which every seventh is masked, and numbers of pairs and images.
func wholes(r *rand.Rand, f field.Field) *tensors.Tensor {
	ids := make([]int32, f.Shape.Size())
	for i := range ids {
		switch f.Name {
		case field.Index:
		case field.DraftWords:
			if ids[i] = objective.Ignored; i%7 == 3 {
				ids[i] = 5 + r.Int32N(30)
			}
		default:
			ids[i] = 5 + r.Int32N(30)
		}
	}
	return tensors.FromFlatDataAndDimensions(ids, f.Shape.Dimensions...)
}

// copied are the same numbers in tensors that no engine has.
func copied(b *testing.B, in field.Values) field.Values {
	out := field.Values{}
	for name, x := range in {
		out[name] = must.Get(x.LocalClone())(b)
	}
	return out
}
