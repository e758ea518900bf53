package train

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

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
	Epoch       int            `json:"epoch"`
	Steps       int            `json:"steps,omitempty"` // that the epoch has; none of older versions
	Rate        float64        `json:"rate"`
	Losses      Losses         `json:"losses"`
	Temperature float64        `json:"temperature"`
	False       FalseNegatives `json:"false_negatives"`
	// Observed is what the observers of the method found, each under its name beside the others.
	Observed negative.Observations `json:"-"`
	Numbers  field.Numbers         `json:"numbers,omitempty"` // what parts tell by names of their own
	Metrics  map[string]float64    `json:"metrics,omitempty"`
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

// Names of what training counts, among a run's metrics: of its last epoch, where it is known.
const (
	FalseInBatch  = "FN in batch"  // per cent
	FalseHardest  = "FN hardest"   // per cent
	FalseOfImages = "FN of images" // per cent, of the hardest whose anchor is the image
	FalseOfTexts  = "FN of texts"  // per cent, of the hardest whose anchor is the caption
	FalseChosen   = "FN chosen"    // per cent, of neighbours in a mini-batch
)

// Counted are the metrics of this epoch that training itself counted, by the names above, those of observers, and what parts told by names
// of their own.
func (r Record) Counted() map[string]float64 {
	counted := r.Numbers.Values()
	share := func(name string, part, whole int) {
		if whole > 0 {
			counted[name] = 100 * float64(part) / float64(whole)
		}
	}
	share(FalseInBatch, r.False.BatchTrue, r.False.Batch)
	share(FalseHardest, r.False.HardestTrue, r.False.Hardest)
	share(FalseChosen, r.False.HopsTrue, r.False.Hops)
	if r.False.OfImages > 0 { // older records tell no sides
		share(FalseOfImages, r.False.OfImagesTrue, r.False.OfImages)
		share(FalseOfTexts, r.False.HardestTrue-r.False.OfImagesTrue, r.False.Hardest-r.False.OfImages)
	}
	maps.Copy(counted, r.Observed.Metrics())
	return counted
}

// plainRecord is a Record without its methods.
type plainRecord Record

// recordKeys are the keys of a record's own fields. Others are names of observers.
var recordKeys = func() (keys []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Record]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}()

// MarshalJSON puts what was observed beside the other fields.
func (r Record) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(plainRecord(r))
	if err != nil || len(r.Observed) == 0 {
		return text, err
	}
	observed, err := json.Marshal(r.Observed)
	text[len(text)-1] = ','
	return append(text, observed[1:]...), err
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (r *Record) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, (*plainRecord)(r)); err != nil {
		return err
	}
	var observed map[string]json.RawMessage
	err := json.Unmarshal(text, &observed)
	if err != nil {
		return err
	}
	maps.DeleteFunc(observed, func(key string, _ json.RawMessage) bool { return slices.Contains(recordKeys, key) })
	r.Observed, err = negative.ReadObservations(observed)
	return err
}

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
	Observed    map[string]json.RawMessage `json:",omitempty"` // what the observers have of the epoch; filled for a checkpoint
	Numbers     field.Numbers              `json:",omitempty"`
	last        float64
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
