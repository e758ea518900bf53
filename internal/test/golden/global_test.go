package golden_test

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// global runs a method on the steps of a case that keeps numbers of each sample.
type global struct {
	machine
	method negative.Method
	views  bool // features are two views
	raw    bool // features are not normalised yet
	tau    float64
	// first are values of the state before the first step, by paths below it; those that Declare gives lack digits of float64.
	first map[string][]float64
	// kept names for each variable what the case expects of it after a step.
	kept map[string]string
}

// seen is what a step told.
type seen struct {
	loss, scaleGradient float64
	gradients           map[string][]float64
	kept                map[string][]float64 // which negatives count, by kind of anchors, 1 or 0, [batch, views, candidates]
}

// start makes the state, in the machine's numbers.
func (g global) start(t *testing.T, samples int) *model.Store {
	t.Helper()
	anchors := []string{negative.ImageAnchors, negative.TextAnchors}
	if g.views {
		anchors = anchors[:1]
	}
	declared, store := model.NewStore(), model.NewStore()
	must.Do(t, g.method.DeclareState(declared.Scope(state), negative.Start{Pairs: samples, Anchors: anchors}))
	for v := range declared.IterVariables() {
		values := g.first[strings.TrimPrefix(v.Path(), state)]
		if values == nil {
			for _, x := range tensors.MustCopyFlatData[float32](v.MustValue()) {
				values = append(values, float64(x))
			}
		}
		kept := must.Get(store.CreateVariable(v.Path(), g.tensor(t, tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...))))(t)
		kept.SetTrainable(false)
	}
	return store
}

// steps returns what runs step k at an epoch.
func (g global) steps(t *testing.T, c golden.Case, store *model.Store) func(k int, epoch float64) seen {
	t.Helper()
	var kinds []string
	step := g.prepared(t, store, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), true) // else what is kept would be constants to ONNX Runtime
		f := negative.Features{Image: in[0], Text: in[1], Temperature: Exp(Neg(in[2])), Views: g.views, Progress: in[3],
			State: s.Store().Scope(state), Fields: field.Nodes{field.Progress: in[3], field.Index: in[4]}}
		if g.raw {
			f.Image, f.Text = framework.Normalise(in[0]), framework.Normalise(in[1])
		}
		f.Left = g.method.Leaving(f.State, f.Fields)
		z := g.method.Contrasted(f)
		out := withGradients(z.Loss, in[:3])
		kinds = nil
		for _, a := range f.Anchors() {
			kinds = append(kinds, a.Of)
			out = append(out, ConvertDType(f.Kept(a), in[0].DType()))
		}
		return out
	})
	return func(k int, epoch float64) seen {
		t.Helper()
		at := stepPath("inputs", k)
		inputs := []*tensors.Tensor{g.value(t, c, append(at, "feat1")...), g.value(t, c, append(at, "feat2")...),
			g.tensor(t, tensors.FromScalar(-math.Log(g.tau))), g.tensor(t, tensors.FromScalar(epoch)),
			tensors.FromValue(int32s(c.Ints(append(at, "index")...)))}
		read(t, c)
		got := step(inputs)
		told := seen{loss: got[0][0], gradients: map[string][]float64{"feat1": got[1], "feat2": got[2]}, scaleGradient: got[3][0],
			kept: map[string][]float64{}}
		for i, of := range kinds {
			told.kept[of] = got[4+i]
		}
		return told
	}
}

// stepPath is where step k of a case lies.
func stepPath(in string, k int) []string { return slices.Clip([]string{in, "steps", strconv.Itoa(k)}) }

// check holds the losses, gradients of features and the state of all steps.
func (g global) check(t *testing.T, c golden.Case, samples int, epochs []float64) []seen {
	t.Helper()
	store := g.start(t, samples)
	step := g.steps(t, c, store)
	var all []seen
	for k := range c.Len("inputs", "steps") {
		at := stepPath("expected", k)
		got := step(k, epochs[k])
		g.like(t, c, "loss of step "+at[2], []float64{got.loss}, c.Tensor(append(at, "loss")...).Float)
		for name, gradient := range got.gradients {
			g.like(t, c, name+" gradient of step "+at[2], gradient, c.Tensor(append(at, "grad", name)...).Float)
		}
		for _, path := range slices.Sorted(maps.Keys(g.kept)) {
			values := numbers(t, store.GetVariable(state+path).MustValue())
			g.like(t, c, g.kept[path]+" after step "+at[2], values, c.Tensor(append(at, g.kept[path])...).Float)
		}
		read(t, c)
		all = append(all, got)
	}
	return all
}

// float32s is how near float32 must come to float64, relative to the largest of the values.
const float32s = 2e-5

// like compares values within the case's tolerance in float64.
func (g global) like(t *testing.T, c golden.Case, name string, got, want []float64) {
	t.Helper()
	if g.dtype == dtypes.Float32 {
		largest := 1.0
		for _, x := range want {
			largest = max(largest, math.Abs(x))
		}
		c.Tolerance = float32s * largest
	}
	near(t, c, name, got, want)
}
