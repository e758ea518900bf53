package uniter

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
	"vlpx.internal/vlpx/objective"
)

func small() Model {
	return Model{
		Text:    encoder.BERT{Vocab: 12, Positions: 9, Width: 12, Heads: 2, MLP: 24, Layers: 2},
		Regions: encoder.Regions{Count: 3, Features: 5}, Margin: 0.2,
	}
}

// writing is TAGS-DC with few sentences.
func writing() negative.Method {
	return negative.Method{
		Name: "TAGS-DC", Matching: negative.Retrieved{Pool: 4, Keep: 2},
		Writing: negative.TAGS{Masks: 2, Refills: 3, Keep: 4, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 0.2, WoD: 0.3, WoC: 0.4},
	}.WithDefaults()
}

func use(m negative.Method) framework.Use {
	return framework.Use{Method: m, Batch: 3, Image: 32, Tokens: 6}
}

// initialised is a store of a model with first weights, those of the heads that start at zero, too.
func initialised(t *testing.T, on compute.Backend, m Model, u framework.Use, seed uint64) *model.Store {
	t.Helper()
	store := model.NewStore()
	must.Do(t, store.SetRNGStateFromSeed(int64(seed))) // for dropout
	must.Do(t, framework.Check(m, u))
	must.Do(t, framework.Initialise(m, u, on, store, negative.Start{Pairs: 9, BatchSize: 3, Dim: 1, Epochs: 1, Seed: seed}))
	for v := range store.Scope(framework.Model).IterVariables() { // small first weights distinguish little
		numbers := tensors.MustCopyFlatData[float32](v.MustValue())
		for k, x := range numbers {
			numbers[k] = 3*x + 0.2*float32(math.Sin(float64(seed)+float64(len(v.Path())*(k+1))))
		}
		must.Do(t, v.SetValue(tensors.FromFlatDataAndDimensions(numbers, v.Shape().Dimensions...)))
	}
	return store
}

// mini is a mini-batch of three pairs, the second and third of one image, with a pool of four, two of the second's image and one of
// the first's. Captions have five, six and four tokens; images two and three regions. A random word of a draft is the padding's.
type mini struct {
	captions, pool      [][]int32
	images, poolImages  [][]float32
	items, poolItems    []int32
	drafts, draftWords  [][]int32 // two of each pair
	masked, maskedWords [][]int32
	annotated           []int32
	refills             []float32
}

// newMini pads captions to so many tokens and images to so many regions, with rows to spare of any numbers but the last.
func newMini(tokens, count int) mini {
	padded := func(value int32, ids ...int32) []int32 {
		return append(ids, slices.Repeat([]int32{value}, tokens-len(ids))...)
	}
	picture := func(of, regions int) []float32 {
		var rows []float32
		for k := range count {
			for d := range 5 + encoder.Geometry {
				rows = append(rows, float32(math.Sin(float64((of+1)*(3*k+d*d+1)))))
			}
			rows = append(rows, map[bool]float32{true: 1}[k < regions])
		}
		return rows
	}
	const no = objective.Ignored
	b := mini{
		captions: [][]int32{padded(0, 2, 5, 6, 7, 3), padded(0, 2, 7, 8, 9, 6, 3), padded(0, 2, 10, 8, 3)},
		pool:     [][]int32{padded(0, 2, 8, 9, 3), padded(0, 2, 10, 8, 9, 3), padded(0, 2, 6, 7, 5, 9, 3), padded(0, 2, 11, 3)},
		images:   [][]float32{picture(0, 2), picture(1, 3), picture(1, 3)},
		items:    []int32{0, 1, 1}, poolItems: []int32{1, 1, 0, 2},
		drafts: [][]int32{padded(0, 2, 4, 6, 7, 3), padded(0, 2, 5, 4, 4, 3), padded(0, 2, 4, 8, 4, 6, 3), padded(0, 2, 7, 0, 9, 4, 3),
			padded(0, 2, 4, 8, 3),
			padded(0, 2, 10, 4, 3)},
		draftWords: [][]int32{padded(no, no, 5), padded(no, no, no, 6, 7), padded(no, no, 7, no, 9), padded(no, no, no, 8, no, 6),
			padded(no, no, 10),
			padded(no, no, no, 8)},
	}
	b.poolImages = [][]float32{b.images[1], b.images[1], b.images[0], picture(2, 1)}
	for k := range b.captions {
		b.masked, b.maskedWords = append(b.masked, b.drafts[2*k]), append(b.maskedWords, b.draftWords[2*k])
		own := append(slices.Clone(b.captions[k]), make([]int32, 4*tokens)...)
		b.annotated = append(b.annotated, own...)
	}
	for row := range 3 * 2 * 3 {
		for at := range tokens {
			_, u := math.Modf(math.Abs(math.Sin(float64(row*13+at*7+1))) * 4375.8)
			b.refills = append(b.refills, float32(u))
		}
	}
	return b
}

// values are those of a step's inputs.
func (b mini) values(inputs []field.Field) field.Values {
	wholes := map[field.Name][]int32{
		field.Captions: slices.Concat(b.captions...), field.PoolCaptions: slices.Concat(b.pool...), field.Items: b.items,
		field.PoolItems: b.poolItems,
		field.Drafts:    slices.Concat(b.drafts...), field.DraftWords: slices.Concat(b.draftWords...), field.Annotated: b.annotated,
		field.Masked: slices.Concat(b.masked...), field.Words: slices.Concat(b.maskedWords...),
	}
	reals := map[field.Name][]float32{
		field.Image: slices.Concat(b.images...), field.PoolImages: slices.Concat(b.poolImages...), field.Refills: b.refills,
		field.Noise: {0, 9, 0, 0, 0, 9, 0, 9, 0, 0, 0, 9, 9, 0, 0, 9, 0, 0},
	}
	in := field.Values{}
	for _, f := range inputs {
		if f.Shape.DType.IsInt() {
			in[f.Name] = tensors.FromFlatDataAndDimensions(slices.Clone(wholes[f.Name]), f.Shape.Dimensions...)
		} else {
			in[f.Name] = tensors.FromFlatDataAndDimensions(slices.Clone(reals[f.Name]), f.Shape.Dimensions...)
		}
	}
	return in
}

// step makes a step, in training.
func step(t *testing.T, on compute.Backend, store *model.Store, m Model, u framework.Use, b mini) steptest.Step {
	t.Helper()
	inputs := m.Inputs(u)
	in, args := b.values(inputs), make([]*tensors.Tensor, len(inputs))
	for k, f := range inputs {
		args[k] = in[f.Name]
	}
	return steptest.Of(t, on, store, m, u, args...)
}
