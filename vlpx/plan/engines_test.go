package plan_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Of the mini-batches here: words of the vocabulary, training pairs, and pairs a mini-batch.
const (
	fewWords = 50
	fewPairs = 8
	aBatch   = 4
)

// smallest is the scale "tiny" of a framework with even smaller sizes.
func smallest(t *testing.T, name string) scale.Scale {
	s := framed(t, "tiny", name)
	s.Locked = scale.Locked{}
	s.BatchSize, s.MaxLen, s.MomentumQueue, s.SearchSpace, s.GroupQueue = aBatch, 10, aBatch, fewPairs, fewPairs
	if s.Bottlenecks == nil {
		s.Width, s.MLP, s.Embed = 16, 16, 8
	}
	return s
}

// Every method's step gives the same losses, gradients and state on pure Go and on the compiled engines, by the first framework that it
// suits, and so do steps of ALBEF, CLIP and BLIP-2 and of the stages. Other frameworks, and what is written by masked words, where a
// rounding may make another one, are held so in package train.
func TestStepsOnEngines(t *testing.T) {
	elsewhere := []string{"plain tuning", "second stage", "pre-training"} // in package train, or as another one here
	all := slices.DeleteFunc(stages(t, smallest, fewWords), func(c train.Config) bool { return slices.Contains(elsewhere, c.Method.Name) })
	seen := map[string]bool{}
	for _, name := range []string{"CLIP", "ALBEF", "BLIP-2"} {
		first := true
		for _, m := range scale.Methods() {
			c := trains(smallest(t, name), m, fewWords).Train
			step := stepOf(t, c.Method)
			if suits(t, c) && !c.Method.Writes() && (first || !seen[m.Name] && !seen[step]) {
				all, first = append(all, c), false
			}
			if suits(t, c) {
				seen[m.Name], seen[step] = true, true
			}
		}
	}
	if len(all) < 25 {
		t.Errorf("got %d steps", len(all))
	}
	pureGo := enginetest.PureGo(t)
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) {
			fast := enginetest.Open(t, name)
			for _, c := range all {
				t.Run(c.Framework.Name()+", "+c.Method.Name, func(t *testing.T) {
					want, got := stepped(t, pureGo, c), stepped(t, fast, c)
					largest := 0.0
					for path, numbers := range want {
						if strings.HasPrefix(path, train.Optimiser) {
							largest = max(largest, magnitude(numbers))
						}
					}
					if largest == 0 || len(got) != len(want) {
						t.Fatalf("%d numbers and variables, want %d; the largest gradient is %g", len(got), len(want), largest)
					}
					for path, numbers := range want {
						off := make([]float32, len(numbers))
						for i := range numbers {
							off[i] = got[path][i] - numbers[i]
						}
						// Gradients that are zero but for rounding are held against the largest.
						if far := magnitude(off); !(far <= 1e-3*magnitude(numbers)+1e-5*largest) {
							t.Errorf("%s: off by %g of %g, the largest gradient is %g", path, far, magnitude(numbers), largest)
						}
					}
				})
			}
		})
	}
}

// magnitude is the largest absolute value.
func magnitude(x []float32) (most float64) {
	for _, x := range x {
		most = max(most, math.Abs(float64(x)))
	}
	return most
}

// stepped makes one step of a configuration on a mini-batch of draws, without dropout, and returns what it told, the means of gradients and
// what the method keeps.
func stepped(t *testing.T, backend compute.Backend, c train.Config) map[string][]float32 {
	t.Helper()
	f, store := c.Framework.Framework, model.NewStore()
	defer store.Finalize()
	start := negative.Start{Pairs: fewPairs, BatchSize: c.BatchSize, Dim: framework.Dim(f), Epochs: c.Epochs, Seed: 1}
	must.Do(t, framework.Initialise(f, c.Use(), backend, store, start))
	if c.Method.NeedsReference() {
		start.Seed = 2
		reference := model.NewStore()
		defer reference.Finalize()
		must.Do(t, framework.Initialise(f, c.Use(), backend, reference, start))
		must.Do(t, framework.Freeze(reference, store))
	}
	step := train.NewStep(backend, store, c)
	defer step.Close()
	in := drawn(t, c)
	defer in.Release()
	out := must.Get(step.Run(in, 2*c.BatchSize))(t)
	defer out.Release()
	all := map[string][]float32{}
	for name, loss := range out.Losses {
		all["loss "+string(name)] = []float32{float32(loss)}
	}
	for v := range store.IterVariables() {
		moments := strings.HasPrefix(v.Path(), train.Optimiser+"/mean") || strings.HasPrefix(v.Path(), train.Optimiser+"/momentum")
		if !moments && !strings.HasPrefix(v.Path(), framework.State) || v.DType().IsInt() {
			continue
		}
		value := must.Get(v.Value())(t)
		all[v.Path()] = must.Get(tensors.CopyFlatData[float32](value))(t)
	}
	return all
}

// drawn are the fields of a mini-batch: texts of some length of words, images of noise, and what else a step reads.
func drawn(t *testing.T, c train.Config) field.Values {
	t.Helper()
	special := objective.Special{Pad: 0, CLS: 1, Mask: 2}
	captions := texts(random.Stream(1, field.Captions), c.BatchSize, c.MaxLen)
	masks := func(name field.Name, n int) objective.MaskDraws {
		return objective.DrawMask(random.Stream(1, name), n, 0.5, fewWords)
	}
	masked, words := objective.MaskTokens(captions, masks(field.Masked, len(captions)), special)
	in := field.Values{}
	for _, f := range c.Inputs() {
		r, size, dims := random.Stream(1, f.Name), f.Shape.Size(), f.Shape.Dimensions
		reals, wholes := make([]float32, size), make([]int32, size)
		for i := range reals {
			reals[i], wholes[i] = float32(r.Float64()), int32(i)
		}
		switch f.Name {
		case field.Image, field.View, field.Other, field.PoolImages:
			for i := range reals {
				reals[i] = float32(r.NormFloat64())
			}
		case field.Noise:
			for i := range reals {
				reals[i] = float32(-math.Log(r.ExpFloat64()))
			}
		case field.Rate:
			reals[0] = 1e-3
		case field.Truth:
			for i := range reals { // each caption is true of its own image, and some of another
				if reals[i] = 0; i%(c.BatchSize+1) == 0 || r.IntN(5) == 0 {
					reals[i] = 1
				}
			}
		case field.Known:
			for i := range reals {
				reals[i] = 1
			}
		case field.Captions:
			wholes = captions
		case field.Masked:
			wholes = masked
		case field.Words:
			wholes = words
		case field.Fresh:
			wholes = masks(f.Name, size).Codes(special)
		case field.PoolCaptions, field.Answers:
			wholes = texts(r, size/dims[len(dims)-1], dims[len(dims)-1])
		case field.Class, field.Verdict:
			for i := range wholes {
				wholes[i] = int32(i % 2)
			}
		case field.Index, field.Items, field.PoolItems, field.Progress, field.FalseShare, field.Assignment, field.AnswerWeights:
		default:
			t.Fatalf("nothing draws %q", f.Name)
		}
		if f.Shape.DType.IsInt() {
			in[f.Name] = tensors.FromFlatDataAndDimensions(wholes, dims...)
		} else {
			in[f.Name] = tensors.FromFlatDataAndDimensions(reals, dims...)
		}
	}
	return in
}

// texts are ids of rows of tokens, padded with zeros, which begin with 1 and end with 3.
func texts(r *rand.Rand, rows, tokens int) (ids []int32) {
	for range rows {
		row := make([]int32, tokens)
		last := 3 + r.IntN(tokens-3)
		for k := range last {
			row[k] = int32(4 + r.IntN(fewWords-4))
		}
		row[0], row[last] = 1, 3
		ids = append(ids, row...)
	}
	return ids
}
