package all_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// What stands in a stack of layers and in no layer of it is known to lie before the layers or behind them, in every framework.
func TestHeights(t *testing.T) {
	backend := enginetest.PureGo(t)
	layer, scope := regexp.MustCompile(`/layer_\d+/`), regexp.MustCompile(`^/model/(?:decoder|language|qformer|text|vision)/(\w+)/`)
	before, behind := map[string]bool{}, map[string]bool{}
	for _, k := range scale.Frameworks() {
		if k.Name == "SimCLR" {
			continue // a ResNet
		}
		e := plan.Experiment{ID: "test/heights", Rows: []plan.Row{plan.MethodRow("InfoNCE")}}
		p := must.Get(plan.New(e, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"framework=" + k.Name}}))(t)
		c := p.Rows[0][0].Train
		store := model.NewStore()
		must.Do(t, framework.Declare(c.Framework.Framework, c.Use(), backend, store))
		var paths []string
		for v := range store.Scope(framework.Model).IterVariables() {
			paths = append(paths, v.Path())
		}
		heights := must.Get(encoder.Heights(paths))(t)
		for _, path := range paths {
			of := scope.FindStringSubmatch(path)
			switch {
			case layer.MatchString(path) || of == nil:
			case heights[path] > 0:
				before[of[1]] = true
			default:
				behind[of[1]] = true
			}
		}
	}
	listtest.Equal(t, "before layers", slices.Sorted(maps.Keys(before)), []string{"class", "embeddings", "first_norm", "patch", "position", "queries", "word"})
	listtest.Equal(t, "behind layers", slices.Sorted(maps.Keys(behind)), []string{"corrected", "mlm", "norm", "pooler"})
}
