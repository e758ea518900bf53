package train

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// CurvesName is the file of a run's curves: JSON lines, a point every few steps and a Record at each epoch's end.
const CurvesName = "curves.jsonl"

// curveEvery is the number of steps between points of the curves.
const curveEvery = 10

// Point is one step in the curves: its losses in nats, what moved them, and where it stands, Step counting from zero in each Epoch.
type Point struct {
	Epoch        int     `json:"epoch"`
	Step         int     `json:"step"`
	Rate         float64 `json:"rate"`
	Losses       Losses  `json:"losses"`
	GradientNorm float64 `json:"gradient_norm"`
	Temperature  float64 `json:"temperature"`
	Improvement  float64 `json:"improvement,omitempty"` // where the method is rewarded for it
	// Numbers are what parts tell of the step by names of their own.
	Numbers field.Numbers `json:"numbers,omitempty"`
}

// Losses are the losses of a framework by their names, in nats.
type Losses = map[negative.Loss]float64

// Record is one epoch: mean losses, the temperature at its end, the false negatives met, and what evaluation measured.
type Record struct {
	Epoch       int                `json:"epoch"`
	Steps       int                `json:"steps,omitempty"` // that the epoch has; none of older versions
	Rate        float64            `json:"rate"`
	Losses      Losses             `json:"losses"`
	Temperature float64            `json:"temperature"`
	False       FalseNegatives     `json:"false_negatives"`
	Scheduling  *Scheduling        `json:"scheduling,omitempty"` // where the sampler is a negative.Scheduler
	Connecting  *Connecting        `json:"connecting,omitempty"` // where the method has a negative.ECM
	Labels      *Labels            `json:"labels,omitempty"`     // where ITC's are soft
	Weighing    *Weighing          `json:"weighing,omitempty"`   // where the contrast weighs the negatives
	Found       *Found             `json:"found,omitempty"`      // where the method leaves negatives out
	Written     *Written           `json:"written,omitempty"`    // where it writes negatives
	Numbers     field.Numbers      `json:"numbers,omitempty"`    // what parts tell by names of their own
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
	// OfImages are those of Hardest whose anchor is the image; the others' is the caption.
	OfImages     int `json:"of_images,omitempty"`
	OfImagesTrue int `json:"of_images_true,omitempty"` // of these, the true pairs
}

// Names of what training counts, among a run's metrics: of its last epoch, where it is known. ClassChosen and ClassMean are
// followed by a class of complexity: simple, middle or complex.
const (
	FalseInBatch  = "FN in batch"  // per cent
	FalseHardest  = "FN hardest"   // per cent
	FalseOfImages = "FN of images" // per cent, of the hardest whose anchor is the image
	FalseOfTexts  = "FN of texts"  // per cent, of the hardest whose anchor is the caption
	FalseChosen   = "FN chosen"    // per cent, of neighbours in a mini-batch

	// Of the negatives that a method took for false, in per cent; see Found.
	FoundShare     = "found" // of all negatives
	FoundPrecision = "found precision"
	FoundRecall    = "found recall"
	FoundF1        = "found F1"

	// Of the hard negatives that Con-D judged, in per cent.
	ConDPositives = "Con-D positives"           // new positives, of all
	ConDOfImages  = "Con-D positives of images" // of those whose anchor is the image
	ConDOfTexts   = "Con-D positives of texts"  // of those whose anchor is the caption
	ConDPrecision = "Con-D precision"           // true pairs, of the new positives
	ConDRecall    = "Con-D recall"              // new positives, of the true pairs
	ConDAUC       = "Con-D AUC"                 // see Connecting.AUC
	FalseLeft     = "FN left"                   // true pairs, of those that are no new positives

	// Shares of the sum of an image anchor's soft labels in ITC that fall to its largest labels, from 0 to 1.
	LabelsTop    = "labels 1-5"
	LabelsBatch  = "labels 6-B" // B is the batch size
	LabelsBeyond = "labels beyond B"

	MeanReward   = "reward"        // of the scheduler, in nats
	MeanQuantile = "quantile"      // chosen
	ClassChosen  = "FN chosen of " // per cent, of the negatives that the scheduler picked
	ClassMean    = "quantile of "  // chosen
)

// Counted are the metrics of this epoch that training itself counted, by the names above, and what parts told by names of their own.
func (r Record) Counted() map[string]float64 {
	counted := r.Numbers.Values()
	ratios := []ratio{
		{FalseInBatch, r.False.BatchTrue, r.False.Batch},
		{FalseHardest, r.False.HardestTrue, r.False.Hardest},
		{FalseChosen, r.False.HopsTrue, r.False.Hops},
	}
	if r.False.OfImages > 0 { // older records tell no sides
		ratios = append(ratios, ratio{FalseOfImages, r.False.OfImagesTrue, r.False.OfImages},
			ratio{FalseOfTexts, r.False.HardestTrue - r.False.OfImagesTrue, r.False.Hardest - r.False.OfImages})
	}
	if r.Connecting != nil {
		ratios = append(ratios, r.Connecting.ratios()...)
		if auc := r.Connecting.AUC(); !math.IsNaN(auc) {
			counted[ConDAUC] = auc
		}
	}
	for _, x := range ratios {
		if x.whole > 0 {
			counted[x.name] = 100 * share(x.part, x.whole)
		}
	}
	if r.Labels != nil {
		maps.Copy(counted, r.Labels.shares())
	}
	if r.Weighing != nil {
		maps.Copy(counted, r.Weighing.metrics())
	}
	if r.Found != nil {
		maps.Copy(counted, r.Found.metrics())
	}
	if r.Written != nil {
		maps.Copy(counted, r.Written.metrics())
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

// ratio is a part of a whole, by the name of a metric.
type ratio struct {
	name        string
	part, whole int
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// count adds a mini-batch of pairs.
//
//   - truth: whether the caption of one pair is true of the image of another, and whether that is known.
func (f *FalseNegatives) count(truth func(image, text int) (holds, known bool), batch []int, hardestImages, hardestTexts []int32) {
	tell := func(image, text int, all, holding *int) {
		if holds, known := truth(batch[image], batch[text]); known {
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
		tell(int(hardestImages[k]), k, &f.Hardest, &f.HardestTrue)
		tell(k, int(hardestTexts[k]), &f.Hardest, &f.HardestTrue)
		tell(k, int(hardestTexts[k]), &f.OfImages, &f.OfImagesTrue)
		if k > 0 {
			tell(k-1, k, &f.Hops, &f.HopsTrue)
			tell(k, k-1, &f.Hops, &f.HopsTrue)
		}
	}
}

// tally gathers an epoch's steps.
type tally struct {
	Steps       int
	Losses      Losses // sums
	Temperature float64
	False       FalseNegatives
	Scheduling  *Scheduling
	Connecting  *Connecting
	Labels      *Labels
	Weighing    *Weighing
	Found       *Found
	Written     *Written
	Numbers     field.Numbers `json:",omitempty"`
	last        float64
}

func (t *tally) schedule(choices []negative.Choice, reward float64, c classes, r datasets.Relation, pairs []datasets.Pair) {
	if t.Scheduling == nil {
		t.Scheduling = &Scheduling{}
	}
	t.Scheduling.add(choices, reward, c, r, pairs)
}

func (t *tally) connect(e negative.ECM, c Connected, r datasets.Relation, pairs []datasets.Pair, batch []int, show bool) {
	if t.Connecting == nil {
		t.Connecting = &Connecting{}
	}
	t.Connecting.add(e, c, r, pairs, batch, show)
}

func (t *tally) label(labels []float32, batch int) {
	if t.Labels == nil {
		t.Labels = &Labels{}
	}
	t.Labels.add(labels, batch)
}

func (t *tally) weigh(weights []float32, batch []int, pairs []datasets.Pair, r datasets.Relation) {
	if t.Weighing == nil {
		t.Weighing = &Weighing{}
	}
	t.Weighing.add(weights, batch, pairs, r)
}

func (t *tally) find(found []float32, batch int, holds func(anchor, candidate int) (is, known bool)) {
	if t.Found == nil {
		t.Found = &Found{}
	}
	t.Found.add(found, batch, holds)
}

func (t *tally) add(o Output) {
	t.Steps++
	if t.Losses == nil {
		t.Losses = Losses{}
	}
	for name, loss := range o.Losses {
		t.Losses[name] += loss
	}
	t.Temperature, t.last = o.Float(field.Temperature), o.Loss()
}

func (t tally) record(epoch int, rate float64) Record {
	means := Losses{}
	for name, sum := range t.Losses {
		means[name] = sum / float64(t.Steps)
	}
	return Record{Epoch: epoch, Steps: t.Steps, Rate: rate, Losses: means, Temperature: t.Temperature, False: t.False,
		Scheduling: t.Scheduling, Connecting: t.Connecting, Labels: t.Labels, Weighing: t.Weighing, Found: t.Found, Written: t.Written,
		Numbers: t.Numbers}
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
