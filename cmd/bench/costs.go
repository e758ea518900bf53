package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Cost is how one thing grows with another.
type Cost struct {
	What    string  // such as "GRIT-VLP's sampler, a mini-batch"
	Against string  // such as "search space, pairs"
	Unit    string  // of the values, "s" or "bytes"
	Points  []Point // the smallest first
	// Exponent is that of the power law that fits the points best: the slope of the line through their logarithms by least squares. It is
	// zero where a value is.
	Exponent float64
	// Expected is the largest exponent that is in order, and Why where it comes from.
	Expected float64
	Why      string
}

// Point is one measurement.
type Point struct{ At, Value float64 }

// fitted is a cost with its exponent.
func (c Cost) fitted() Cost {
	var x, y []float64
	for _, p := range c.Points {
		if !(p.At > 0 && p.Value > 0) {
			return c
		}
		x, y = append(x, math.Log(p.At)), append(y, math.Log(p.Value))
	}
	if len(x) > 1 {
		_, c.Exponent = stat.LinearRegression(x, y, nil, false)
	}
	return c
}

// growing measures one value at each size.
func (c Cost) growing(ctx context.Context, sizes []int, value func(size int) (float64, error)) (Cost, error) {
	for _, size := range sizes {
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
		v, err := value(size)
		if err != nil {
			return c, fmt.Errorf("%s at %d: %w", c.What, size, err)
		}
		c.Points = append(c.Points, Point{float64(size), v})
	}
	return c.fitted(), nil
}

// Sizes that costs are measured at.
var (
	spaces = []int{512, 1024, 2048, 4096} // of search spaces, in pairs
	sizes  = []int{1 << 12, 1 << 14, 1 << 16, 1 << 18}
	tests  = []int{64, 128, 256, 512} // images
)

// costs measures how what a case is made of grows with its sizes.
func (b *bench) costs(ctx context.Context, c Case) error {
	for _, measure := range []func(context.Context, Case) ([]Cost, error){b.samplerCosts, b.stateCosts, b.stepCosts, b.loaderCosts,
		b.evaluationCosts} {
		costs, err := measure(ctx, c)
		if err != nil {
			return err
		}
		b.result.Costs = append(b.result.Costs, costs...)
	}
	return nil
}

// registered is a method at sizes.
func registered(name string, sizes negative.Sizes) negative.Method {
	all := negative.Methods()
	return all[slices.IndexFunc(all, func(e negative.Entry) bool { return e.Name == name })].At(sizes)
}

// sampled is a method that keeps numbers of each sample.
func sampled(name string) negative.Method {
	return registered(name, negative.Sizes{Global: negative.GlobalSettings{Gamma: 0.9, Alpha: 0.01}})
}

// samplerCosts are time and memory of the grouped samplers against the size of the search space.
func (b *bench) samplerCosts(ctx context.Context, c Case) (all []Cost, err error) {
	const pairs = 8 << 10
	for _, of := range []struct {
		name   string
		memory float64
		why    string
	}{{"GRIT-VLP", 1, "embeddings of a search space"}, {"FALCON", 2, "similarities of a search space"}} {
		b.say("costs: the sampler of " + of.name + " against its search space")
		const against = "search space, pairs"
		time := Cost{What: of.name + "'s sampler, a mini-batch", Against: against, Unit: "s", Expected: 1, Why: "each pair is compared " +
			"with those of its search space"}
		memory := Cost{What: of.name + "'s sampler, memory", Against: against, Unit: "bytes", Expected: of.memory, Why: of.why}
		time, err = time.growing(ctx, spaces, func(space int) (float64, error) {
			train := c.Run.Train
			train.BatchSize = 32 // which divides the sizes
			train.Method.Batches = registered(of.name, negative.Sizes{SearchSpace: space, GroupQueue: space}).Batches
			times, most, err := sampling(ctx, train, pairs, 1)
			memory.Points = append(memory.Points, Point{float64(space), float64(most)})
			return times.Median(), err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, time, memory.fitted())
	}
	return all, nil
}

// stateCosts are what methods keep against the number of training pairs.
func (b *bench) stateCosts(ctx context.Context, c Case) (all []Cost, err error) {
	b.say("costs: what methods keep against the training pairs")
	const against = "training pairs"
	of := c.Run.Train
	kept := Cost{What: "SogCLR's numbers of samples", Against: against, Unit: "bytes", Expected: 1, Why: "some numbers of each pair"}
	kept, err = kept.growing(ctx, sizes, func(pairs int) (float64, error) {
		start := negative.Start{Pairs: pairs, BatchSize: of.BatchSize, Dim: framework.Dim(of.Framework.Framework), Epochs: 1,
			Anchors: framework.Anchors(of.Framework.Framework)}
		return keptBytes(sampled("SogCLR"), start)
	})
	return []Cost{kept}, err
}

// stepCosts are the time of a step and its operations against the mini-batch.
func (b *bench) stepCosts(ctx context.Context, c Case) ([]Cost, error) {
	const against = "mini-batch, pairs"
	name := c.Run.Train.Method.Name + " of " + c.Run.Train.Framework.Name()
	b.say("costs: a step of " + name + " against the mini-batch")
	operations := Cost{What: "a step of " + name + ", operations", Against: against, Unit: "FLOP", Expected: 1,
		Why: "each pair is encoded; ITC alone has pairs of pairs"}
	time := Cost{What: "a step of " + name, Against: against, Unit: "s", Expected: 1, Why: "as its operations"}
	usual := c.Run.Train.BatchSize
	time, err := time.growing(ctx, []int{usual / 2, usual, 2 * usual, 4 * usual}, func(batch int) (float64, error) {
		of := c.Run
		of.Train.BatchSize = batch
		probe, err := b.executor.Probe(ctx, of, engine.Operations)
		if err != nil {
			return 0, err
		}
		defer probe.Close()
		in, err := probe.Load(ctx)
		if err != nil {
			return 0, err
		}
		defer in.Release()
		times, err := inTurns(ctx, b.few(), []contender{&step{probe: probe, part: train.Whole, in: in}})
		if err != nil {
			return 0, err
		}
		count, err := probe.Operations(train.Whole)
		operations.Points = append(operations.Points, Point{float64(batch), count})
		return times[0].Median(), err
	})
	return []Cost{time, operations.fitted()}, err
}

const loaderCost = "the loader, a mini-batch"

// loaderCosts are the time of a mini-batch against the loader's workers.
func (b *bench) loaderCosts(ctx context.Context, c Case) ([]Cost, error) {
	b.say("costs: the loader against the cores")
	probe, err := b.executor.Probe(ctx, c.Run, engine.Operations)
	if err != nil {
		return nil, err
	}
	defer probe.Close()
	var workers []int
	for n := 1; n <= runtime.GOMAXPROCS(0); n *= 2 {
		workers = append(workers, n)
	}
	cost := Cost{What: loaderCost, Against: "cores", Unit: "s", Expected: -1,
		Why: "images are independent; above -1 where cores are shared"}
	cost, err = cost.growing(ctx, workers, func(n int) (float64, error) {
		times, err := b.loading(ctx, c, probe, n)
		return times.Median(), err
	})
	return []Cost{cost}, err
}

// evaluationCosts are the time of retrieval against the test images, of generated scenes.
func (b *bench) evaluationCosts(ctx context.Context, c Case) ([]Cost, error) {
	if _, embeds := c.Run.Train.Framework.Framework.(framework.Embeds); !embeds || c.Run.Data.Scenes == nil {
		b.leave("retrieval against the test images, which generated scenes have, and frameworks that embed both images and captions")
		return nil, nil
	}
	b.say("costs: retrieval against the test images")
	const against = "test images"
	var all []Cost
	for _, of := range []struct {
		what     string
		rerank   int
		expected float64
		why      string
	}{
		{"retrieval, 1 candidate re-ranked", 1, 2, "every image with every caption"},
		{"retrieval, 8 candidates re-ranked", 8, 1, "each query has as many; cosines of all pairs besides"},
	} {
		if _, matches := c.Run.Train.Framework.Framework.(framework.Matches); of.rerank > 1 && !matches {
			continue
		}
		cost := Cost{What: of.what, Against: against, Unit: "s", Expected: of.expected, Why: of.why}
		cost, err := cost.growing(ctx, tests, func(images int) (float64, error) {
			scenes := *c.Run.Data.Scenes
			scenes.Test = images
			data, err := run.ScenesData(scenes)
			if err != nil {
				return 0, err
			}
			with := c.Run
			with.Data = data
			probe, err := b.executor.Probe(ctx, with, engine.Operations)
			if err != nil {
				return 0, err
			}
			defer probe.Close()
			times, err := repeated(ctx, b.few(), func() error { return probe.Evaluate(ctx, eval.UsualTask(of.rerank)) })
			return times.Median(), err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, cost)
	}
	return all, nil
}
