package paper

import (
	"fmt"
	"time"
	"vlpx.internal/vlpx/plan"
)

// costs are what one run takes: for tiny and mini measured with ONNX Runtime on two cores (the shipped reference results tell
// their own); for small and paper an estimate of ours from the number of operations, on one large GPU, which no run has confirmed.
var costs = map[string]time.Duration{
	"tiny": 1200 * time.Millisecond, "mini": 135 * time.Second, "small": 3 * time.Hour, "paper": 90 * time.Hour,
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

// RunsASeed counts the runs that an artifact takes for one seed, with all that they need, each once. It plans them at the mini preset, of
// few scenes, so that next to nothing is read.
func (a Artifact) RunsASeed() int {
	p, err := plan.New(a.Experiment(), plan.Request{Scale: "mini", Seeds: []uint64{1},
		Set: []string{"scenes.train=16", "scenes.val=1", "scenes.test=1"}})
	if err != nil {
		panic(fmt.Sprintf("paper: %s: %v", a.ID, err))
	}
	return len(p.Runs())
}

// PureGoFactor is how much longer a run of a preset takes in pure Go than with ONNX Runtime, measured on two cores: 1.7 at
// tiny, where little is spent on products, 10 at mini. A step alone, without loading and evaluation, may differ more: see
// slowerGo in package engine.
func PureGoFactor(scale string) float64 {
	if scale == "tiny" {
		return 1.7
	}
	return 10
}
