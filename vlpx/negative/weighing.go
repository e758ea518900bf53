package negative

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/field"
)

// Weighing is what a contrast that weighs the negatives did in one epoch (see Contrasted.Weights): the weights of
// each image anchor's negatives, whose mean is one.
type Weighing struct {
	All   Weights `json:"all"`
	False Weights `json:"false"` // of the false negatives: the true pairs among them, where that is known
	True  Weights `json:"true"`  // of those known to be no true pairs
	// Pairs are the first ones of the epoch's first mini-batch, and Batch their weights, [pairs, pairs], image anchors in rows, 0 for
	// the own pair.
	Pairs []int     `json:"pairs"`
	Batch []float64 `json:"batch"`
	// Lowest are the negatives with the lowest weights, in ascending order, one an anchor at most, other captions of the anchor's
	// image left out.
	Lowest []Weighed `json:"lowest"`
}

// Weighed is a negative of an image anchor.
type Weighed struct {
	Anchor   int     `json:"anchor"`   // pair
	Negative int     `json:"negative"` // pair, whose caption it is
	Weight   float64 `json:"weight"`
}

// Weights gather weights to their moments and a histogram.
type Weights struct {
	Moments
	Bins []int `json:"bins"` // WeightBins of width WeightBin from 0, the last without end
}

// Width and number of the bins of Weights.
const (
	WeightBin  = 0.05
	WeightBins = 51
)

const (
	shownPairs    = 32 // of a mini-batch
	lowestWeights = 8
)

// WeightThresholds are those of the weights below which Metrics has the shares.
var WeightThresholds = []float64{0.2, 0.3, 0.4, 0.5, 0.6, 0.7}

// Add takes one more weight in.
func (w *Weights) Add(x float64) {
	if w.Bins == nil {
		w.Bins = make([]int, WeightBins)
	}
	w.Moments.Add(x)
	w.Bins[min(WeightBins-1, bins(x))]++
}

// Merge takes the weights of another sample in.
func (w *Weights) Merge(o Weights) {
	w.Moments.Merge(o.Moments)
	for k, n := range o.Bins {
		if w.Bins == nil {
			w.Bins = make([]int, WeightBins)
		}
		w.Bins[k] += n
	}
}

// Below is the share of the weights below a threshold, a multiple of WeightBin; 0 of none.
func (w Weights) Below(threshold float64) float64 {
	below := 0
	for _, n := range w.Bins[:min(bins(threshold), len(w.Bins))] {
		below += n
	}
	return portion(below, w.N)
}

// bins is how many bins end at or below a weight.
func bins(x float64) int { return int(math.Floor(x/WeightBin + 1e-6)) }

// AUC is the probability that a false negative weighs less than a true one, by the bins; an equal bin counts half. It is NaN
// where either kind is missing.
func (w *Weighing) AUC() float64 {
	if w.False.N == 0 || w.True.N == 0 {
		return math.NaN()
	}
	above, wins := float64(w.True.N), 0.0
	for k, n := range w.False.Bins {
		same := float64(w.True.Bins[k])
		above -= same
		wins += float64(n) * (above + same/2)
	}
	return wins / float64(w.False.N) / float64(w.True.N)
}

// add takes a mini-batch in: its weights [batch, batch], image anchors in rows, and its pairs. The relation may be nil.
func (w *Weighing) add(weights []float32, batch []int, pairs []datasets.Pair, relation datasets.Relation) {
	if w.Pairs == nil {
		w.Pairs = slices.Clone(batch[:min(shownPairs, len(batch))])
	}
	show := w.Batch == nil
	for i, anchor := range batch {
		lowest := Weighed{Anchor: anchor, Weight: math.Inf(1)}
		for j, negative := range batch {
			x := float64(weights[i*len(batch)+j])
			if i == j {
				x = 0
			}
			if show && i < len(w.Pairs) && j < len(w.Pairs) {
				w.Batch = append(w.Batch, math.Round(1000*x)/1000)
			}
			if i == j {
				continue
			}
			w.All.Add(x)
			if relation != nil {
				switch holds, known := relation.Holds(pairs[anchor].Image, negative); {
				case known && holds:
					w.False.Add(x)
				case known:
					w.True.Add(x)
				}
			}
			if x < lowest.Weight && pairs[negative].Image != pairs[anchor].Image {
				lowest.Negative, lowest.Weight = negative, x
			}
		}
		w.keep(lowest)
	}
}

// keep puts a negative among the lowest if it is one of them.
func (w *Weighing) keep(x Weighed) {
	if math.IsInf(x.Weight, 1) {
		return
	}
	at, _ := slices.BinarySearchFunc(w.Lowest, x, func(a, b Weighed) int { return cmp.Compare(a.Weight, b.Weight) })
	w.Lowest = slices.Insert(w.Lowest, at, x)
	w.Lowest = w.Lowest[:min(lowestWeights, len(w.Lowest))]
}

// Metrics are those of the epoch by their names.
func (w *Weighing) Metrics() map[string]float64 {
	metrics := map[string]float64{}
	for _, threshold := range WeightThresholds {
		metrics[WeightsBelow(threshold)] = 100 * w.All.Below(threshold)
	}
	if w.False.N > 0 {
		metrics[FalseWeight] = w.False.Mean
	}
	if w.True.N > 0 {
		metrics[TrueWeight] = w.True.Mean
	}
	if auc := w.AUC(); !math.IsNaN(auc) {
		metrics[WeightAUC] = 100 * auc
	}
	return metrics
}

// Names of what is counted of the weights, among a run's metrics.
const (
	FalseWeight = "weight of false negatives" // mean
	TrueWeight  = "weight of true negatives"  // mean
	WeightAUC   = "AUC of the weights"        // Weighing.AUC, in per cent
)

// WeightsBelow names the share of the negatives, in per cent, whose weight is below a threshold.
func WeightsBelow(threshold float64) string { return fmt.Sprintf("weights below %g", threshold) }

func weighingMetrics() []string {
	names := []string{FalseWeight, TrueWeight, WeightAUC}
	for _, threshold := range WeightThresholds {
		names = append(names, WeightsBelow(threshold))
	}
	return names
}

// weighingObserver watches a contrast that weighs the negatives.
type weighingObserver struct {
	Gathered[Weighing]
	run Training
}

func observeWeighing(_ Method, run Training) Observer { return &weighingObserver{run: run} }

// Name implements Observer.
func (*weighingObserver) Name() string { return weighingName }

// Observe implements Observer.
func (o *weighingObserver) Observe(step Step) error {
	if !step.Outputs.Has(field.Weights) {
		return nil
	}
	weights, err := step.Outputs.Floats(field.Weights)
	if err == nil {
		o.Now().add(weights, step.Pairs, o.run.Pairs, o.run.Relation)
	}
	return err
}

const weighingName = "weighing"

// Weighing is how the contrast weighed negatives in the epoch, nil where it weighs none.
func (o Observations) Weighing() *Weighing { return Observed[Weighing](o, weighingName) }
