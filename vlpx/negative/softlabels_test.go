package negative

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Against a sort of everything (MAFA, appendix D: the labels sorted, averaged over anchors, summed by rank).
func TestLabels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		batch := rapid.IntRange(2, 12).Draw(rt, "batch")
		candidates := batch + rapid.SampledFrom([]int{0, 1, 30}).Draw(rt, "queue")
		var l SoftLabels
		mean := make([]float64, candidates)
		steps := rapid.IntRange(1, 3).Draw(rt, "steps")
		for range steps {
			labels := rapid.SliceOfN(rapid.Float32Range(0.001, 1), batch*candidates, batch*candidates).Draw(rt, "labels")
			l.add(labels, batch)
			for at := 0; at < len(labels); at += candidates {
				row := slices.Clone(labels[at : at+candidates])
				slices.Sort(row)
				slices.Reverse(row)
				for k, x := range row {
					mean[k] += float64(x) / sum(row) / float64(steps*batch)
				}
			}
		}
		var top, rest, beyond float64
		for k, x := range mean {
			switch {
			case k < 5 && k < batch:
				top += x
			case k < batch:
				rest += x
			default:
				beyond += x
			}
		}
		shares := l.Metrics()
		if _, has := shares[LabelsBeyond]; has != (candidates > batch) {
			rt.Fatalf("got %v, want a share beyond the batch only with a queue", shares)
		}
		for name, want := range map[string]float64{LabelsTop: top, LabelsBatch: rest, LabelsBeyond: beyond} {
			if math.Abs(shares[name]-want) > 1e-6 {
				rt.Errorf("%s: got %v, want %v", name, shares[name], want)
			}
		}
	})
}

// S-ITC at the paper's setting, half of the label spread over 96 pairs: 0.5260 and 0.4740 (MAFA, Table 2).
func TestSmoothedLabelsOfThePaper(t *testing.T) {
	const batch = 96
	labels := make([]float32, batch*batch)
	for k := range labels {
		labels[k] = 0.5 / batch
		if k%(batch+1) == 0 {
			labels[k] += 0.5
		}
	}
	var l SoftLabels
	l.add(labels, batch)
	if got := l.Metrics(); math.Abs(got[LabelsTop]-0.5260) > 5e-5 || math.Abs(got[LabelsBatch]-0.4740) > 5e-5 {
		t.Errorf("got %v, want the paper's 0.5260 and 0.4740", got)
	}
}
