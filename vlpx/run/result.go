package run

import (
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
	// the splits "val" and "test", which take part as the mean colour, or without regions where these lie in files. Neither is there where all images could be read.
	Skipped    []string            `json:",omitempty"`
	Unreadable map[string][]string `json:",omitempty"`
	// Retrieved are examples from the test split; none in results of older versions.
	Retrieved []eval.Retrieved `json:",omitempty"`
	// Items are what the single queries of the test split gave; none in results of older versions.
	Items *eval.Items `json:",omitempty"`
	// Laid are images of the test split in the plane, where a task lays some out.
	Laid *eval.Laid `json:",omitempty"`
	// Thresholds are histograms of the thresholds of false negatives over the training pairs, where a task of the run compares them.
	Thresholds []eval.ThresholdBins `json:",omitempty"`
	// Sentences are captions of the test split with negatives that the model wrote, where a task of the run has it write.
	Sentences []eval.Sentence `json:",omitempty"`
	// Captioned are captions of the test split that the model wrote, where a task of the run has it write them.
	Captioned []eval.Captioned `json:",omitempty"`
	// Verdicts are on statements about two images of the test split, where a task of the run has the model judge some.
	Verdicts []eval.Verdict `json:",omitempty"`
	// Asked are questions of the test split with the model's answers, and Candidates those that it could give, where a task of the run asks.
	Asked      []eval.AskedQuestion `json:",omitempty"`
	Candidates []string             `json:",omitempty"`
	Updated    *Update              `json:",omitempty"` // what was added since; nil for nothing
	BestEpoch  int                  `json:",omitempty"` // whose weights the model has, from 1; 0 where they are the last epoch's
}

// String tells the result in a line.
func (r Result) String() string {
	return fmt.Sprintf("%s, seed %d: %.0f s, %.0f pairs/s on %s", r.Method, r.Seed, r.Seconds, r.PairsPerSecond, r.Engine)
}
