package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
)

// Thresholds compares the threshold of false negatives that a method has learned for each training pair, as GloFND does, with what it
// estimates: the (1 - alpha)-quantile of the cosines of an anchor and all other samples (GloFND, section 4.3 (iii)). Beside it stands the
// quantile within a mini-batch, as FNC takes it, which needs no learning (METHODS.md 10.2 and 11); the learned ones are what lies at
// [negative.ThresholdPath]. It measures nothing in brief.
//
// The network is frozen, and sees training images as in evaluation, where the paper augments them. In a framework that embeds captions an
// image is compared with the captions of the other pairs and a caption with their images; in one that does not, an image with the other
// images. Of more than 20,000 samples as many are anchors, drawn at random, each against the same 100,000 of the others, as the paper's; of
// fewer all are, against all.
type Thresholds struct {
	Alpha   float64 `json:",omitempty"` // share of false negatives; 0 for the published unimodal 0.01
	Batch   int     `json:",omitempty"` // anchors of a mini-batch, each with one negative less; 0 for the published 128
	Batches int     `json:",omitempty"` // random mini-batches an anchor; 0 for the paper's 20
	Seed    uint64  `json:",omitempty"` // of the draws
}

func init() {
	Register("thresholds", Thresholds{},
		NewFlag("alpha", "the `share` of false negatives by which thresholds are measured (default 0.01)",
			func(t *Thresholds, share string) (err error) {
				t.Alpha, err = strconv.ParseFloat(share, 64)
				return err
			}))
}

// ThresholdMetrics are the errors of learned and of in-batch thresholds of anchors: mean absolute, and root of the mean square.
func ThresholdMetrics(anchors string) (learnedMAE, learnedRMSE, batchMAE, batchRMSE Metric) {
	name := func(what string) Metric { return Metric(anchors + " " + what) }
	return name("threshold MAE"), name("threshold RMSE"), name("in-batch MAE"), name("in-batch RMSE")
}

// ThresholdHistograms are kept by [Thresholds].
var ThresholdHistograms = NewKind[[]ThresholdBins]("Thresholds")

// ThresholdBins are histograms of the thresholds of anchors, over bins of the same width from Low to High.
type ThresholdBins struct {
	Anchors   string
	Low, High float64
	Learned   []int `json:",omitempty"` // none where the method learns none
	Exact     []int
	InBatch   []int // of all mini-batches
}

// Metrics implements Task.
func (Thresholds) Metrics() []Info {
	var all []Info
	for _, anchors := range []string{negative.ImageAnchors, negative.TextAnchors} {
		group := "Thresholds of anchors, " + anchors
		mae, rmse, batchMAE, batchRMSE := ThresholdMetrics(anchors)
		all = append(all,
			Info{mae, group, "MAE", "", true,
				"mean absolute error of the learned threshold, against the quantile over all training samples"},
			Info{rmse, group, "RMSE", "", true, "root of the mean square error of the learned threshold"},
			Info{batchMAE, group, "MAE in batch", "", true, "mean absolute error of the quantile within a random mini-batch"},
			Info{batchRMSE, group, "RMSE in batch", "", true, "root of the mean square error of the quantile within a random mini-batch"})
	}
	return all
}

// settings are those that count, the defaults included.
func (t Thresholds) settings() Thresholds {
	if t.Alpha == 0 {
		t.Alpha = .01
	}
	if t.Batch == 0 {
		t.Batch = 128
	}
	if t.Batches == 0 {
		t.Batches = 20
	}
	return t
}

// Check implements Task.
func (t Thresholds) Check(f framework.Framework, _ datasets.Set) error {
	switch _, embeds := f.(framework.EmbedsImages); {
	case !(t.Alpha >= 0 && t.Alpha < 1):
		return fmt.Errorf("eval: thresholds at alpha = %v; use a share above 0 and below 1", t.Alpha)
	case t.Batch < 0 || t.Batch == 1 || t.Batches < 0:
		return fmt.Errorf("eval: thresholds of %d mini-batches of %d; use one at least, of two or more", t.Batches, t.Batch)
	case !embeds:
		return fmt.Errorf("eval: thresholds go by embeddings of images, which %s does not make", f.Name())
	}
	return nil
}

// Measure implements Task.
func (t Thresholds) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := t.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
		return Measured{}, err
	}
	if on.Training == nil {
		return Measured{}, fmt.Errorf("eval: thresholds are those of training pairs, which it is not given; measure by a run")
	}
	training, err := on.Training(ctx)
	if err != nil {
		return Measured{}, err
	}
	sides, err := training.sides(ctx)
	if err != nil {
		return Measured{}, err
	}
	result, histograms := Result{}, []ThresholdBins{}
	for _, side := range sides {
		if err := side.learn(on.State); err != nil {
			return Measured{}, err
		}
		bins, err := t.settings().compare(ctx, side, result)
		if err != nil {
			return Measured{}, err
		}
		histograms = append(histograms, bins)
	}
	return ThresholdHistograms.With(Measured{Metrics: result}, histograms), nil
}

// Bounds of what is looked at: as many samples are all taken, of more so many anchors and so many others.
const (
	mostAnchors = 20_000
	mostOthers  = 100_000
)

// anchorRows is the number of anchors whose cosines are there at once: what bounds the memory.
const anchorRows = 64

// compare adds the errors of a side's thresholds, and has their histograms.
func (t Thresholds) compare(ctx context.Context, s *side, result Result) (ThresholdBins, error) {
	anchors, others := t.sampled(len(s.anchors)/s.dim, mostAnchors, mostOthers)
	candidates := gather(s.others, others, s.dim)
	exact, inBatch := make([]float64, len(anchors)), make([][]float64, len(anchors))
	for from := 0; from < len(anchors); from += anchorRows {
		if err := ctx.Err(); err != nil {
			return ThresholdBins{}, err
		}
		block := anchors[from:min(from+anchorRows, len(anchors))]
		cosines := Cosines(gather(s.anchors, block, s.dim), candidates, s.dim)
		spread(len(block), func(i int) {
			rng := random.Stream(t.Seed, "thresholds", s.name, block[i])
			exact[from+i], inBatch[from+i] = t.quantiles(without(cosines.Row(i), others, block[i]), rng)
		})
	}
	var learned, batches []float64
	var learnedOff, batchOff off
	for at, i := range anchors {
		if s.learned != nil {
			learned = append(learned, float64(s.learned[i]))
			learnedOff.add(float64(s.learned[i]) - exact[at])
		}
		for _, estimate := range inBatch[at] {
			batches = append(batches, estimate)
			batchOff.add(estimate - exact[at])
		}
	}
	mae, rmse, batchMAE, batchRMSE := ThresholdMetrics(s.name)
	result[batchMAE], result[batchRMSE] = batchOff.errors()
	if s.learned != nil {
		result[mae], result[rmse] = learnedOff.errors()
	}
	return binned(s.name, learned, exact, batches), nil
}

// sampled are the anchors and the others among n samples: all of few, else so many at random.
func (t Thresholds) sampled(n, most, mostOthers int) (anchors, others []int) {
	if n <= most {
		return upTo(n), upTo(n)
	}
	return random.Stream(t.Seed, "thresholds", "anchors").Perm(n)[:most],
		random.Stream(t.Seed, "thresholds", "others").Perm(n)[:min(n, mostOthers)]
}

// quantiles are the (1 - alpha)-quantile of an anchor's cosines with all others and those with the others of random mini-batches.
func (t Thresholds) quantiles(cosines []float64, rng *rand.Rand) (exact float64, inBatch []float64) {
	batch := make([]float64, min(t.Batch-1, len(cosines)))
	for range t.Batches {
		for k := range batch {
			j := k + rng.IntN(len(cosines)-k)
			cosines[k], cosines[j] = cosines[j], cosines[k]
		}
		copy(batch, cosines)
		inBatch = append(inBatch, quantile(batch, 1-t.Alpha))
	}
	return quantile(cosines, 1-t.Alpha), inBatch
}

// without are the cosines of an anchor with others but itself.
func without(cosines []float64, others []int, anchor int) []float64 {
	for k, i := range others {
		if i == anchor {
			last := len(cosines) - 1
			cosines[k] = cosines[last]
			return cosines[:last]
		}
	}
	return cosines
}

// off sums up errors.
type off struct{ absolute, square, n float64 }

func (o *off) add(x float64) { o.absolute, o.square, o.n = o.absolute+math.Abs(x), o.square+x*x, o.n+1 }

func (o *off) errors() (mae, rmse float64) { return o.absolute / o.n, math.Sqrt(o.square / o.n) }

// thresholdBins is the number of bins.
const thresholdBins = 50

// binned are histograms over the range of all thresholds.
func binned(anchors string, learned, exact, inBatch []float64) ThresholdBins {
	b := ThresholdBins{Anchors: anchors, Low: math.Inf(1), High: math.Inf(-1)}
	for _, of := range [][]float64{learned, exact, inBatch} {
		for _, x := range of {
			b.Low, b.High = min(b.Low, x), max(b.High, x)
		}
	}
	count := func(of []float64) []int {
		bins := make([]int, thresholdBins)
		for _, x := range of {
			bins[min(int(thresholdBins*(x-b.Low)/max(b.High-b.Low, 1e-12)), thresholdBins-1)]++
		}
		return bins
	}
	if b.Exact, b.InBatch = count(exact), count(inBatch); len(learned) > 0 {
		b.Learned = count(learned)
	}
	return b
}

// upTo are the numbers from 0 to n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// spread calls do with the numbers below n, on all cores.
func spread(n int, do func(i int)) {
	var workers sync.WaitGroup
	cores := runtime.GOMAXPROCS(0)
	for core := range cores {
		workers.Go(func() {
			for i := core; i < n; i += cores {
				do(i)
			}
		})
	}
	workers.Wait()
}
