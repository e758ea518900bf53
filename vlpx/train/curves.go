package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"vlpx.internal/vlpx/disk"
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
	// Numbers are metrics of the step that parts report by names of their own.
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
	Numbers  field.Numbers         `json:"numbers,omitempty"` // metrics that parts report by names of their own
	// Clipped is the share of the epoch's steps whose gradient was longer than AdamW.ClipNorm; 0 where none was, or none is clipped.
	Clipped float64            `json:"clipped,omitempty"`
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// Counted are the metrics of this epoch that training itself counted, by the names above, those of observers, and what parts reported by
// names of their own.
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
	if r.False.OfImages > 0 { // older records have no sides
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

// Curves are the points and epochs of a run so far.
type Curves struct {
	Points []Point  // every few steps
	Epochs []Record // one an epoch that is finished
}

// ReadCurves reads the curves in a run's folder, those of a run that is still training included, whichever process trains it: a
// line that is being written is left out. Without a file there are none.
func ReadCurves(dir string) (Curves, error) {
	path := filepath.Join(dir, CurvesName)
	text, err := disk.ReadList(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Curves{}, nil
	}
	if err != nil {
		return Curves{}, fmt.Errorf("train: %w", err)
	}
	return parseCurves(path, text)
}

func parseCurves(path string, text []byte) (Curves, error) {
	var c Curves
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return c, nil
		}
		text = rest
		var kind struct{ Step *int }
		err := json.Unmarshal(line, &kind)
		switch {
		case err != nil:
		case kind.Step != nil:
			var p Point
			if err = json.Unmarshal(line, &p); err == nil {
				c.Points = append(c.Points, p)
			}
		default:
			var r Record
			if err = json.Unmarshal(line, &r); err == nil {
				c.Epochs = append(c.Epochs, r)
			}
		}
		if err != nil {
			return Curves{}, fmt.Errorf("train: %s: line %d: %w", path, number, err)
		}
	}
}

// openCurves opens the curves for appending after their first size bytes, or at their end if they are shorter; what stands
// behind belongs to steps that are made again. It returns where they are appended to.
func openCurves(dir string, size int64) (file *disk.File, end int64, err error) {
	file, err = disk.OpenFile(filepath.Join(dir, CurvesName), os.O_CREATE|os.O_WRONLY, 0o644)
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
