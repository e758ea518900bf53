package paper

import (
	"fmt"
	"time"
)

// costs are what one run takes: measured for tiny and mini with ONNX Runtime on two cores, estimated from the number of
// operations for small and paper on one large GPU.
var costs = map[string]time.Duration{
	"tiny": 1200 * time.Millisecond, "mini": 100 * time.Second, "small": 3 * time.Hour, "paper": 90 * time.Hour,
}

// Cost tells what a number of runs takes at a scale.
func Cost(scale string, runs int) string {
	switch d := time.Duration(runs) * costs[scale]; {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 96*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	default:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
}

// RunCost is the usual time of one run of a preset, with ONNX Runtime on two cores or on a GPU; see Cost.
func RunCost(scale string) time.Duration { return costs[scale] }

// Methods counts the rows of an artifact whose methods are there.
func (a Artifact) Methods() int {
	n := 0
	for _, row := range a.Rows {
		if row.Method != nil {
			n++
		}
	}
	return n
}

// PureGoFactor is how much longer a run of a preset takes in pure Go than with ONNX Runtime, measured on two cores: 1.7 at
// tiny, where little is spent on products, 10 at mini.
func PureGoFactor(scale string) float64 {
	if scale == "tiny" {
		return 1.7
	}
	return 10
}
