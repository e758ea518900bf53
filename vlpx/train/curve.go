package train

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/negative"
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
	Improvement  float64 `json:"improvement,omitempty"` // where the method is rewarded for it
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
	Scheduling  *Scheduling        `json:"scheduling,omitempty"` // where the sampler is a negative.Scheduler
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

// Names of what training counts, among a run's metrics: of its last epoch, where it is known. The last two are followed by a
// class of complexity: simple, middle or complex.
const (
	FalseInBatch = "FN in batch" // per cent
	FalseHardest = "FN hardest"  // per cent
	FalseChosen  = "FN chosen"   // per cent, of neighbours in a mini-batch

	MeanReward   = "reward"        // of the scheduler, in nats
	MeanQuantile = "quantile"      // chosen
	ClassChosen  = "FN chosen of " // per cent, of the negatives that the scheduler picked
	ClassMean    = "quantile of "  // chosen
)

// Counted are the metrics of this epoch that training itself counted, by the names above.
func (r Record) Counted() map[string]float64 {
	counted := map[string]float64{}
	for _, x := range []struct {
		name        string
		part, whole int
	}{
		{FalseInBatch, r.False.BatchTrue, r.False.Batch},
		{FalseHardest, r.False.HardestTrue, r.False.Hardest},
		{FalseChosen, r.False.HopsTrue, r.False.Hops},
	} {
		if x.whole > 0 {
			counted[x.name] = 100 * share(x.part, x.whole)
		}
	}
	if r.Scheduling == nil || r.Scheduling.Reward.N == 0 {
		return counted
	}
	counted[MeanReward] = r.Scheduling.Reward.Mean
	var sum, n float64
	for k, class := range r.Scheduling.Classes {
		sum, n = sum+class.Quantile.Mean*float64(class.Quantile.N), n+float64(class.Quantile.N)
		if class.Quantile.N > 0 {
			counted[ClassMean+Complexity[k]] = class.Quantile.Mean
		}
		if class.Negative > 0 {
			counted[ClassChosen+Complexity[k]] = 100 * share(class.True, class.Negative)
		}
	}
	counted[MeanQuantile] = sum / n
	return counted
}

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
	Scheduling    *Scheduling
	last          float64
}

func (t *tally) schedule(choices []negative.Choice, reward float64, c classes, r datasets.Relation, pairs []datasets.Pair) {
	if t.Scheduling == nil {
		t.Scheduling = &Scheduling{}
	}
	t.Scheduling.add(choices, reward, c, r, pairs)
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
	return Record{Epoch: epoch, Rate: rate, ITC: t.ITC / n, ITM: t.ITM / n, MLM: t.MLM / n, Temperature: t.Temperature, False: t.False,
		Scheduling: t.Scheduling}
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
