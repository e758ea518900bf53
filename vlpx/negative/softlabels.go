package negative

import (
	"cmp"
	"slices"

	"vlpx.internal/vlpx/field"
)

// SoftLabels say how ITC's soft labels are spread over an epoch's image anchors (MAFA, Table 2 and appendix D): of every anchor's
// labels in descending order, which share of their sum falls to which ranks.
type SoftLabels struct {
	Top    Moments `json:"top"`             // ranks 1 to 5
	Batch  Moments `json:"batch"`           // ranks 6 to the batch size
	Beyond Moments `json:"beyond,omitzero"` // ranks behind it, where there is a queue
}

// topLabels is how many of an anchor's labels SoftLabels.Top sums.
const topLabels = 5

// add takes the labels of a mini-batch in, [batch, candidates].
func (l *SoftLabels) add(labels []float32, batch int) {
	candidates := len(labels) / batch
	for at := 0; at < len(labels); at += candidates {
		row := labels[at : at+candidates]
		whole, ranked := sum(row), highest(row, batch)
		top, rest := sum(ranked[:min(topLabels, batch)]), sum(ranked[min(topLabels, batch):])
		l.Top.Add(top / whole)
		l.Batch.Add(rest / whole)
		if candidates > batch {
			l.Beyond.Add(1 - (top+rest)/whole)
		}
	}
}

// highest are the n largest of at least n numbers, in descending order. There are few of them among many: a momentum queue's.
func highest(numbers []float32, n int) []float32 {
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

// Metrics are those of the epoch by their names.
func (l *SoftLabels) Metrics() map[string]float64 {
	shares := map[string]float64{}
	for name, m := range map[string]Moments{LabelsTop: l.Top, LabelsBatch: l.Batch, LabelsBeyond: l.Beyond} {
		if m.N > 0 {
			shares[name] = m.Mean
		}
	}
	return shares
}

// labelsObserver watches a contrast whose labels are soft, in the last epoch: they can be many.
type labelsObserver struct {
	Gathered[SoftLabels]
	run Training
}

func observeLabels(_ Method, run Training) Observer { return &labelsObserver{run: run} }

// Name implements Observer.
func (*labelsObserver) Name() string { return labelsName }

// Observe implements Observer.
func (o *labelsObserver) Observe(step Step) error {
	if !step.Outputs.Has(field.Labels) || step.Epoch < o.run.Epochs-1 {
		return nil
	}
	labels, err := step.Outputs.Floats(field.Labels)
	if err == nil {
		o.Now().add(labels, len(step.Pairs))
	}
	return err
}

const labelsName = "labels"

// SoftLabels are those of the epoch, nil where there are none.
func (o Observations) SoftLabels() *SoftLabels { return Observed[SoftLabels](o, labelsName) }

// Names of what is counted of soft labels, among a run's metrics: shares, from 0 to 1, of the sum of an image anchor's labels in ITC that
// fall to its largest labels.
const (
	LabelsTop    = "labels 1-5"
	LabelsBatch  = "labels 6-B" // B is the batch size
	LabelsBeyond = "labels beyond B"
)

func labelsMetrics() []string { return []string{LabelsTop, LabelsBatch, LabelsBeyond} }
