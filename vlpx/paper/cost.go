package paper

import (
	"encoding/json"
	"fmt"
	"time"

	"vlpx.internal/vlpx/run"
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

// RunsASeed counts the runs that an artifact takes for one seed: those of its rows, of the pre-training before a fine-tuning, and of
// reference models, and of those that rows ask, each once.
func (a Artifact) RunsASeed() int {
	known := map[string]bool{}
	for _, row := range a.Rows {
		row.runs(known)
	}
	return len(known)
}

// runs adds what identifies the row's runs at the mini preset.
func (row Row) runs(known map[string]bool) {
	if row.Method == nil {
		return
	}
	scale, err := Preset("mini", false)
	if err != nil {
		panic(err)
	}
	if err := row.onto(&scale); err != nil {
		panic(err)
	}
	if row.Vary != nil {
		row.Vary(&scale)
	}
	of := func(parts ...any) string {
		text, err := json.Marshal(append(parts, scale))
		if err != nil {
			panic(fmt.Sprintf("paper: %s: %v", row.Name, err))
		}
		return string(text)
	}
	methods := []any{row.Method(scale)}
	if row.Reference != nil {
		reference := *row.Reference
		reference.Vary = row.Vary // it is trained on the row's data
		reference.runs(known)
		methods = append(methods, reference.Method(scale), reference.Tune != nil)
	}
	if row.From != nil {
		row.From.runs(known)
		methods = append(methods, row.From.Name)
	}
	known[of(methods...)] = true
	if scale.WarmStart != 0 {
		warm := scale.warmStart()
		known[warm.Runs(run.Data{Scenes: &warm.Scenes}, run.Vocabulary{}, 1, warm.warmMethod(), []uint64{warmSeed})[0].ID()] = true
	}
	if row.Ask != nil {
		for _, other := range []*Row{row.Ask.Model, row.Ask.Of} {
			if other != nil {
				other.runs(known)
			}
		}
	}
	if row.Tune != nil {
		known[of(append(methods, row.Tune(scale))...)] = true
	}
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
