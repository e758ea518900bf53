package encoder

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"

	"vlpx.internal/internal/test/must"
)

// declared is a store with float32 variables of the given paths and shapes.
func declared(t *testing.T, variables map[string][]int) *model.Store {
	t.Helper()
	store := model.NewStore()
	for path, dims := range variables {
		store.VariableWithShape(path, shapes.Make(dtypes.Float32, dims...), initializer.Zero)
	}
	return store
}

func initialised(t *testing.T, root string, seed uint64, variables map[string][]int) *model.Store {
	t.Helper()
	store := declared(t, variables)
	must.Do(t, Initialise(store, root, seed))
	return store
}

func TestInitialiseDrawsByPathAndSeed(t *testing.T) {
	const path = "/model/text/" + Weights
	want := values(t, initialised(t, "/model", 1, map[string][]int{path: {8, 4}}), path)
	for _, c := range []struct {
		name, root, path string
		seed             uint64
		more             string // another variable of the store
		same             bool
	}{
		{"the same again", "/model", path, 1, "", true},
		{"beside another variable", "/model", path, 1, "/model/extra/" + Weights, true},
		{"of a momentum copy", "/momentum", "/momentum/text/" + Weights, 1, "", true},
		{"of another seed", "/model", path, 2, "", false},
		{"of another path", "/model", "/model/vision/" + Weights, 1, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			variables := map[string][]int{c.path: {8, 4}}
			if c.more != "" {
				variables[c.more] = []int{3, 3}
			}
			got := values(t, initialised(t, c.root, c.seed, variables), c.path)
			if slices.Equal(got, want) != c.same {
				t.Errorf("equal values: got %v, want %v", !c.same, c.same)
			}
		})
	}
}

// Deviations: 1/sqrt of a fan-in below 768, BERT's 0.02 from there on; tables 0.02 sqrt(768/width). Truncated at two of its
// standard deviations, a normal distribution keeps 0.8796 of its own.
func TestInitialiseMoments(t *testing.T) {
	for _, c := range []struct {
		name      string
		dims      []int
		deviation float64
	}{
		{Weights, []int{64, 1000}, 0.125},
		{Weights, []int{768, 100}, 0.02},
		{Weights, []int{3072, 32}, 0.02},
		{Weights, []int{3, 3, 16, 500}, 1.0 / 12}, // 144 inputs
		{Weights, []int{7, 7, 16, 64}, 0.02},      // 784 inputs
		{Embedding, []int{1000, 192}, 0.04},
		{Embedding, []int{100, 1024}, 0.02},
	} {
		path := "/model/" + c.name
		x := values(t, initialised(t, "/model", 3, map[string][]int{path: c.dims}), path)
		var mean, square, greatest float64
		for _, v := range x {
			mean += float64(v) / float64(len(x))
			square += float64(v) * float64(v) / float64(len(x))
			greatest = math.Max(greatest, math.Abs(float64(v)))
		}
		if math.Abs(mean) > 5*c.deviation/math.Sqrt(float64(len(x))) {
			t.Errorf("%s %v: mean: got %v, want 0", c.name, c.dims, mean)
		}
		if got, want := math.Sqrt(square)/c.deviation, 0.8796; math.Abs(got-want) > 0.01 {
			t.Errorf("%s %v: deviation over %v: got %v, want %v", c.name, c.dims, c.deviation, got, want)
		}
		if greatest > 2.000001*c.deviation || greatest < 1.95*c.deviation {
			t.Errorf("%s %v: greatest value: got %v, want nearly %v", c.name, c.dims, greatest, 2*c.deviation)
		}
	}
}

func TestInitialiseConstants(t *testing.T) {
	for name, want := range map[string]float32{Gain: 1, Offset: 0, Bias: 0, Temperature: 0.07, Scale: 2.6592600, RunningMean: 0,
		RunningVariance: 1} {
		store := initialised(t, "/model", 1, map[string][]int{"/model/x/" + name: {2}})
		if got := values(t, store, "/model/x/"+name); got[0] != want || got[1] != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestInitialiseWithoutRule(t *testing.T) {
	err := Initialise(declared(t, map[string][]int{"/model/text/kernel": {2}}), "/model", 1)
	if err == nil || !strings.Contains(err.Error(), "/model/text/kernel") {
		t.Errorf("got error %v, want one that names /model/text/kernel", err)
	}
	if err := Initialise(declared(t, map[string][]int{"/state/queue": {2}}), "/model", 1); err != nil {
		t.Errorf("a variable outside the root: got error %v, want none", err)
	}
}
