package lab

import (
	"strings"
	"time"

	"vlpx.internal/vlpx/paper"
)

// Estimate is about how long a number of this grid's runs takes on an engine: by the runs of the grid that the store has from
// the same engine, else by the shipped reference results, else by the preset's usual cost.
func (g *Grid) Estimate(runs int, engine string) (time.Duration, error) {
	var seconds float64
	var n int
	for _, r := range g.Plan.Runs() {
		result, done, err := g.Store.Find(r)
		if err != nil && !isDamaged(err) {
			return 0, err
		}
		if done && result.Engine == engine {
			seconds += result.Seconds
			n++
		}
	}
	if n > 0 {
		return time.Duration(float64(runs) * seconds / float64(n) * float64(time.Second)), nil
	}
	preset, err := paper.Preset(g.Plan.Scale.Name, g.Plan.Data.Scenes == nil)
	if err != nil {
		return 0, err
	}
	reference, err := paper.FindReference(g.Plan)
	if err != nil {
		return 0, err
	}
	each := paper.RunCost(g.Plan.Scale.Name)
	if reference != nil {
		each = time.Duration(reference.Seconds * float64(time.Second))
	}
	if strings.HasPrefix(engine, "go") {
		each = time.Duration(float64(each) * paper.PureGoFactor(g.Plan.Scale.Name))
	}
	each = each * time.Duration(g.Plan.Scale.Epochs) / time.Duration(preset.Epochs)
	return time.Duration(runs) * each, nil
}
