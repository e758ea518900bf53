package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"

	"vlpx.internal/vlpx/framework"
)

// Averages is the root of the averages of the model's variables, each below the variable's path, and of what they weigh.
const Averages = "/average"

// average builds the averages of the variables of the model that the graph changes, as they are behind the update (Polyak and Juditsky,
// 1992; METHODS.md 1.2): of the values x_1 to x_t behind the steps so far, sum_i d^(t-i) x_i / sum_i d^(t-i) with the decay d of
// Config.EMA. First values have no part in it. Where hold, a boolean scalar or nil, is true everything stays as it is.
func (c Config) average(store *model.Store, g *Graph, hold *Node) {
	if c.EMA == 0 {
		return
	}
	var changed []*model.Variable
	for v := range store.Scope(framework.Model).IterVariables() {
		if v.Shape().DType.IsFloat() && v.ChangedInGraph(g) {
			changed = append(changed, v)
		}
	}
	slices.SortFunc(changed, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	own := func(path string, shape shapes.Shape) *model.Variable {
		return store.VariableWithShape(Averages+path, shape, initializer.Zero).SetTrainable(false)
	}
	set := setter(g, hold)
	for _, v := range changed {
		weights := own("/weights/"+v.Shape().DType.String(), shapes.Make(v.Shape().DType)) // the denominator above
		sum := weights.NodeValue(g)
		if !weights.ChangedInGraph(g) {
			sum = AddScalar(MulScalar(sum, c.EMA), 1)
			set(weights, sum)
		}
		of := own(v.Path(), v.Shape())
		before := of.NodeValue(g)
		set(of, Add(before, Div(Sub(v.NodeValue(g), before), weights.NodeValue(g))))
	}
}

// swapAverages puts the averages, where there are any, into the places of the model's variables, and these into theirs: called again, it
// puts all back.
func swapAverages(store *model.Store) error {
	for average := range store.Scope(Averages + framework.Model).IterVariables() {
		v := store.GetVariable(strings.TrimPrefix(average.Path(), Averages))
		if v == nil || !average.HasValue() {
			return fmt.Errorf("train: %s is the average of no variable of the model, or has no value", average.Path())
		}
		mean, err := average.Value()
		if err != nil {
			return fmt.Errorf("train: variable %s: %w", average.Path(), err)
		}
		last, err := v.Value()
		if err != nil {
			return fmt.Errorf("train: variable %s: %w", v.Path(), err)
		}
		if err := v.SetValuePreservingOld(mean); err != nil {
			return fmt.Errorf("train: variable %s: %w", v.Path(), err)
		}
		if err := average.SetValuePreservingOld(last); err != nil {
			return fmt.Errorf("train: variable %s: %w", average.Path(), err)
		}
	}
	return nil
}

// averaged calls a function while the model has its averages.
func (t *trainer) averaged(do func() error) (err error) {
	if t.job.Config.EMA == 0 {
		return do()
	}
	if err := swapAverages(t.store); err != nil {
		return err
	}
	defer func() {
		if failed := swapAverages(t.store); err == nil {
			err = failed
		}
	}()
	return do()
}
