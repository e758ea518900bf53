package negative

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
)

// oddly knows of a caption whether its number and the image's are both odd, but nothing of the first image.
type oddly struct{}

func (oddly) Holds(image, pair int) (holds, known bool) {
	return image%2 == 1 && pair%2 == 1, image > 0
}

// Two images of three and of two captions, and a third; all pairs are in the mini-batch but the last.
func TestWeighing(t *testing.T) {
	pairs := []datasets.Pair{{Image: 0}, {Image: 0, Caption: 1}, {Image: 1}, {Image: 1, Caption: 1}, {Image: 2}}
	var w Weighing
	w.add([]float32{ // pair 3, 0, 2 and 1; own pairs say anything
		9, 0.2, 0.1, 2.75,
		1.5, 9, 0.75, 0.75,
		0.5, 0.6, 9, 1.9,
		3, 0, 0, 9,
	}, []int{3, 0, 2, 1}, pairs, oddly{})

	if w.All.N != 12 || w.False.N != 3 || w.True.N != 3 {
		t.Fatalf("got %d weights, %d false and %d true negatives; want 12, 3 and 3", w.All.N, w.False.N, w.True.N)
	}
	if want := (2.75 + 0.5 + 1.9) / 3; math.Abs(w.False.Mean-want) > 1e-6 {
		t.Errorf("false negatives weigh %v, want %v", w.False.Mean, want) // captions 1 and 3 with the image of pairs 2 and 3
	}
	for threshold, want := range map[float64]float64{0.05: 2, 0.1: 2, 0.15: 3, 0.2: 3, 0.25: 4, 0.5: 4, 0.55: 5, 2.5: 10, 99: 12} {
		if got := w.All.Below(threshold); math.Abs(got-want/12) > 1e-9 {
			t.Errorf("below %v: got %v of the weights, want %v", threshold, got, want/12)
		}
	}
	if want := []float64{0, 0.2, 0.1, 2.75, 1.5, 0, 0.75, 0.75, 0.5, 0.6, 0, 1.9, 3, 0, 0, 0}; !slices.Equal(w.Batch, want) ||
		!slices.Equal(w.Pairs, []int{3, 0, 2, 1}) {
		t.Errorf("got mini-batch %v of %v", w.Batch, w.Pairs)
	}
	want := []Weighed{{Anchor: 1, Negative: 2, Weight: 0}, {Anchor: 3, Negative: 0, Weight: 0.2}, {Anchor: 2, Negative: 0, Weight: 0.6},
		{Anchor: 0, Negative: 2, Weight: 0.75}}
	if len(w.Lowest) != len(want) {
		t.Fatalf("got %v, want %v", w.Lowest, want)
	}
	for k, got := range w.Lowest {
		if got.Anchor != want[k].Anchor || got.Negative != want[k].Negative || math.Abs(got.Weight-want[k].Weight) > 1e-6 {
			t.Errorf("lowest %d: got %+v, want %+v", k, got, want[k])
		}
	}
	w.add([]float32{9, 0.3, 0.4, 9}, []int{4, 0}, pairs, nil) // the relation is not known, the first mini-batch stays
	if w.All.N != 14 || w.False.N != 3 || len(w.Batch) != 16 || w.Lowest[2].Anchor != 4 || w.Lowest[3].Anchor != 0 {
		t.Errorf("after another mini-batch: %+v", w)
	}
}

// Of twelve anchors the eight with the lowest weights are kept, and the corner of a large mini-batch.
func TestWeighingKeepsLittle(t *testing.T) {
	const n = 40
	pairs, batch, weights := make([]datasets.Pair, n), make([]int, n), make([]float32, n*n)
	for i := range n {
		pairs[i].Image, batch[i] = i, i
		for j := range n {
			weights[i*n+j] = 1 + float32(n*i+j)/1e4
		}
	}
	var w Weighing
	w.add(weights, batch, pairs, nil)
	if len(w.Lowest) != lowestWeights || w.Lowest[7].Anchor != 7 {
		t.Errorf("got %+v, want the first eight anchors", w.Lowest)
	}
	if len(w.Pairs) != 32 || len(w.Batch) != 32*32 || w.Batch[33] != 0 || w.Batch[32] != 1.004 {
		t.Errorf("got a corner of %d pairs and %d weights", len(w.Pairs), len(w.Batch))
	}
}

// The area by bins is the share of couples in which the false negative has the lower bin, half of those with the same.
func TestWeightAUC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := func(name string) (w Weights, weights []float64) {
			weights = rapid.SliceOfN(rapid.Float64Range(0, 3), 1, 20).Draw(t, name)
			for _, x := range weights {
				w.Add(x)
			}
			return w, weights
		}
		var w Weighing
		var fn, tn []float64
		w.False, fn = of("false negatives")
		w.True, tn = of("true negatives")
		wins := 0.0
		for _, a := range fn {
			for _, b := range tn {
				switch a, b := min(a, 2.5), min(b, 2.5); {
				case bins(a) < bins(b):
					wins++
				case bins(a) == bins(b):
					wins += 0.5
				}
			}
		}
		if got, want := w.AUC(), wins/float64(len(fn)*len(tn)); math.Abs(got-want) > 1e-12 {
			t.Errorf("got %v, want %v", got, want)
		}
		both := w.False
		both.Bins = slices.Clone(both.Bins)
		both.Merge(w.True)
		below := func(w Weights) float64 { return w.Below(0.7) * float64(w.N) }
		if got, want := below(both), below(w.False)+below(w.True); math.Abs(got-want) > 1e-9 {
			t.Errorf("both below 0.7: got %v, want %v", got, want)
		}
	})
	if auc := (&Weighing{}).AUC(); !math.IsNaN(auc) {
		t.Errorf("of nothing: got %v", auc)
	}
}

func TestWeightsCounted(t *testing.T) {
	var w Weighing
	for _, x := range []float64{0.1, 0.3} {
		w.False.Add(x)
		w.All.Add(x)
	}
	for _, x := range []float64{0.6, 1} {
		w.True.Add(x)
		w.All.Add(x)
	}
	got := w.Metrics()
	for name, want := range map[string]float64{
		FalseWeight: 0.2, TrueWeight: 0.8, WeightAUC: 100,
		WeightsBelow(0.2): 25, WeightsBelow(0.3): 25, WeightsBelow(0.4): 50, WeightsBelow(0.7): 75,
	} {
		if v, ok := got[name]; !ok || math.Abs(v-want) > 1e-9 {
			t.Errorf("%s: got %v, %v; want %v", name, v, ok, want)
		}
	}
	if got := (&Weighing{All: w.All}).Metrics(); len(got) != len(WeightThresholds) {
		t.Errorf("without a relation: got %v", got)
	}
}
