package negative

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"pgregory.net/rapid"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// slowPruned is InfoNCE without the negatives whose weight, as METHODS.md 5 prints it, is below a threshold.
func slowPruned(logits, own, reference [][]float64, share, temperature, threshold float64) float64 {
	loss, n := 0.0, len(logits)
	for i := range n {
		inverse := make([]float64, n)
		mean := 0.0
		for j := range n {
			if j != i {
				inverse[j] = 1 / (share*math.Exp(reference[i][j]/temperature) + (1-share)*math.Exp(own[i][j]/temperature))
				mean += inverse[j] / float64(n-1)
			}
		}
		sum := math.Exp(logits[i][i])
		for j := range n {
			if j != i && inverse[j]/mean >= threshold {
				sum += math.Exp(logits[i][j])
			}
		}
		loss -= (logits[i][i] - math.Log(sum)) / float64(n)
	}
	return loss
}

func TestPrunedAgainstLoop(t *testing.T) {
	backend := enginetest.PureGo(t)
	removed := false
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "batch")
		rows := func(name string) [][]float64 {
			all := make([][]float64, n)
			for i := range all {
				all[i] = rapid.SliceOfN(rapid.Float64Range(-1, 1), 3, 3).Draw(t, name)
			}
			return all
		}
		u, w, ru, rw := rows("images"), rows("texts"), rows("reference images"), rows("reference texts")
		progress := rapid.SampledFrom([]float64{0, 1, 2.5, 4, 7}).Draw(t, "progress")
		c := Pruned{Weights: Regulated{Epochs: 4}, Threshold: rapid.SampledFrom([]float64{0, 0.201, 0.703, 0.9}).Draw(t, "threshold")}
		temperature := rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "temperature")
		c.Weights.Temperature = temperature
		got, err := CallOnceN(backend, func(u, w, ru, rw *Node) []*Node {
			f := Features{Image: u, Text: w, ReferenceImage: ru, ReferenceText: rw, Temperature: ConstAs(u, 0.5),
				Progress: ConstAs(u, progress)}
			pruned, regulated := c.ITC(f), c.Weights.ITC(f)
			return []*Node{pruned.Loss, ReduceAllMax(Abs(Sub(pruned.Weights, regulated.Weights))), MulScalar(InfoNCE{}.ITC(f).Loss, 2)}
		}, u, w, ru, rw)
		if err != nil {
			t.Fatal(err)
		}
		share := 1 - min(progress/4, 1)
		if temperature == 0 {
			temperature = 1
		}
		want := slowPruned(product(u, w, 2), product(u, w, 1), product(ru, rw, 1), share, temperature, c.Threshold) +
			slowPruned(product(w, u, 2), product(w, u, 1), product(rw, ru, 1), share, temperature, c.Threshold)
		loss, plain := got[0].Value().(float64), got[2].Value().(float64)
		if math.Abs(loss-want) > 1e-9*math.Max(1, math.Abs(want)) {
			t.Errorf("progress %v, threshold %v: got %v, want %v", progress, c.Threshold, loss, want)
		}
		if off := got[1].Value().(float64); off != 0 {
			t.Errorf("the weights differ from SRCL's by %v", off)
		}
		if c.Threshold == 0 && math.Abs(loss-plain) > 1e-9 {
			t.Errorf("nothing removed: got %v, want InfoNCE twice, %v", loss, plain)
		}
		removed = removed || loss < plain-1e-6
	})
	if !removed {
		t.Error("no draw has a negative that is removed; the test shows nothing")
	}
}

func TestPrunedValidate(t *testing.T) {
	for want, c := range map[string]Pruned{
		"weight below 1":  {Weights: Regulated{Epochs: 2}, Threshold: 1},
		"weight below -1": {Weights: Regulated{Epochs: 2}, Threshold: -1},
		"over no epochs":  {Threshold: 0.2},
	} {
		must.Fail(t, (Method{Contrast: c}).WithDefaults().Validate(), want, "%+v", c)
	}
}
