package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/random"
)

// crossEntropy is the mean cross entropy of a linear classifier, one image and class after another.
func crossEntropy(weights []float64, features []float32, class []int, classes int) (loss float64) {
	width := len(features) / len(class)
	for i, own := range class {
		logits, sum := make([]float64, classes), 0.
		for k := range logits {
			logits[k] = weights[width*classes+k]
			for d := range width {
				logits[k] += float64(features[i*width+d]) * weights[d*classes+k]
			}
			sum += math.Exp(logits[k])
		}
		loss += (math.Log(sum) - logits[own]) / float64(len(class))
	}
	return loss
}

// problem is a few labelled representations with weights of a classifier.
func problem(t *rapid.T) (weights []float64, features []float32, class []int, classes int) {
	n, width := rapid.IntRange(1, 9).Draw(t, "images"), rapid.IntRange(1, 5).Draw(t, "width")
	classes = rapid.IntRange(1, 4).Draw(t, "classes")
	features = rapid.SliceOfN(rapid.Float32Range(-3, 3), n*width, n*width).Draw(t, "features")
	weights = rapid.SliceOfN(rapid.Float64Range(-2, 2), (width+1)*classes, (width+1)*classes).Draw(t, "weights")
	return weights, features, rapid.SliceOfN(rapid.IntRange(0, classes-1), n, n).Draw(t, "class"), classes
}

// differences are central finite differences of a function of many numbers.
func differences(at []float64, f func([]float64) float64) []float64 {
	const step = 1e-5
	gradient, x := make([]float64, len(at)), slices.Clone(at)
	for i := range at {
		x[i] = at[i] + step
		up := f(x)
		x[i] = at[i] - step
		gradient[i] = (up - f(x)) / (2 * step)
		x[i] = at[i]
	}
	return gradient
}

// TestCrossEntropyAgainstSlow compares the loss with loops and the gradient with finite differences.
func TestCrossEntropyAgainstSlow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		weights, features, class, classes := problem(rt)
		loss, gradient := eval.CrossEntropy(weights, features, class, classes)
		slow := func(w []float64) float64 { return crossEntropy(w, features, class, classes) }
		if want := slow(weights); math.Abs(loss-want) > 1e-12*(1+want) {
			rt.Errorf("loss: got %g, want %g", loss, want)
		}
		for i, want := range differences(weights, slow) {
			if math.Abs(gradient[i]-want) > 1e-7 {
				rt.Errorf("gradient %d: got %g, want %g", i, gradient[i], want)
			}
		}
	})
}

// TestCrossEntropyIsStable: logits in the thousands are neither infinite nor no numbers.
func TestCrossEntropyIsStable(t *testing.T) {
	loss, gradient := eval.CrossEntropy([]float64{1e4, -1e4, 0, 0}, []float32{1, -1}, []int{0, 0}, 2)
	if want := 1e4; math.Abs(loss-want) > 1e-9 || slices.ContainsFunc(gradient, math.IsNaN) {
		t.Errorf("got %g and %v, want the mean of 0 and 20,000", loss, gradient)
	}
}

// TestLinearAgainstSlow writes the published SGD down: v = .9 v + g, w = w - rate v, the rate .1 batch/256 (1 + cos(pi e/epochs))/2 by
// epoch, the last mini-batch smaller; gradients by finite differences.
func TestLinearAgainstSlow(t *testing.T) {
	const classes, epochs, width = 3, 4, 3
	p := clusters("few", 7, classes, .4, 9)
	var features []float32
	for _, at := range p.at {
		features = append(features, at[:]...)
	}
	for _, batch := range []int{3, 7, 50} {
		l := eval.LinearEvaluation{Batch: batch, Seed: 5}
		got := must.Get(eval.Fit(t.Context(), l, features, p.class, classes, epochs))(t)
		want, velocity := make([]float64, (width+1)*classes), make([]float64, (width+1)*classes)
		first := random.Stream(5, "linear", "weights")
		for i := range width * classes {
			want[i] = .01 * first.NormFloat64()
		}
		taken := eval.Taken(l, p.class, classes, 1)
		for e := range epochs {
			rate := .1 * float64(batch) / 256 * (1 + math.Cos(math.Pi*float64(e)/epochs)) / 2
			for part := range slices.Chunk(random.Stream(5, "linear", "order", e).Perm(7), min(batch, 7)) {
				var x []float32
				var class []int
				for _, k := range part {
					x, class = append(x, p.at[taken[k]][:]...), append(class, p.class[taken[k]])
				}
				gradient := differences(want, func(w []float64) float64 { return crossEntropy(w, x, class, classes) })
				for i, g := range gradient {
					velocity[i] = .9*velocity[i] + g
					want[i] -= rate * velocity[i]
				}
			}
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-8 {
				t.Errorf("batch %d: weight %d: got %g, want %g", batch, i, got[i], want[i])
			}
		}
	}
}

// TestTaken: the images of a share are a rounded number, different ones, among those of a larger share; of a share too small for one image
// there is one of each class that has any.
func TestTaken(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		class := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 60).Draw(rt, "class")
		l := eval.LinearEvaluation{Seed: rapid.Uint64().Draw(rt, "seed")}
		all := eval.Taken(l, class, 6, 1)
		sorted := slices.Sorted(slices.Values(all))
		if !slices.Equal(sorted, upTo(len(class))) {
			rt.Fatalf("the whole share has images %v of %d", sorted, len(class))
		}
		share := rapid.Float64Range(1e-3, 1).Draw(rt, "share")
		got, n := eval.Taken(l, class, 6, share), int(math.Round(share*float64(len(class))))
		if n > 0 {
			if !slices.Equal(got, all[:n]) {
				rt.Errorf("share %g: got %v, want the first %d of %v", share, got, n, all)
			}
			return
		}
		have := map[int]int{}
		for _, i := range got {
			have[class[i]]++
		}
		for _, k := range class {
			if have[k] != 1 || len(have) != len(got) {
				rt.Errorf("share %g: got images of classes %v, want one of each of %v", share, have, class)
			}
		}
	})
}

// TestLinearEvaluation: what is apart is learned at every share, of representations without any order nothing is, and the average is one.
func TestLinearEvaluation(t *testing.T) {
	const classes = 4
	task := eval.LinearEvaluation{Shares: []float64{1, .1, .01}, Epochs: []int{20, 60, 60}, Batch: 256}
	for _, c := range []struct {
		spread    float64
		low, high float64
	}{{.05, 99, 100}, {20, 10, 45}} {
		test, training := clusters("test", 400, classes, c.spread, 1), clusters("train", 600, classes, c.spread, 2)
		got := must.Get(task.Measure(t.Context(), by(t, test, training)))(t)
		mean := 0.
		for _, share := range []float64{1, .1} {
			if v := got.Metrics[eval.LinearTop1(share)]; v < c.low || v > c.high {
				t.Errorf("spread %g at share %g: got %g, want %g to %g", c.spread, share, v, c.low, c.high)
			}
		}
		for _, share := range task.Shares {
			mean += got.Metrics[eval.LinearTop1(share)] / 3
		}
		if math.Abs(got.Metrics[eval.LinearAverage]-mean) > 1e-9 || len(got.Metrics) != 4 {
			t.Errorf("got %v, want an average of %g", got.Metrics, mean)
		}
		again := must.Get(task.Measure(t.Context(), by(t, test, training)))(t)
		same(t, again.Metrics, got.Metrics)
	}
}

// TestLinearDefaults has the paper's shares with the published epochs, by their metrics' names.
func TestLinearDefaults(t *testing.T) {
	var names []string
	for _, info := range (eval.LinearEvaluation{}).Metrics() {
		names = append(names, string(info.Metric))
	}
	if got := strings.Join(names, ", "); got != "linear 100%, linear 10%, linear 1%, linear 0.1%, linear average" {
		t.Errorf("got %s", got)
	}
	if err := (eval.LinearEvaluation{}).Check(reading{}, clusters("few", 6, 2, .1, 1)); err != nil {
		t.Error(err)
	}
}

func TestLinearErrors(t *testing.T) {
	p := clusters("few", 6, 2, .1, 1)
	for want, task := range map[string]eval.LinearEvaluation{
		"a share of 0":                    {Shares: []float64{1, 0}},
		"a share of 1.5":                  {Shares: []float64{1.5}},
		"a share of NaN":                  {Shares: []float64{math.NaN()}},
		"a share of 0.5 ":                 {Shares: []float64{.5, .5}},
		"4 shares for [1 2] epochs":       {Epochs: []int{1, 2}},
		"2 shares for [3 0] epochs":       {Shares: []float64{1, .5}, Epochs: []int{3, 0}},
		"linear evaluation with mini-bat": {Batch: -1},
	} {
		must.Fail(t, task.Check(reading{}, p), want)
	}
	on := by(t, p, p)
	on.Training = nil
	must.Fail(t, must.Err((eval.LinearEvaluation{}).Measure(t.Context(), on)), "which it is not given", "without a training split")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := eval.Fit(stopped, eval.LinearEvaluation{}, make([]float32, 6), []int{0, 1}, 2, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: got %v", err)
	}
}

// BenchmarkLinear is an epoch of 10,000 images.
func BenchmarkLinear(b *testing.B) {
	const n = 10_000
	for _, size := range []struct{ width, classes int }{{128, 8}, {512, 100}} {
		b.Run(fmt.Sprintf("%d of %d classes", size.width, size.classes), func(b *testing.B) {
			features, class, rng := make([]float32, n*size.width), make([]int, n), rand.New(rand.NewPCG(1, 1))
			for i := range features {
				features[i] = float32(rng.NormFloat64())
			}
			for i := range class {
				class[i] = i % size.classes
			}
			for b.Loop() {
				must.Get(eval.Fit(b.Context(), eval.LinearEvaluation{}, features, class, size.classes, 1))(b)
			}
		})
	}
}
