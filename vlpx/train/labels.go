package train

import (
	"cmp"
	"slices"
)

// Labels tell how ITC's soft labels are spread over an epoch's image anchors (MAFA, Table 2 and appendix D): of every anchor's
// labels in descending order, which share of their sum falls to which ranks.
type Labels struct {
	Top    Moments `json:"top"`             // ranks 1 to 5
	Batch  Moments `json:"batch"`           // ranks 6 to the batch size
	Beyond Moments `json:"beyond,omitzero"` // ranks behind it, where there is a queue
}

// topLabels is how many of an anchor's labels Labels.Top sums.
const topLabels = 5

// add takes the labels of a mini-batch in, [batch, candidates].
func (l *Labels) add(labels []float32, batch int) {
	candidates := len(labels) / batch
	for at := 0; at < len(labels); at += candidates {
		row := labels[at : at+candidates]
		whole, ranked := sum(row), largest(row, batch)
		top, rest := sum(ranked[:min(topLabels, batch)]), sum(ranked[min(topLabels, batch):])
		l.Top.Add(top / whole)
		l.Batch.Add(rest / whole)
		if candidates > batch {
			l.Beyond.Add(1 - (top+rest)/whole)
		}
	}
}

// largest are the n largest of at least n numbers, in descending order. There are few of them among many: a momentum queue's.
func largest(numbers []float32, n int) []float32 {
	top := make([]float32, 0, n+1)
	for _, x := range numbers {
		if len(top) == n && x <= top[n-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, x, func(have, x float32) int { return cmp.Compare(x, have) })
		top = slices.Insert(top, at, x)
		top = top[:min(len(top), n)]
	}
	return top
}

func sum(numbers []float32) float64 {
	var total float64
	for _, x := range numbers {
		total += float64(x)
	}
	return total
}

// shares are the means that Record.Counted tells.
func (l Labels) shares() map[string]float64 {
	shares := map[string]float64{}
	for name, m := range map[string]Moments{LabelsTop: l.Top, LabelsBatch: l.Batch, LabelsBeyond: l.Beyond} {
		if m.N > 0 {
			shares[name] = m.Mean
		}
	}
	return shares
}
