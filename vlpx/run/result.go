package run

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
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
	Finished   time.Time
	Seconds    float64   // of training, without evaluation
	Clock      []float64 // of training at the end of each epoch; none in results of older versions
	Parameters int
	// PairsPerSecond is the speed of training; Loader and Sampler are the shares of its time that it waited for data and
	// spent choosing mini-batches.
	PairsPerSecond, Loader, Sampler float64
	PeakMemory                      int64 // bytes, of the process, where the system tells
	SkippedImages                   int
	// Retrieved are examples from the test split; none in results of older versions.
	Retrieved []eval.Retrieved `json:",omitempty"`
	BestEpoch int              `json:",omitempty"` // whose weights the model has, from 1; 0 where they are the last epoch's
}

// Commit is the revision that the program was built from: as the build says, else $VLPX_COMMIT, which the notebooks' kernel sets, else
// "unknown".
func Commit() string {
	revision, modified := cmp.Or(os.Getenv("VLPX_COMMIT"), "unknown"), ""
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return revision
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	return revision + modified
}

// peakMemory is the largest resident size of the process so far in bytes, 0 where the system does not tell.
func peakMemory() int64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kilobytes << 10
		}
	}
	return 0
}

// String tells the result in a line.
func (r Result) String() string {
	return fmt.Sprintf("%s, seed %d: %.0f s, %.0f pairs/s on %s", r.Method, r.Seed, r.Seconds, r.PairsPerSecond, r.Engine)
}
