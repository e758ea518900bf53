package run

import (
	"encoding/json"
	"fmt"
	"time"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// Result is what a run gave.
type Result struct {
	ID      string
	Method  string
	Seed    uint64
	Metrics map[string]float64 // of the test split, by the names of package eval
	Epochs  []train.Record     // with retrieval on the validation split after each epoch

	Engine     string
	Versions   map[string]string
	Commit     string
	Code       string `json:",omitempty"` // see [Run.Code]; none in results of older versions
	Finished   time.Time
	Seconds    float64   // of training, without evaluation
	Clock      []float64 // of training at the end of each epoch; none in results of older versions
	Parameters int
	// PairsPerSecond is the speed of training; Loader and Sampler are the shares of its time that it waited for data and
	// spent choosing mini-batches.
	PairsPerSecond, Loader, Sampler float64
	// PeakMemory is the largest resident size of the process during the run, in bytes; 0 where the system does not tell. Of a run
	// that was stopped it is that of its last part, and results of older versions have the process's largest before it, too.
	PeakMemory    int64
	SkippedImages int
	// Skipped tells the training images that could not be read, for which others stood in the mini-batches. Unreadable names those of
	// the splits "val" and "test", which take part as the mean colour, or without regions where these lie in files. Neither is there where
	// all images could be read.
	Skipped    []string            `json:",omitempty"`
	Unreadable map[string][]string `json:",omitempty"`
	// ByEqualCaptions names the splits in which equal captions are all that tells which captions are true of other images.
	ByEqualCaptions []string          `json:",omitempty"`
	Examples        eval.Examples     `json:",omitempty"` // of the test split
	Updated         *Update           `json:",omitempty"` // what was added since; nil for nothing
	Files           map[string]string `json:",omitempty"` // SHA-256 of the tokenizer and the curves; none in results of older versions
	BestEpoch       int               `json:",omitempty"` // whose weights the model has, from 1; 0 where they are the last epoch's
}

// String tells the result in a line.
func (r Result) String() string {
	return fmt.Sprintf("%s, seed %d: %.0f s, %.0f pairs/s on %s", r.Method, r.Seed, r.Seconds, r.PairsPerSecond, r.Engine)
}

// formerExamples are the names of examples that had fields of their own in results of older versions.
var formerExamples = []string{"Retrieved", "Items", "Laid", "Thresholds", "Sentences", "Captioned", "Verdicts", "Asked", "Candidates"}

// readResult reads a result's JSON, also of older versions.
func readResult(text []byte) (result Result, err error) {
	if err := json.Unmarshal(text, &result); err != nil || result.Examples != nil {
		return result, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return result, err
	}
	for _, name := range formerExamples {
		if of, has := fields[name]; has {
			if err := result.Examples.Read(name, of); err != nil {
				return result, err
			}
		}
	}
	return result, nil
}
