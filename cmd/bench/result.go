package bench

import (
	"time"

	"vlpx.internal/vlpx/engine"
)

// Kinds of what is measured.
const (
	Step       = "step"
	Loader     = "loader"
	Sampler    = "sampler"
	Evaluation = "evaluation"
	Generation = "generation"
)

// Kinds are all of them, in the order of tables.
func Kinds() []string { return []string{Step, Loader, Sampler, Evaluation, Generation} }

// Result is what a benchmark measured, and where. Its JSON is what -json prints.
type Result struct {
	Machine  engine.Machine
	Engine   string
	Threads  int // of the engine on a processor, and of everything else
	Versions map[string]string
	PyTorch  string    `json:",omitempty"` // its version, where it raced
	Begun    time.Time // in UTC
	// Before and After are the machine's load when it began and ended, in processes that want a processor. Above the number of cores times
	// tell of other programs, too.
	Before, After float64
	Rounds        int
	Apart         bool `json:",omitempty"` // each line's steps were made in a process of its own
	// what the device computes at most by its maker's word, in operations a second, where it was told
	Nominal float64 `json:",omitempty"`
	Lines   []Line  `json:",omitempty"`
	Costs   []Cost  `json:",omitempty"` // where they were asked for, in the place of lines
	// Budgets are where steps' time goes, where that was asked for, in the place of lines.
	Budgets []Budget `json:",omitempty"`
	// Outlooks are what more training pairs would take, beside costs.
	Outlooks []Outlook `json:",omitempty"`
	// Left tells what was asked for and cannot be measured, each with the reason.
	Left []string `json:",omitempty"`
}

// Line is what one thing took.
type Line struct {
	Framework, Method, Scale string
	Set                      string `json:",omitempty"` // of the scale, "key=value" with commas between
	Batch                    int    // pairs a mini-batch
	Chunk                    int    `json:",omitempty"` // pairs that are encoded at a time; 0 for the whole mini-batch
	Kind                     string // one of Kinds
	What                     string // of the kind: a part of a step
	By                       string `json:",omitempty"` // PyTorch in its mode and with its threads; empty for us

	Runs int `json:",omitempty"` // at once, in processes of their own; 0 for one in this process

	Seconds                      Times // each time
	Median, Quartile1, Quartile3 float64
	Pairs                        float64 `json:",omitempty"` // a second, of all runs at once
	Operations                   float64 `json:",omitempty"` // floating-point, of products
	// operations a second of the engine's matrix product, the median in the same turns
	Peak      float64 `json:",omitempty"`
	Share     float64 `json:",omitempty"` // of Peak
	MFU       float64 `json:",omitempty"` // share of Result.Nominal, of PyTorch's steps by the operations of ours
	Precision string  `json:",omitempty"` // of products: float32, TF32 or bfloat16
	// Memory is what was taken of a GPU, in bytes: by the whole process, or of PyTorch by its tensors at most. Of a step in a process of its
	// own on a processor it is the most that the process took. 0 where nobody tells.
	Memory   uint64 `json:",omitempty"`
	Up, Down int64  `json:",omitempty"` // bytes that cross between host and engine at each step
	// Ratio is the time of the fastest of PyTorch's ways over ours, of the same part of a step; 0 where none raced.
	Ratio float64 `json:",omitempty"`
	// Undivided is the time of a step in chunks over that of the same mini-batch as a whole; 0 where that was not measured.
	Undivided float64 `json:",omitempty"`
}

// newLine is a line of times.
func newLine(what, kind string, times Times) Line {
	l := Line{What: what, Kind: kind, Seconds: times, Median: times.Median()}
	l.Quartile1, l.Quartile3 = times.Quartiles()
	return l
}
