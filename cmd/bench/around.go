package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/generate"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// batches is how many mini-batches the loader is measured by at a time.
const batches = 8

// loader measures what a mini-batch takes the loader with all cores, every image opened anew.
func (b *bench) loader(ctx context.Context, c Case, probe *run.Probe) (Line, error) {
	times, err := b.loading(ctx, c, probe, runtime.GOMAXPROCS(0))
	return newLine("a mini-batch", Loader, times), err
}

// loading measures what a mini-batch takes the loader with so many workers.
func (b *bench) loading(ctx context.Context, c Case, probe *run.Probe, workers int) (Times, error) {
	l := probe.Loader(workers)
	defer l.Close()
	r, step := random.Stream(1, "benchmark", "loader"), 0
	times, err := repeated(ctx, b.few(), func() error {
		for range batches {
			pairs := make([]int, c.Run.Train.BatchSize)
			for k := range pairs {
				pairs[k] = r.IntN(probe.Pairs())
			}
			if err := l.Submit(loader.Request{Pairs: pairs, Step: step}); err != nil {
				return err
			}
			step++
		}
		for range batches {
			if _, err := l.Next(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	for k := range times {
		times[k] /= batches
	}
	return times, err
}

// sampler measures what a mini-batch takes the sampler, by whole epochs behind the first, in which many are uniform.
func (b *bench) sampler(ctx context.Context, c Case, probe *run.Probe) (Line, error) {
	times, _, err := sampling(ctx, c.Run.Train, probe.Pairs(), b.few())
	return newLine("a mini-batch", Sampler, times), err
}

// looks is how often in an epoch a sampler's memory is looked at: each look collects what is dead.
const looks = 16

// sampling runs a sampler for epochs of so many pairs, behind a first that does not count and before a last that is not made, on random
// embeddings in the place of a model's. It returns the seconds of the sampler alone, a mini-batch on average in each epoch, and the most
// live memory that it was seen to add to the process, in bytes.
func sampling(ctx context.Context, of train.Config, pairs, epochs int) (Times, uint64, error) {
	f := of.Framework.Framework
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sampler, err := of.Method.Batches.Start(negative.Start{
		Pairs: pairs, BatchSize: of.BatchSize, Dim: framework.Dim(f), Epochs: epochs + 2, Seed: of.Seed, Anchors: framework.Anchors(f),
	})
	if err != nil {
		return nil, 0, err
	}
	var times Times
	var most uint64
	r := random.Stream(1, "benchmark", "sampler")
	image, text := make([]float32, of.BatchSize*framework.Dim(f)), make([]float32, of.BatchSize*framework.Dim(f))
	for epoch := range epochs + 1 {
		begun := time.Now()
		steps, err := sampler.Epoch(epoch)
		took := time.Since(begun)
		if err != nil {
			return nil, 0, err
		}
		for step := range steps {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			begun := time.Now()
			batch, err := sampler.Next()
			took += time.Since(begun)
			if err != nil {
				return nil, 0, err
			}
			draw(r, image, framework.Dim(f))
			draw(r, text, framework.Dim(f))
			begun = time.Now()
			err = sampler.Observe(negative.Observation{Pairs: batch, Image: image, Text: text, Temperature: 0.07,
				Improvement: r.NormFloat64() / 100})
			took += time.Since(begun)
			if err != nil {
				return nil, 0, err
			}
			if step%max(1, steps/looks) == 0 {
				runtime.GC()
				if runtime.ReadMemStats(&now); now.HeapAlloc > before.HeapAlloc {
					most = max(most, now.HeapAlloc-before.HeapAlloc)
				}
			}
		}
		if epoch > 0 {
			times = append(times, took.Seconds()/float64(max(steps, 1)))
		}
	}
	return times, most, nil
}

// draw fills rows with random unit vectors.
func draw(r *rand.Rand, rows []float32, dim int) {
	for row := range slices.Chunk(rows, dim) {
		square := 0.0
		for i := range row {
			x := r.NormFloat64()
			row[i] = float32(x)
			square += x * x
		}
		for i := range row {
			row[i] /= float32(math.Sqrt(square))
		}
	}
}

// evaluation measures what the run's tasks take on the test split.
func (b *bench) evaluation(ctx context.Context, probe *run.Probe) (Line, error) {
	times, err := repeated(ctx, b.few(), func() error { return probe.Evaluate(ctx) })
	return newLine("the test split", Evaluation, times), err
}

// texts and words are how many texts a model writes at a time, and how long they may be: as many as fill small graphs.
const (
	texts = 8
	words = 10
)

// generation measures what writing texts takes by beam search, where the framework writes.
func (b *bench) generation(ctx context.Context, c Case, probe *run.Probe) (Line, string, error) {
	inference, err := probe.Model().Inference()
	if err != nil {
		return Line{}, "", err
	}
	if !inference.Generates() {
		return Line{}, "generation, since " + c.Run.Train.Framework.Name() + " writes no texts", nil
	}
	in, err := probe.Load(ctx)
	if err != nil {
		return Line{}, "", err
	}
	defer in.Release()
	search, request := generate.Captions(), generate.Request{End: probe.Model().Tokenizer.SEP()}
	search.Max = min(words, c.Run.Train.MaxLen-1)
	search.Min = search.Max
	count := min(texts, c.Run.Train.BatchSize)
	ids, err := in.Ints(field.Captions)
	if err != nil {
		return Line{}, "", err
	}
	for k := range count {
		request.Prompts = append(request.Prompts, ids[k*c.Run.Train.MaxLen:][:1])
	}
	if inference.SeesImages() {
		pixels, err := in.Floats(field.Image)
		if err != nil {
			return Line{}, "", err
		}
		request.Images = pixels[:len(pixels)/c.Run.Train.BatchSize*count]
	}
	times, err := repeated(ctx, b.few(), func() error {
		_, err := generate.Texts(ctx, inference, search, request)
		return err
	})
	for k := range times {
		times[k] /= float64(count)
	}
	return newLine("a text", Generation, times), "", err
}
