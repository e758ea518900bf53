package train

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"vlpx.internal/datasets"
)

// CurvesName is the file of a run's curves: JSON lines, a point every few steps and a Record at each epoch's end.
const CurvesName = "curves.jsonl"

// curveEvery is the number of steps between points of the curves.
const curveEvery = 10

// point is one step in the curves.
type point struct {
	Epoch        int     `json:"epoch"`
	Step         int     `json:"step"`
	Rate         float64 `json:"rate"`
	ITC          float64 `json:"itc"`
	ITM          float64 `json:"itm"`
	MLM          float64 `json:"mlm"`
	GradientNorm float64 `json:"gradient_norm"`
	Temperature  float64 `json:"temperature"`
}

// Record is one epoch: mean losses, the temperature at its end, the false negatives met, and what evaluation measured.
type Record struct {
	Epoch       int                `json:"epoch"`
	Rate        float64            `json:"rate"`
	ITC         float64            `json:"itc"`
	ITM         float64            `json:"itm"`
	MLM         float64            `json:"mlm"`
	Temperature float64            `json:"temperature"`
	False       FalseNegatives     `json:"false_negatives"`
	Metrics     map[string]float64 `json:"metrics,omitempty"`
}

// FalseNegatives counts, exactly, the true pairs among the negatives of an epoch whose truth is known.
type FalseNegatives struct {
	Batch       int `json:"batch"`        // negatives within the mini-batches: every other image with every caption
	BatchTrue   int `json:"batch_true"`   // of these, the true pairs
	Hardest     int `json:"hardest"`      // hardest negatives: one image a caption and one caption an image
	HardestTrue int `json:"hardest_true"` // of these, the true pairs
	// Hops are the negatives between neighbours in a mini-batch, both ways. A sampler that goes from one pair to the next has
	// chosen them.
	Hops     int `json:"hops"`
	HopsTrue int `json:"hops_true"` // of these, the true pairs
}

// Names of the shares among a run's metrics, in per cent, of its last epoch.
const (
	FalseInBatch = "FN in batch"
	FalseHardest = "FN hardest"
	FalseChosen  = "FN chosen" // of neighbours in a mini-batch
)

// InBatch is the share of true pairs among the negatives of the mini-batches, 0 if none is known.
func (f FalseNegatives) InBatch() float64 { return share(f.BatchTrue, f.Batch) }

// AmongHardest is the share of true pairs among the hardest negatives, 0 if none is known.
func (f FalseNegatives) AmongHardest() float64 { return share(f.HardestTrue, f.Hardest) }

// AmongChosen is the share of true pairs among the negatives between neighbours, 0 if none is known.
func (f FalseNegatives) AmongChosen() float64 { return share(f.HopsTrue, f.Hops) }

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

func (f *FalseNegatives) count(r datasets.Relation, pairs []datasets.Pair, batch []int, out Output) {
	tell := func(image, text int, all, holding *int) {
		if holds, known := r.Holds(pairs[batch[image]].Image, batch[text]); known {
			*all++
			if holds {
				*holding++
			}
		}
	}
	for k := range batch {
		for j := range batch {
			if j != k {
				tell(j, k, &f.Batch, &f.BatchTrue)
			}
		}
		tell(int(out.HardestImages[k]), k, &f.Hardest, &f.HardestTrue)
		tell(k, int(out.HardestTexts[k]), &f.Hardest, &f.HardestTrue)
		if k > 0 {
			tell(k-1, k, &f.Hops, &f.HopsTrue)
			tell(k, k-1, &f.Hops, &f.HopsTrue)
		}
	}
}

// tally gathers an epoch's steps.
type tally struct {
	Steps         int
	ITC, ITM, MLM float64 // sums
	Temperature   float64
	False         FalseNegatives
	last          float64
}

func (t *tally) add(o Output) {
	t.Steps++
	t.ITC += o.ITC
	t.ITM += o.ITM
	t.MLM += o.MLM
	t.Temperature, t.last = o.Temperature, o.Loss()
}

func (t tally) record(epoch int, rate float64) Record {
	n := float64(t.Steps)
	return Record{Epoch: epoch, Rate: rate, ITC: t.ITC / n, ITM: t.ITM / n, MLM: t.MLM / n, Temperature: t.Temperature, False: t.False}
}

// openCurves opens the curves for appending after their first size bytes, or at their end if they are shorter; what stands
// behind belongs to steps that are made again. It returns where they are appended to.
func openCurves(dir string, size int64) (file *os.File, end int64, err error) {
	file, err = os.OpenFile(filepath.Join(dir, CurvesName), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, 0, fmt.Errorf("train: %w", err)
	}
	end, err = file.Seek(0, io.SeekEnd)
	if err == nil && end > size {
		if err = file.Truncate(size); err == nil {
			end, err = file.Seek(size, io.SeekStart)
		}
	}
	if err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("train: %w", err)
	}
	return file, end, nil
}
