package eval_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
)

// sortedQuantile is numpy's definition, by sorting.
func sortedQuantile(x []float64, level float64) float64 {
	x = slices.Sorted(slices.Values(x))
	place := level * float64(len(x)-1)
	low := int(place)
	return x[low] + (place-float64(low))*(x[min(low+1, len(x)-1)]-x[low])
}

func TestQuantileAgainstSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		few := rapid.SampledFrom([]float64{-1, 0, 0, .5, 1})
		x := rapid.SliceOfN(rapid.OneOf(few, rapid.Float64Range(-1, 1)), 1, 80).Draw(rt, "numbers")
		level := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, .5, .99, 1})).Draw(rt, "level")
		want := sortedQuantile(x, level)
		ascending := slices.Sorted(slices.Values(x))
		if got := eval.Quantile(x, level); math.Abs(got-want) > 1e-12 {
			rt.Errorf("got %g, want %g", got, want)
		}
		if slices.Sort(x); !slices.Equal(x, ascending) {
			rt.Errorf("it changed the numbers to %v", x)
		}
	})
}

// TestQuantileGolden has the thresholds that GloFND's own code gives FNC in a mini-batch, each from an anchor's negatives.
func TestQuantileGolden(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "glofnd_fnc_baseline_mask.json")))(t)
	var golden struct {
		Params   struct{ Alpha float64 }
		Inputs   struct{ Sim struct{ Data [][]float64 } }
		Expected struct{ Threshold struct{ Data [][]float64 } }
	}
	must.Do(t, json.Unmarshal(text, &golden))
	if len(golden.Inputs.Sim.Data) != 6 {
		t.Fatalf("%d rows of similarities, want 6", len(golden.Inputs.Sim.Data))
	}
	for i, row := range golden.Inputs.Sim.Data {
		want := golden.Expected.Threshold.Data[i][0]
		if got := eval.Quantile(slices.Delete(slices.Clone(row), i, i+1), 1-golden.Params.Alpha); math.Abs(got-want) > 1e-10 {
			t.Errorf("anchor %d: got %g, want %g", i, got, want)
		}
	}
}

// kept is a state of a method.
func kept(state map[string][]float32) func(string) ([]float32, bool, error) {
	return func(name string) ([]float32, bool, error) {
		values, there := state[name]
		return slices.Clone(values), there, nil
	}
}

// slowThresholds are the errors of learned thresholds and the mean ones of a single random negative, of all anchors against all others.
func slowThresholds(cosine func(anchor, other int) float64, n int, alpha float64, learned []float32) (mae, rmse, singleMAE,
	singleRMSE float64) {
	for i := range n {
		var all []float64
		for j := range n {
			if j != i {
				all = append(all, cosine(i, j))
			}
		}
		exact := sortedQuantile(all, 1-alpha)
		d := float64(learned[i]) - exact
		mae, rmse = mae+math.Abs(d)/float64(n), rmse+d*d/float64(n)
		for _, c := range all {
			singleMAE += math.Abs(c-exact) / float64(n) / float64(n-1)
			singleRMSE += (c - exact) * (c - exact) / float64(n) / float64(n-1)
		}
	}
	return mae, math.Sqrt(rmse), singleMAE, math.Sqrt(singleRMSE)
}

// TestThresholdsOfImages compares with loops over all pairs. In mini-batches of all samples the quantile is the exact one; in such of two
// it is the cosine of one random negative, whose mean error many draws come close to.
func TestThresholdsOfImages(t *testing.T) {
	const n, alpha = 150, .07 // more anchors than are looked at at once
	p := clusters("train", n, 5, .4, 3)
	learned := make([]float32, n)
	for i := range learned {
		learned[i] = float32(math.Sin(float64(i)))
	}
	length := func(x [3]float32) float64 {
		return math.Sqrt(float64(x[0])*float64(x[0]) + float64(x[1])*float64(x[1]) + float64(x[2])*float64(x[2]))
	}
	cosine := func(i, j int) float64 {
		a, b := p.at[i], p.at[j]
		return (float64(a[0])*float64(b[0]) + float64(a[1])*float64(b[1]) + float64(a[2])*float64(b[2])) / length(a) / length(b)
	}
	mae, rmse, singleMAE, singleRMSE := slowThresholds(cosine, n, alpha, learned)
	on := by(t, clusters("test", 4, 2, .1, 1), p)
	on.State = kept(map[string][]float32{negative.ThresholdPath(negative.ImageAnchors): learned})
	for _, c := range []struct {
		task      eval.Thresholds
		mae, rmse float64 // in batch
		within    float64
	}{
		{eval.Thresholds{Alpha: alpha, Batch: n, Batches: 2}, 0, 0, 1e-6},
		{eval.Thresholds{Alpha: alpha, Batch: 9999, Batches: 1}, 0, 0, 1e-6},
		{eval.Thresholds{Alpha: alpha, Batch: 2, Batches: 400}, singleMAE, singleRMSE, .01},
	} {
		got := must.Get(c.task.Measure(t.Context(), on))(t)
		for metric, want := range map[eval.Metric][2]float64{
			"image threshold MAE": {mae, 1e-6}, "image threshold RMSE": {rmse, 1e-6}, "image in-batch MAE": {c.mae, c.within},
			"image in-batch RMSE": {c.rmse, c.within},
		} {
			if have, there := got.Metrics[metric]; !there || math.Abs(have-want[0]) > want[1] {
				t.Errorf("%+v: %s: got %g, want %g", c.task, metric, have, want[0])
			}
		}
		if len(got.Metrics) != 4 || len(eval.ThresholdHistograms.Of(got.Examples)) != 1 {
			t.Fatalf("got %v and %d histograms, want four metrics and one", got.Metrics, len(eval.ThresholdHistograms.Of(got.Examples)))
		}
		bins := eval.ThresholdHistograms.Of(got.Examples)[0]
		for name, of := range map[string]struct {
			bins []int
			n    int
		}{"learned": {bins.Learned, n}, "exact": {bins.Exact, n}, "in batch": {bins.InBatch, n * c.task.Batches}} {
			sum := 0
			for _, k := range of.bins {
				sum += k
			}
			if sum != of.n || len(of.bins) != 50 {
				t.Errorf("%s: %d in %d bins, want %d in 50", name, sum, len(of.bins), of.n)
			}
		}
		if bins.Low > float64(slices.Min(learned)) || bins.High < float64(slices.Max(learned)) || bins.Anchors != "image" {
			t.Errorf("the histograms of %s go from %g to %g", bins.Anchors, bins.Low, bins.High)
		}
		again := must.Get(c.task.Measure(t.Context(), on))(t)
		same(t, again.Metrics, got.Metrics)
	}
}

// TestThresholdsOfPairs: with captions, an image is an anchor among the other pairs' captions and a caption among their images, by
// embeddings made one by one.
func TestThresholdsOfPairs(t *testing.T) {
	b := newBench(t)
	b.encodeSlowly(t)
	const alpha = .1
	images, n := b.Set.Len(), len(b.owner)
	left := map[string][]float32{}
	for _, anchors := range []string{negative.ImageAnchors, negative.TextAnchors} {
		for i := range n {
			left[negative.ThresholdPath(anchors)] = append(left[negative.ThresholdPath(anchors)], float32(i%7)/7)
		}
	}
	on := b.Subject
	on.Training, on.State = func(context.Context) (eval.Subject, error) { return b.Subject, nil }, kept(left)
	got := must.Get(eval.Thresholds{Alpha: alpha, Batches: 1}.Measure(t.Context(), on))(t)
	cosine := func(image, caption int) float64 {
		var dot float64
		for d, x := range b.features[b.owner[image]].Features {
			dot += float64(x) * float64(b.features[images+caption].Features[d])
		}
		return dot
	}
	for anchors, of := range map[string]func(i, j int) float64{
		"image": cosine, "text": func(i, j int) float64 { return cosine(j, i) },
	} {
		mae, rmse, _, _ := slowThresholds(of, n, alpha, left[negative.ThresholdPath(anchors)])
		learnedMAE, learnedRMSE, batchMAE, _ := eval.ThresholdMetrics(anchors)
		if math.Abs(got.Metrics[learnedMAE]-mae) > 1e-5 || math.Abs(got.Metrics[learnedRMSE]-rmse) > 1e-5 || got.Metrics[batchMAE] == 0 {
			t.Errorf("%s: got %v, want MAE %g and RMSE %g", anchors, got.Metrics, mae, rmse)
		}
	}
	if len(got.Metrics) != 8 || len(eval.ThresholdHistograms.Of(got.Examples)) != 2 {
		t.Errorf("got %v and %d histograms", got.Metrics, len(eval.ThresholdHistograms.Of(got.Examples)))
	}
}

// TestThresholdsLearned: of a method that learns none the in-batch ones are measured alone; one threshold for all is every anchor's.
func TestThresholdsLearned(t *testing.T) {
	p := clusters("train", 20, 2, .4, 3)
	on := by(t, p, p)
	got, err := eval.Thresholds{}.Measure(t.Context(), on)
	if err != nil || len(got.Metrics) != 2 || eval.ThresholdHistograms.Of(got.Examples)[0].Learned != nil {
		t.Errorf("none: got %v (%v)", got, err)
	}
	alike := make([]float32, 20)
	for i := range alike {
		alike[i] = .25
	}
	var results []eval.Result
	for _, learned := range [][]float32{alike, alike[:1]} {
		on.State = kept(map[string][]float32{negative.ThresholdPath(negative.ImageAnchors): learned})
		got, err := eval.Thresholds{}.Measure(t.Context(), on)
		if err != nil || len(got.Metrics) != 4 {
			t.Fatalf("got %v (%v)", got.Metrics, err)
		}
		results = append(results, got.Metrics)
	}
	same(t, results[1], results[0])
	on.Brief = true
	if got, err := (eval.Thresholds{}).Measure(t.Context(), on); err != nil || len(got.Metrics) > 0 {
		t.Errorf("in brief: got %v (%v), want nothing", got.Metrics, err)
	}
}

// TestSampled: of few samples all are anchors and others, of more so many different ones.
func TestSampled(t *testing.T) {
	anchors, others := eval.Sampled(eval.Thresholds{}, 30, 30, 50)
	if !slices.Equal(anchors, upTo(30)) || !slices.Equal(others, upTo(30)) {
		t.Errorf("30: got %v and %v, want all", anchors, others)
	}
	for n, want := range map[int]int{40: 40, 90: 50} {
		anchors, others := eval.Sampled(eval.Thresholds{}, n, 30, 50)
		if len(anchors) != 30 || len(others) != want {
			t.Errorf("%d: got %d anchors and %d others, want 30 and %d", n, len(anchors), len(others), want)
		}
		for _, of := range [][]int{anchors, others} {
			if of = slices.Sorted(slices.Values(of)); len(slices.Compact(slices.Clone(of))) != len(of) || of[len(of)-1] >= n {
				t.Errorf("%d: got %v, which are not so many samples", n, of)
			}
		}
	}
}

func TestThresholdsErrors(t *testing.T) {
	p := clusters("train", 20, 2, .4, 3)
	for want, c := range map[string]struct {
		task     eval.Thresholds
		training points
		left     int
	}{
		"at alpha = 1;":                      {eval.Thresholds{Alpha: 1}, p, 0},
		"at alpha = -0.1;":                   {eval.Thresholds{Alpha: -.1}, p, 0},
		"of 0 mini-batches of 1;":            {eval.Thresholds{Batch: 1}, p, 0},
		"keeps 19 thresholds of images; the": {eval.Thresholds{}, p, 19},
		"among 1 samples of few; an": {eval.Thresholds{},
			spoiled(func(p *points) { p.at, p.class = p.at[:1], p.class[:1] }), 0},
		"the embedding of image 2 of few has NaN; t": {eval.Thresholds{}, spoiled(func(p *points) { p.at[2][0] = float32(math.NaN()) }), 0},
	} {
		on := by(t, p, c.training)
		if c.left > 0 {
			on.State = kept(map[string][]float32{negative.ThresholdPath(negative.ImageAnchors): make([]float32, c.left)})
		}
		must.Fail(t, must.Err(c.task.Measure(t.Context(), on)), want)
	}
	alone := by(t, p, p)
	alone.Training = nil
	must.Fail(t, must.Err((eval.Thresholds{}).Measure(t.Context(), alone)), "which it is not given", "without a training split")
	must.Fail(t, (eval.Thresholds{}).Check(silent{reading{}}, p), "which Reading does not make", "no embeddings")
	b := newBench(t)
	captionless := b.Subject
	captionless.Set, captionless.Features = p, loader.Features(nil)
	b.Training = func(context.Context) (eval.Subject, error) { return captionless, nil }
	must.Fail(t, must.Err((eval.Thresholds{}).Measure(t.Context(), b.Subject)), "needs a caption of each image", "pairs without captions")
}

// BenchmarkThresholds is 10,000 images against each other, with the embedding of three numbers.
func BenchmarkThresholds(b *testing.B) {
	set := clusters("train", 10_000, 8, .4, 3)
	for b.Loop() {
		must.Get((eval.Thresholds{}).Measure(b.Context(), by(b, set, set)))(b)
	}
}
