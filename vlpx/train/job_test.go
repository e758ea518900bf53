package train

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

func captions(s datasets.Set) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range datasets.Pairs(s) {
			if !yield(p.Text(s)) {
				return
			}
		}
	}
}

// jobOn is the smallest job on a set: mini-batches of four, three epochs, and dropout, whose draws come from the store.
func jobOn(t *testing.T, set datasets.Set, m negative.Method) Job {
	t.Helper()
	tokenizer := must.Get(text.FromCorpus(captions(set), 1, 200))(t)
	return Job{
		Config: Config{
			Framework: framework.Choice{Framework: albef.Model{
				Vision: encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16},
				Text: encoder.BERT{Vocab: tokenizer.Size(), Positions: 12, Width: 8, Heads: 2, MLP: 16, Layers: 1, Fusion: 1,
					Dropout: 0.1},
				Embed: 6,
			}},
			Method: m, BatchSize: 4, Epochs: 3, MaxLen: 10,
			Transform: transform.Pipeline{Size: 16},
			Optimiser: AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1},
			Schedule:  Schedule{Warmup: 1e-4, Rate: 1e-3, Min: 1e-4, Units: 3, Unit: 2, Epochs: 3},
			Seed:      7,
		},
		Set: set, Tokenizer: tokenizer, Backend: enginetest.PureGo(t), Dir: t.TempDir(),
	}
}

// smallest is jobOn generated scenes: 22 pairs, 5 steps an epoch.
func smallest(t *testing.T, m negative.Method) Job {
	t.Helper()
	c := must.Get(scenes.New(scenes.Config{Train: 11, Val: 1, Test: 1, Captions: 2, Size: 16}))(t)
	set := must.Get(c.Split("train"))(t)
	return jobOn(t, set, m)
}

// change changes a job's ALBEF.
func change(job *Job, how func(*albef.Model)) {
	a := job.Config.Framework.Framework.(albef.Model)
	how(&a)
	job.Config.Framework.Framework = a
}

func withoutDropout(a *albef.Model) { a.Text.Dropout = 0 }

func inHalf(a *albef.Model) { a.Half = true }

// with gives a field of a mini-batch other numbers of the same shape.
func with[T float32 | int32](in field.Values, name field.Name, numbers []T) {
	dims := in[name].Shape().Dimensions
	in[name] = tensors.FromFlatDataAndDimensions(numbers, dims...)
}

// floats and ints are the numbers of a field.
func floats(t *testing.T, in field.Values, name field.Name) []float32 {
	t.Helper()
	numbers := must.Get(in.Floats(name))(t)
	return numbers
}

func ints(t *testing.T, in field.Values, name field.Name) []int32 {
	t.Helper()
	numbers := must.Get(in.Ints(name))(t)
	return numbers
}

// variables are the numbers of every variable with a value under root, by path.
func variables(t *testing.T, store *model.Store, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for v := range store.Scope(root).IterVariables() {
		if !v.HasValue() {
			continue
		}
		value := must.Get(v.Value())(t)
		must.Do(t, value.ConstBytes(func(data []byte) { all[v.Path()] = v.Shape().String() + string(data) }))
	}
	return all
}

// saved reads a folder's checkpoint.
func saved(t *testing.T, dir string) (*model.Store, progress) {
	t.Helper()
	store := model.NewStore()
	var state progress
	must.Do(t, LoadCheckpoint(filepath.Join(dir, CheckpointName), store, &state))
	return store, state
}

func vector(t *testing.T, store *model.Store, path string) []float32 {
	t.Helper()
	value := must.Get(store.GetVariable(path).Value())(t)
	numbers := must.Get(tensors.CopyFlatData[float32](value))(t)
	return numbers
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	content := must.Get(os.ReadFile(filepath.Join(parts...)))(t)
	return string(content)
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	content := must.Get(json.Marshal(value))(t)
	return string(content)
}
