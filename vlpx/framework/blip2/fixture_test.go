package blip2

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/steptest"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

const side, vocab = 8, 12

func small() Model {
	return Model{
		Vision: encoder.ViT{Image: side, Patch: 4, Width: 8, Layers: 1, Heads: 2, MLP: 16, EVA: true, Open: true},
		Text:   encoder.QFormer{Vocab: vocab, Positions: 9, Queries: 3, Width: 12, Heads: 2, MLP: 24, Layers: 3, Every: 2},
		Embed:  6, Smoothing: 0.1,
	}
}

func use(m negative.Method, batch, tokens int) framework.Use {
	return framework.Use{Method: m.WithDefaults(), Batch: batch, Image: side, Tokens: tokens, Room: 2 * batch}
}

// initialised is a store of a model whose weights are large enough to distinguish inputs.
func initialised(t *testing.T, on compute.Backend, m Model, u framework.Use) *model.Store {
	t.Helper()
	store := model.NewStore()
	must.Do(t, framework.Check(m, u))
	must.Do(t, framework.Initialise(m, u, on, store, negative.Start{Pairs: 9, BatchSize: u.Batch, Dim: m.Dim(), Epochs: 1,
		Seed: 3}))
	for v := range store.Scope(framework.Model).IterVariables() {
		if v.Name() == encoder.Temperature {
			continue
		}
		numbers := tensors.MustCopyFlatData[float32](v.MustValue())
		for k, x := range numbers {
			numbers[k] = 2*x + 0.2*float32(math.Sin(float64(len(v.Path())*(k+1))))
		}
		must.Do(t, v.SetValue(tensors.FromFlatDataAndDimensions(numbers, v.Shape().Dimensions...)))
	}
	return store
}

// mini is a mini-batch: captions by their ids, and images that are numbered.
type mini struct {
	captions [][]int32
	images   []int
	truth    [][]float32
}

// three are pairs of captions of five, four and three tokens.
func three(tokens int) mini {
	var b mini
	for _, ids := range [][]int32{{2, 5, 6, 7, 3}, {2, 8, 9, 3}, {2, 10, 3}} {
		b.captions = append(b.captions, append(ids, make([]int32, tokens-len(ids))...))
	}
	b.images = []int{0, 1, 2}
	b.truth = [][]float32{{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}
	return b
}

func picture(k, size int) []float32 {
	x := make([]float32, size)
	for i := range x {
		x[i] = float32(math.Sin(float64((k+1)*(i+1)))) + float32(k)
	}
	return x
}

func (b mini) values(inputs []field.Field) []*tensors.Tensor {
	var in []*tensors.Tensor
	for _, f := range inputs {
		dims, size := f.Shape.Dimensions, f.Shape.Size()
		var numbers any = make([]float32, size)
		switch f.Name {
		case field.Captions:
			numbers = slices.Concat(b.captions...)
		case field.Image:
			var all []float32
			for _, k := range b.images {
				all = append(all, picture(k, size/dims[0])...)
			}
			numbers = all
		case field.Truth:
			numbers = slices.Concat(b.truth...)
		}
		switch numbers := numbers.(type) {
		case []float32:
			in = append(in, tensors.FromFlatDataAndDimensions(numbers, dims...))
		case []int32:
			in = append(in, tensors.FromFlatDataAndDimensions(numbers, dims...))
		}
	}
	return in
}

// step makes a step, in training.
func step(t *testing.T, on compute.Backend, store *model.Store, m Model, u framework.Use, b mini) steptest.Step {
	t.Helper()
	return steptest.Of(t, on, store, m, u, b.values(m.Inputs(u))...)
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-4*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}
